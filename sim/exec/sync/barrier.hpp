// Binding of the synchronising instructions that have files of their own; barrier.cpp has their
// rows.
#pragma once

#include "sim/program/binding.hpp"

namespace aisp::sim {

void bind_cluster_arrive(Binding& binding);
void bind_cluster_wait(Binding& binding);
void bind_membar(Binding& binding);
void bind_fence(Binding& binding);
void bind_griddepcontrol(Binding& binding);
void bind_setmaxnreg(Binding& binding);

}  // namespace aisp::sim
