// What each rule of the hazard checker means, for `aisp check --rules` and for code hosts.
#pragma once

#include <string>

#include "base/hazard_rules.hpp"

namespace aisp::lab {

// Null for a name that this version does not know.
const base::HazardRuleText* find_hazard_rule(const std::string& name);

// All rules, for a reader.
std::string rules_page();

// One rule with an example, for `aisp check --explain`. Refuses (Exit::usage) an unknown name, with
// the nearest one.
std::string explanation_of(const std::string& name);

}  // namespace aisp::lab
