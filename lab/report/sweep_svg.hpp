// A sweep as a picture: time over the first axis and, where times are measured, the rate below it;
// one line per rung and per value of the other axes, a diamond where the bound changes.
#pragma once

#include <string>

#include "lab/report/sweep.hpp"

namespace aisp::lab {

// A whole file that any browser shows, light or dark as the reader has it.
std::string sweep_svg(const SweepResult& sweep);

}  // namespace aisp::lab
