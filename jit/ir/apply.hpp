// One element's arithmetic, for the interpreter and for folding.
#pragma once

#include <vector>

#include "jit/ir/element.hpp"
#include "jit/ir/opcode.hpp"

namespace aisp::jit {

// What one element becomes. Operands are numbers of their element type.
double apply(Opcode code, Element element, const std::vector<double>& operands);

}  // namespace aisp::jit
