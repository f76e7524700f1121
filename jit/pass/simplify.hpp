// Folds what is known, computes equal values once, drops what nobody uses. The result is the same
// function in fewer operations.
#pragma once

#include "jit/ir/function.hpp"

namespace aisp::jit {

Function simplify(const Function& function);

}  // namespace aisp::jit
