// Handlers of the multimem instructions; null where there is no such operation on the type.
#pragma once

#include "sim/exec/memory/modifiers.hpp"

namespace aisp::sim {

// `wide`: the precision of the sum where it is named by .acc, else none.
Handler multimem_ld_reduce(AtomicOp operation, Type type, Type wide);
Handler multimem_st(Type type);
Handler multimem_red(AtomicOp operation, Type type);

}  // namespace aisp::sim
