// What a word on the command line picks of the targets.
#pragma once

#include <string>

#include "lab/case/case.hpp"

namespace aisp::lab {

struct Selection {
  const Target* target;
  std::string variant;  // "": all variants
};

}  // namespace aisp::lab
