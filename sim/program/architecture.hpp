// The architectures that an instruction, or one of its forms, exists on. Rows of opcodes, words and
// forms have a column of it; ModifierReader::require() is the one place where it is looked at.
#pragma once

#include <string>

namespace aisp::sim {

struct Needs {
  int least = 0;          // 90: sm_90 and later; 0: any
  bool specific = false;  // a target with the suffix `a`, such as sm_90a
  bool only = false;      // the least one alone: later ones have it no more

  constexpr bool met_by(int architecture, bool is_specific) const {
    return architecture >= least && (is_specific || !specific) && (architecture == least || !only);
  }
  std::string name() const { return "sm_" + std::to_string(least) + (specific ? "a" : ""); }
};

inline constexpr Needs sm_70{70}, sm_75{75}, sm_80{80}, sm_86{86}, sm_89{89}, sm_90{90},
    sm_100{100};
inline constexpr Needs sm_90a{90, true}, sm_100a{100, true};
inline constexpr Needs sm_90a_only{90, true, true}, sm_103a_only{103, true, true};

}  // namespace aisp::sim
