// Computes any function in float64 on the host: the reference of every program. Only stores and
// `to` round, as the hardware does.
#pragma once

#include "jit/ir/function.hpp"
#include "jit/ir/grid.hpp"
#include "jit/ir/host_tensor.hpp"

namespace aisp::jit {

// One tensor per parameter; outputs are written where the program stores. What is outside of an
// array reads as 0; an index that must leave it is refused.
void interpret(const Function& function, std::vector<HostTensor>& tensors);

}  // namespace aisp::jit
