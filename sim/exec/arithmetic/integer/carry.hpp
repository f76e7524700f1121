// Extended precision. The first three come behind the modifier `cc`.
#pragma once

#include "sim/program/binding.hpp"

namespace aisp::sim {

void bind_add_carry(Binding& binding);
void bind_sub_carry(Binding& binding);
void bind_mad_carry(Binding& binding, bool high);
void bind_addc(Binding& binding);
void bind_subc(Binding& binding);
void bind_madc(Binding& binding);

}  // namespace aisp::sim
