// One element's arithmetic, for the interpreter and for folding.
#pragma once

#include <initializer_list>
#include <span>

#include "jit/ir/element.hpp"
#include "jit/ir/opcode.hpp"

namespace aisp::jit {

// What one element becomes. Operands are numbers of their element type.
double apply(Opcode code, Element element, std::span<const double> operands);
inline double apply(Opcode code, Element element, std::initializer_list<double> operands) {
  return apply(code, element, std::span(operands.begin(), operands.size()));
}

// What a reduction begins with, and the operation that it repeats; argmax begins as max does.
double neutral(Reduction reduction, Element element);
Opcode combining(Reduction reduction);

}  // namespace aisp::jit
