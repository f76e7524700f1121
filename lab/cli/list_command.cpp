#include <fmt/format.h>

#include <cstdio>
#include <nlohmann/json.hpp>
#include <set>

#include "base/refuse.hpp"
#include "base/text.hpp"
#include "lab/case/catalog.hpp"
#include "lab/case/registry.hpp"
#include "lab/cli/commands.hpp"
#include "lab/report/table.hpp"

namespace lab {
namespace {

std::vector<const Target*> chosen(const std::string& chapter) {
  std::vector<const Target*> targets;
  if (chapter.empty()) {
    for (const auto& target : all_targets())
      if (target.chapter != roof_chapter) targets.push_back(&target);
    return targets;
  }
  if (chapter.find(':') != std::string::npos)
    base::refuse(base::Exit::usage, "--chapter takes a chapter such as ch09, not '", chapter, "'");
  for (const auto& selection : select_targets(chapter)) targets.push_back(selection.target);
  return targets;
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
          {"aliases", aliases},
          {"axes", target.axes},
          {"variants", target.variants},
          {"full", as_json(target.full)},
          {"quick", as_json(target.quick)},
          {"rungs", rungs}};
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

}  // namespace

int list_targets(const CommandLine& line) {
  const auto targets = chosen(line.chapter);
  if (line.json) {
    auto list = nlohmann::json::array();
    for (const auto* target : targets) list.push_back(as_json(*target));
    std::printf("%s\n", list.dump(2).c_str());
    return 0;
  }
  for (const auto* target : targets) {
    fmt::print("{}  {}\n", target->id(), target->idea);
    if (!target->aliases.empty()) fmt::print("  also: {}\n", aliases(*target));
    fmt::print("  sizes: {}\n", labels(target->full));
    Table ladder{.columns = {{" "}, {"rung"}, {"needs"}, {"idea"}}, .rows = {}};
    for (const auto& rung : rungs_of(*target))
      ladder.rows.push_back({rung.peer ? " " : " " + std::to_string(rung.step), rung.name,
                             std::string(name_of(rung.needs)),
                             rung.idea + (rung.peer ? " (peer)" : "")});
    fmt::print("{}\n", as_text(ladder));
  }
  fmt::print("{} targets; run one with: aisp bench run --targets {}\n", targets.size(),
             targets.empty() ? "ch09" : targets.front()->id());
  return 0;
}

}  // namespace lab
