// Computes any function in float64 on the host: the reference of every program. Only stores and
// `to` round, as the hardware does.
#pragma once

#include <vector>

#include "jit/ir/function.hpp"

namespace aisp::jit {

// A tensor of the call, row-major without gaps; an array has one axis.
struct HostTensor {
  std::vector<std::int64_t> extents;
  std::vector<double> values;
};

// One tensor per parameter; outputs are written where the program stores.
void interpret(const Function& function, std::vector<HostTensor>& tensors);

// How many blocks work along each dimension, for tensors of these extents.
std::vector<std::int64_t> grid(const Function& function,
                               const std::vector<std::vector<std::int64_t>>& extents);

// What one element becomes, for folding too. Operands are numbers of their element type.
double apply(Opcode code, Element element, const std::vector<double>& operands);

}  // namespace aisp::jit
