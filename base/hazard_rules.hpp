// The rules of the hazard checker: the simulator finds by them, the lab explains them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace aisp::base {

enum class HazardRule : std::uint8_t {
#define HAZARD_RULE(enumerator, name, severity, title, why, remedy) enumerator,
#include "base/hazard_rules.inc"
#undef HAZARD_RULE
  count,
};

// An error makes the numbers depend on luck; advice is about speed.
enum class HazardSeverity : std::uint8_t { error, advice };

struct HazardRuleText {
  const char* name;    // "shared-race"
  const char* title;   // what is wrong, in a line
  const char* why;     // what it leads to
  const char* remedy;  // what usually mends it
  HazardSeverity severity = HazardSeverity::error;
  constexpr bool is_advice() const { return severity == HazardSeverity::advice; }
};

// In the order of the enumerators.
inline constexpr std::array<HazardRuleText, static_cast<std::size_t>(HazardRule::count)>
    hazard_rules{{
#define HAZARD_RULE(enumerator, name, severity, title, why, remedy) \
  {name, title, why, remedy, HazardSeverity::severity},
#include "base/hazard_rules.inc"
#undef HAZARD_RULE
    }};

constexpr const HazardRuleText& text_of(HazardRule rule) {
  return hazard_rules[static_cast<std::size_t>(rule)];
}

}  // namespace aisp::base
