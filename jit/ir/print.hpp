// A function as text, one operation a line, the same for the same function on every machine.
#pragma once

#include <string>

#include "jit/ir/function.hpp"

namespace aisp::jit {

std::string print(const Function& function);
std::string print_type(const Type& type);
std::string print_number(double number);  // shortest text that reads back the same

}  // namespace aisp::jit
