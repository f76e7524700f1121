// The order of operations, made that of the program's text. Which operand of an expression is
// traced first is the compiler's choice (g++ takes the right one first for x86-64, the left one for
// AArch64): without this the same program would be another kernel on another host.
#pragma once

#include "jit/ir/function.hpp"

namespace aisp::jit {

// What has an effect, and what holds a region, stays in its order; in front of each stands what it
// needs and what has not stood before, operands from left to right.
Function arrange(Function function);

}  // namespace aisp::jit
