// Examples of what the rules of the hazard checker are about: marked parts of the programs under
// tests/hazards, which prove that the wrong side is reported and the fixed one is not.
#pragma once

#include <string>
#include <string_view>

namespace aisp::lab {

struct HazardExample {
  std::string file;          // "tests/hazards/threads/missing_syncthreads.cu"
  std::string wrong, fixed;  // code
};

// An empty `file`: there is none for the rule.
HazardExample find_example(std::string_view rule);

// One side of code that has both: with `fixed` true or false in conditions, `?:` and branches, and
// without the branches that are then not taken.
std::string side_of(std::string_view code, bool fixed);

}  // namespace aisp::lab
