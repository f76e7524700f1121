// What each rule of the hazard checker means, for `aisp check --rules` and for code hosts. The
// rules themselves are sim/watch/finding.hpp; a test compares the two lists.
#pragma once

#include <string>
#include <vector>

namespace lab {

struct RuleHelp {
  const char* name;   // "shared-race"
  const char* title;  // what is wrong, in a line
  const char* why;    // what it leads to
  const char* fix;    // what usually mends it
  bool advice = false;
};

const std::vector<RuleHelp>& rule_helps();

// Null for a name that this version does not know.
const RuleHelp* rule_help(const std::string& name);

// All rules, for a reader.
std::string rules_page();

}  // namespace lab
