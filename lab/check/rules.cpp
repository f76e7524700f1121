#include "lab/check/rules.hpp"

namespace aisp::lab {

const base::HazardRuleText* find_hazard_rule(const std::string& name) {
  for (const auto& rule : base::hazard_rules)
    if (rule.name == name) return &rule;
  return nullptr;
}

std::string rules_page() {
  std::string page;
  for (const auto& rule : base::hazard_rules) {
    const bool plain = rule.level == base::HazardLevel::error;
    const std::string level = plain ? "" : std::string(" (") + name_of(rule.level) + ")";
    page += rule.name + level + ": " + rule.title + "\n";
    page += std::string("  why: ") + rule.why + "\n  fix: " + rule.remedy + "\n\n";
  }
  page.pop_back();
  return page;
}

}  // namespace aisp::lab
