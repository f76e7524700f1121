#include "lab/run/plan/rung_choice.hpp"

#include <algorithm>
#include <cctype>

#include "base/refuse.hpp"
#include "base/text.hpp"
#include "lab/case/registry.hpp"
#include "lab/case/sizes.hpp"
#include "lab/run/plan/plan.hpp"

namespace aisp::lab {
namespace {

using base::Exit;
using base::refuse;

// Extents may stand in several words, up to the next option: 4096 4096 8192.
bool is_extent(const std::string& word) {
  const std::size_t first = !word.empty() && word[0] == '-' ? 1 : 0;
  return word.size() > first && std::isdigit(static_cast<unsigned char>(word[first])) != 0;
}

void take_size(std::string_view command, const std::vector<std::string>& words, std::size_t& at,
               RungChoice& choice) {
  const std::string& first = value_behind(command, words, at);
  choice.full = first == "full";
  choice.quick = first == "quick";
  choice.size.clear();
  if (first == "full" || first == "quick") return;
  choice.size.push_back(first);
  while (at + 1 < words.size() && is_extent(words[at + 1])) choice.size.push_back(words[++at]);
  if (first.find(',') != std::string::npos)
    refuse(Exit::usage, command, " --size takes one size, not '", first, "'");
}

void take_target(std::string_view command, const std::string& word, RungChoice& choice) {
  if (!choice.target.empty())
    refuse(Exit::usage, command, " takes one target, not '", choice.target, "' and '", word,
           "'; a rung is written behind a slash, TARGET/RUNG");
  const auto slash = word.find('/');
  choice.target = word.substr(0, slash);
  if (slash != std::string::npos) choice.rung = word.substr(slash + 1);
  if (choice.target.empty() || (slash != std::string::npos && choice.rung.empty()))
    refuse(Exit::usage, "'", word, "' names no target and rung; ch09:memory_bound/one_pass would");
}

void require_rung(const std::string& name, const std::vector<std::string>& known,
                  const std::string& owner) {
  if (name.empty() || std::find(known.begin(), known.end(), name) != known.end()) return;
  const auto meant = base::nearest(name, known);
  refuse(Exit::usage, owner, " has no rung '", name, "'; ",
         meant ? "did you mean " + *meant + "? " : "", "it has ", base::join(known, ", "));
}

}  // namespace

const std::vector<std::string>& rung_options() {
  static const std::vector<std::string> names{"--size",    "--quick", "--full",
                                              "--variant", "--load",  "--device"};
  return names;
}

const std::string& value_behind(std::string_view command, const std::vector<std::string>& words,
                                std::size_t& at) {
  if (at + 1 == words.size())
    refuse(Exit::usage, command, " ", words[at], " needs a value after it");
  return words[++at];
}

void split_value(std::vector<std::string>& words, std::size_t at,
                 const std::vector<std::string>& known) {
  const std::string word = words[at];
  const auto equals = word.find('=');
  if (equals == std::string::npos ||
      std::find(known.begin(), known.end(), word.substr(0, equals)) == known.end())
    return;
  words[at] = word.substr(0, equals);
  words.insert(words.begin() + static_cast<long>(at) + 1, word.substr(equals + 1));
}

void refuse_option(std::string_view command, const std::string& word,
                   const std::vector<std::string>& known) {
  // Without the dashes: they would make any two names look alike.
  const auto bare = [](const std::string& name) {
    return name.substr(std::min(name.find_first_not_of('-'), name.size()));
  };
  std::vector<std::string> names;
  for (const auto& one : known) names.push_back(bare(one));
  const auto near = bare(word).size() > 1 ? base::nearest(bare(word), names) : std::nullopt;
  refuse(Exit::usage, command, " has no option ", word,
         near ? "; did you mean --" + *near + "? see 'aisp " : "; see 'aisp ", command, " --help'");
}

bool take_rung_word(std::string_view command, const std::vector<std::string>& words,
                    std::size_t& at, RungChoice& choice) {
  const std::string& word = words[at];
  if (!word.starts_with("-")) {
    take_target(command, word, choice);
  } else if (word == "--size") {
    take_size(command, words, at, choice);
  } else if (word == "--quick" || word == "--full") {
    (word == "--full" ? choice.full : choice.quick) = true;
    if (choice.full && choice.quick) refuse_quick_and_full();
  } else if (word == "--variant") {
    choice.variant = value_behind(command, words, at);
  } else if (word == "--load") {
    choice.load.push_back(value_behind(command, words, at));
  } else if (word == "--device") {
    const std::string& text = value_behind(command, words, at);
    const auto device = device_choice(text);
    if (!device) refuse(Exit::usage, "--device is auto, gpu or sim, not '", text, "'");
    choice.device = *device;
  } else {
    return false;
  }
  return true;
}

const Target& target_of(std::string_view command, const RungChoice& choice) {
  if (choice.target.empty())
    refuse(Exit::usage, command,
           " needs a target, such as ch09:memory_bound or ch09:memory_bound/one_pass; 'aisp bench "
           "list-targets' shows all");
  const auto selected = select_targets(choice.target);
  if (selected.size() != 1)
    refuse(Exit::usage, command, " takes one target, and '", choice.target, "' is ",
           selected.size(), "; the first of them is ", selected.front().target->id());
  const Target& target = *selected.front().target;
  std::vector<std::string> rungs;
  for (const auto& rung : rungs_of(target)) rungs.push_back(rung.name);
  require_rung(choice.rung, rungs, target.id());
  require_variant(target, choice.variant);
  return target;
}

RunHeader plan_of(std::string_view command, const RungChoice& choice) {
  RunOptions run;
  run.targets = choice.target;
  run.variant = choice.variant;
  run.sizes = choice.size;
  run.quick = !choice.full;
  run.full = choice.full;
  if (choice.rung.empty())
    run.peers = name_of(PeerChoice::none);
  else
    run.rungs = {choice.rung};
  return plan_run(run, {std::string(command)});
}

const EntryPlan* first_with(const RunHeader& header, const std::string& rung) {
  for (const auto& entry : header.plan)
    if (std::find(entry.rungs.begin(), entry.rungs.end(), rung) != entry.rungs.end()) return &entry;
  return nullptr;
}

}  // namespace aisp::lab
