// Programmatic dependent launch.
#pragma once

#include "tile/arch/target.cuh"

namespace aisp::tile::arch {

// Wait for the kernel ahead, let the one behind start.
TILE_DEVICE void wait_for_primary() { asm volatile("griddepcontrol.wait;" ::: "memory"); }
TILE_DEVICE void launch_dependents() { asm volatile("griddepcontrol.launch_dependents;" :::); }

}  // namespace aisp::tile::arch
