// Binding of the memory instructions that have files of their own; memory.cpp has their rows.
#pragma once

#include "sim/exec/memory/modifiers.hpp"

namespace aisp::sim {

void bind_ld(Binding& binding);
void bind_ldu(Binding& binding);
void bind_st(Binding& binding);
void bind_bulk_fill(Binding& b);  // st.bulk
void bind_multimem_ld_reduce(Binding& b);
void bind_multimem_st(Binding& b);
void bind_multimem_red(Binding& b);
void bind_st_async_release(Binding& b);
void bind_red_async_release(Binding& b);  // atomic.cpp

// Refuses a vector of more bits than an access may have: 128, and 256 in global memory from sm_100.
void check_width(const Binding& binding, const MemoryModifiers& modifiers);

// The types of ld and st: integers, bits, f32 and f64. Returns the type's bytes.
int access_bytes(const Binding& binding, Type type);

}  // namespace aisp::sim
