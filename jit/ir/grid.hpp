// How many blocks a function needs.
#pragma once

#include <vector>

#include "jit/ir/function.hpp"

namespace aisp::jit {

// How many blocks work along each dimension, for tensors of these extents.
std::vector<std::int64_t> grid(const Function& function,
                               const std::vector<std::vector<std::int64_t>>& extents);

}  // namespace aisp::jit
