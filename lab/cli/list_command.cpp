#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <tuple>

#include "base/refuse.hpp"
#include "base/text.hpp"
#include "lab/case/catalog.hpp"
#include "lab/case/planned.hpp"
#include "lab/case/registry.hpp"
#include "lab/cli/commands.hpp"
#include "lab/report/table.hpp"

namespace aisp::lab {
namespace {

struct Listed {
  std::vector<const Target*> targets;
  std::vector<const Planned*> planned;
};

bool has_targets(const std::string& chapter) {
  return std::any_of(all_targets().begin(), all_targets().end(),
                     [&](const Target& target) { return target.chapter == chapter; });
}

Listed chosen(const std::string& chapter) {
  if (chapter.find(':') != std::string::npos)
    base::refuse(base::Exit::usage, "--chapter takes a chapter such as ch09, not '", chapter, "'");
  Listed listed;
  std::vector<std::string> to_select;
  for (const auto& word : base::split(chapter.empty() ? "all" : chapter, ',')) {
    const auto before = listed.planned.size();
    for (const auto& planned : planned_targets())
      if (word == "all" || word == planned.chapter) listed.planned.push_back(&planned);
    // A chapter may be nothing but plans; then there is no target to select.
    if (listed.planned.size() == before || word == "all" || has_targets(word))
      to_select.push_back(word);
  }
  if (to_select.empty()) return listed;
  for (const auto& selection : select_targets(base::join(to_select, ",")))
    listed.targets.push_back(selection.target);
  return listed;
}

nlohmann::json as_json(const std::vector<Size>& sizes) {
  auto labels = nlohmann::json::array();
  for (const auto& size : sizes) labels.push_back(size.label());
  return labels;
}

nlohmann::json as_json(const Target& target) {
  auto rungs = nlohmann::json::array();
  for (const auto& rung : rungs_of(target))
    rungs.push_back({{"name", rung.name},
                     {"step", rung.step},
                     {"builds_on", rung.builds_on},
                     {"idea", rung.idea},
                     {"look_at", rung.look_at},
                     {"needs", name_of(rung.needs)},
                     {"peer", rung.peer},
                     {"variants", rung.variants}});
  auto aliases = nlohmann::json::array();
  for (const auto& [alias, variant] : target.aliases) aliases.push_back(alias);
  return {{"target", target.id()},
          {"chapter", target.chapter},
          {"name", target.name},
          {"idea", target.idea},
          {"status", "built"},
          {"shows_in", target.shows_in ? std::string(name_of(*target.shows_in)) : ""},
          {"shows_nowhere", target.shows_nowhere},
          {"aliases", aliases},
          {"axes", target.axes},
          {"variants", target.variants},
          {"full", as_json(target.full)},
          {"quick", as_json(target.quick)},
          {"rungs", rungs}};
}

nlohmann::json as_json(const Planned& planned) {
  const auto none = nlohmann::json::array();
  return {{"target", planned.id()},
          {"chapter", planned.chapter},
          {"name", planned.name},
          {"idea", planned.idea},
          {"status", planned.status()},
          {"aliases", planned.aliases},
          {"axes", none},
          {"variants", none},
          {"full", none},
          {"quick", none},
          {"rungs", none}};
}

std::string labels(const std::vector<Size>& sizes) {
  std::vector<std::string> words;
  for (const auto& size : sizes) words.push_back(size.label());
  return base::join(words, ", ");
}

std::string aliases(const Target& target) {
  std::vector<std::string> words;
  for (const auto& [alias, variant] : target.aliases)
    words.push_back(variant.empty() ? alias : alias + " (" + variant + ")");
  return base::join(words, ", ");
}

void print(const Target& target) {
  fmt::print("{}  {}\n", target.id(), target.idea);
  if (!target.aliases.empty()) fmt::print("  also: {}\n", aliases(target));
  fmt::print("  sizes: {}\n", labels(target.full));
  Table ladder{.columns = {{" "}, {"rung"}, {"needs"}, {"idea"}}, .rows = {}};
  for (const auto& rung : rungs_of(target))
    ladder.rows.push_back({rung.peer ? " " : " " + std::to_string(rung.step), rung.name,
                           std::string(name_of(rung.needs)),
                           rung.idea + (!rung.peer             ? ""
                                        : rung.library.empty() ? " (peer)"
                                                               : " (peer, with --peers)")});
  fmt::print("{}\n", as_text(ladder));
}

void print(const Planned& planned) {
  fmt::print("{}  {}\n", planned.id(), planned.idea);
  if (!planned.aliases.empty()) fmt::print("  also: {}\n", base::join(planned.aliases, ", "));
  fmt::print("  {}\n\n", planned.status());
}

template <class Named>
auto place_of(const Named& named) {
  return std::tie(named.chapter, named.name);
}

// Calls `show` for each, the planned ones at their places among the others.
template <class Show>
void in_order(const Listed& listed, const Show& show) {
  auto planned = listed.planned.begin();
  for (const auto* target : listed.targets) {
    for (; planned != listed.planned.end() && place_of(**planned) < place_of(*target); ++planned)
      show(**planned);
    show(*target);
  }
  for (; planned != listed.planned.end(); ++planned) show(**planned);
}

}  // namespace

int list_targets(const CommandLine& line) {
  const auto listed = chosen(line.chapter);
  if (line.json) {
    auto list = nlohmann::json::array();
    in_order(listed, [&](const auto& each) { list.push_back(as_json(each)); });
    std::printf("%s\n", list.dump(2).c_str());
    return 0;
  }
  in_order(listed, [](const auto& each) { print(each); });
  fmt::print("{} targets", listed.targets.size());
  if (!listed.planned.empty()) fmt::print(", {} not built yet", listed.planned.size());
  fmt::print("; run one with: aisp bench run --targets {}\n",
             listed.targets.empty() ? "ch09" : listed.targets.front()->id());
  return 0;
}

}  // namespace aisp::lab
