// What the files of this folder give to the rows in logic.cpp.
#pragma once

#include <span>

#include "sim/program/modifiers.hpp"
#include "sim/program/opcode.hpp"

namespace aisp::sim {

// What becomes of an amount beyond the width: true where it wraps.
inline constexpr Word<bool> wraps[] = {{"clamp", false}, {"wrap", true}};

void bind_lop3(Binding& binding);  // select.cpp
void bind_prmt(Binding& binding);

std::span<const OpcodeRow> bit_rows();  // bits.cpp, part of logic_rows()

}  // namespace aisp::sim
