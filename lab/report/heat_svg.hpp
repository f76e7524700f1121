// A sweep over two axes or more as a heat map: the first axis to the right, the second down, a
// panel for each rung and each value of the others. The number in a cell is the rate, or on the
// simulator the count that shows the idea.
#pragma once

#include <string>

#include "lab/report/sweep.hpp"

namespace aisp::lab {

// A whole file that any browser shows, light or dark as the reader has it. The sweep has at least
// two axes.
std::string heat_svg(const SweepResult& sweep);

}  // namespace aisp::lab
