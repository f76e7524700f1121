// A score function as a kernel computes it best: on products of the matrix unit, with the scale
// left to the softmax where it can be, and without what is the same for all keys of a row and
// provably finite: minus infinity hides a row, and NaN stays NaN.
#pragma once

#include "jit/attention/value_ranges.hpp"

namespace aisp::jit {

struct NormalForm {
  Function function;  // of the product instead of the score
  // The softmax is that of `factor` * (scaled ? scale : 1) times what the function gives.
  double factor = 1;
  bool scaled = true;
  bool modifies = false;  // false: the function gives the product itself
};

// `whole_rows`: nothing may be dropped, because the sums of weights are asked for as well. No
// position is larger than `limits`.
NormalForm normal_form(const Function& function, const PositionLimits& limits, bool whole_rows);

}  // namespace aisp::jit
