// Floating-point forms of the opcodes that integers have too. The rows belong to the integer
// opcodes; they come here when the type of the instruction is a floating-point one, with no
// modifier consumed yet beyond the opcode's name.
#pragma once

#include "sim/exec/arithmetic/floating/op.hpp"
#include "sim/program/binding.hpp"

namespace aisp::sim {

void bind_float(Binding& binding, FloatOp what);
void bind_float_setp(Binding& binding);
void bind_float_set(Binding& binding);

}  // namespace aisp::sim
