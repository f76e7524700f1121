// The arrays of score and mask functions in a kernel's text.
#pragma once

#include <string>
#include <vector>

#include "jit/ir/function.hpp"

namespace aisp::jit {

// One name for each parameter, as they are declared.
std::vector<std::string> array_names(const Function& function);

// "  ArrayOf<float> slope;\n" for each: an address and a count.
std::string array_members(const Function& function);

// ArrayOf, read() and what functions are made of beside the helpers of all kernels.
std::string attention_helpers();

}  // namespace aisp::jit
