// Instructions about addresses, shared by the files that hold mov and its kin.
#pragma once

#include "sim/program/binding.hpp"

namespace aisp::sim {

// dst = the address, plus `window` (of a generic address space).
void bind_address(Binding& binding, const BoundAddress& address, Type type, std::uint64_t window);
// mov of %clock and its like.
void bind_volatile(Binding& binding, const ptx::Operand& source, Type type);

void bind_cvta(Binding& binding);
void bind_isspacep(Binding& binding);
void bind_mapa(Binding& binding);
void bind_getctarank(Binding& binding);

}  // namespace aisp::sim
