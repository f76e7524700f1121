// Computes any function in float64 on the host: the reference of every program. Only stores and
// `to` round, as the hardware does.
#pragma once

#include <vector>

#include "jit/ir/function.hpp"
#include "jit/ir/grid.hpp"

namespace aisp::jit {

// A tensor of the call, row-major without gaps; an array has one axis.
struct HostTensor {
  std::vector<std::int64_t> extents;
  std::vector<double> values;
};

// One tensor per parameter; outputs are written where the program stores. What is outside of an
// array reads as 0; an index that must leave it is refused.
void interpret(const Function& function, std::vector<HostTensor>& tensors);

}  // namespace aisp::jit
