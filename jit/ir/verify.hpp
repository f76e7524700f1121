// What must hold of every function, whoever made it: run after tracing and, in tests, after every
// pass. A fault is refused by one line with the user's place.
#pragma once

#include "jit/ir/function.hpp"

namespace aisp::jit {

void verify(const Function& function);

// "softmax.cpp:14: ", or the program's own where the place is not known.
std::string place_prefix(const Function& function, const Operation& operation);
// "softmax.cpp:9: softmax: ", the line that made the program, or its name alone.
std::string program_prefix(const Function& function);

}  // namespace aisp::jit
