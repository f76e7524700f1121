#include "lab/check/rules.hpp"

#include <algorithm>
#include <vector>

#include "base/refuse.hpp"
#include "base/text.hpp"
#include "lab/check/examples.hpp"

namespace aisp::lab {
namespace {

using Lines = std::vector<std::string>;

Lines lines_of(const std::string& code) {
  Lines lines = base::split(code, '\n');
  while (!lines.empty() && lines.back().empty()) lines.pop_back();
  return lines;
}

// For each line of the two sides, whether it is one of those that both have in the same order.
struct Common {
  std::vector<bool> wrong, fixed;
};
Common common_lines(const Lines& wrong, const Lines& fixed) {
  std::vector<std::vector<std::size_t>> longest(wrong.size() + 1,
                                                std::vector<std::size_t>(fixed.size() + 1));
  for (std::size_t i = wrong.size(); i-- > 0;)
    for (std::size_t j = fixed.size(); j-- > 0;)
      longest[i][j] = wrong[i] == fixed[j] ? longest[i + 1][j + 1] + 1
                                           : std::max(longest[i + 1][j], longest[i][j + 1]);
  Common common{std::vector<bool>(wrong.size()), std::vector<bool>(fixed.size())};
  for (std::size_t i = 0, j = 0; i < wrong.size() && j < fixed.size();) {
    if (wrong[i] == fixed[j]) {
      common.wrong[i++] = common.fixed[j++] = true;
    } else if (longest[i + 1][j] >= longest[i][j + 1]) {
      ++i;
    } else {
      ++j;
    }
  }
  return common;
}

// The code, with a mark in front of the lines that the other side does not have.
std::string marked(const Lines& lines, const std::vector<bool>& common, char mark) {
  std::string text;
  for (std::size_t i = 0; i < lines.size(); ++i)
    text += std::string(common[i] ? "    " : std::string("  ") + mark + " ") + lines[i] + "\n";
  return text;
}

std::string heading_of(const base::HazardRuleText& rule) {
  const bool plain = rule.level == base::HazardLevel::error;
  const std::string level = plain ? "" : std::string(" (") + name_of(rule.level) + ")";
  return rule.name + level + ": " + rule.title + "\n";
}

}  // namespace

const base::HazardRuleText* find_hazard_rule(const std::string& name) {
  for (const auto& rule : base::hazard_rules)
    if (rule.name == name) return &rule;
  return nullptr;
}

std::string rules_page() {
  std::string page;
  for (const auto& rule : base::hazard_rules) {
    page += heading_of(rule);
    page += std::string("  why: ") + rule.why + "\n  fix: " + rule.remedy + "\n\n";
  }
  return page + "aisp check --explain RULE explains one of them, with an example\n";
}

std::string explanation_of(const std::string& name) {
  const base::HazardRuleText* const rule = find_hazard_rule(name);
  if (rule == nullptr) {
    std::vector<std::string> names;
    for (const auto& known : base::hazard_rules) names.emplace_back(known.name);
    const auto near = base::nearest(name, names);
    base::refuse(base::Exit::usage, "there is no rule '", name, "'",
                 near ? "; did you mean " + *near + "?" : "; 'aisp check --rules' lists them");
  }
  constexpr const char* levels[] = {
      "error: a finding, and exit code 3",
      "formal: against the PTX manual's rules, but never seen to go wrong on a GPU; --strict makes "
      "it an error",
      "advice about speed: shown with --advice"};
  std::string text = std::string(rule->name) + ": " + rule->title + "\n";
  text += base::say("\n  level: ", levels[static_cast<std::size_t>(rule->level)],
                    "\n  why: ", rule->why, "\n  fix: ", rule->remedy, "\n");
  const HazardExample example = find_example(name);
  if (example.file.empty()) return text;
  const Lines wrong = lines_of(example.wrong), fixed = lines_of(example.fixed);
  const Common common = common_lines(wrong, fixed);
  text += "\nWrong:\n\n" + marked(wrong, common.wrong, '-');
  text += "\nFixed:\n\n" + marked(fixed, common.fixed, '+');
  return text + "\nThe example is a part of " + example.file +
         ", where functions of ptx:: and tensor:: stand for the instructions they are named "
         "after.\n";
}

}  // namespace aisp::lab
