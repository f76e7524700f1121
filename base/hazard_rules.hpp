// The rules of the hazard checker: the simulator finds by them, the lab explains them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace aisp::base {

enum class HazardRule : std::uint8_t {
#define HAZARD_RULE(enumerator, name, level, title, why, remedy) enumerator,
#include "base/hazard_rules.inc"
#undef HAZARD_RULE
  count,
};

// An error makes the numbers depend on luck. What is formal breaks a rule of the PTX manual, but no
// GPU has been seen to give wrong numbers for it (docs/hazards.md). Advice is about speed.
enum class HazardLevel : std::uint8_t { error, formal, advice };
inline constexpr std::array<const char*, 3> hazard_levels{"error", "formal", "advice"};
constexpr const char* name_of(HazardLevel level) {
  return hazard_levels[static_cast<std::size_t>(level)];
}

struct HazardRuleText {
  const char* name;    // "shared-race"
  const char* title;   // what is wrong, in a line
  const char* why;     // what it leads to
  const char* remedy;  // what usually mends it
  HazardLevel level = HazardLevel::error;
};

// In the order of the enumerators.
inline constexpr std::array<HazardRuleText, static_cast<std::size_t>(HazardRule::count)>
    hazard_rules{{
#define HAZARD_RULE(enumerator, name, level, title, why, remedy) \
  {name, title, why, remedy, HazardLevel::level},
#include "base/hazard_rules.inc"
#undef HAZARD_RULE
    }};

constexpr const HazardRuleText& text_of(HazardRule rule) {
  return hazard_rules[static_cast<std::size_t>(rule)];
}

}  // namespace aisp::base
