// The stencil of one_sided_exchange on a rank's slab: x / 2 + (above + below + left + right) / 8.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

namespace aisp::ch14 {

// Two grids that take turns, each with a row above and one below the slab's own: what the
// neighbours put there. Step s reads grid (s - 1) % 2 and writes grid s % 2.
struct Slab {
  float* grid[2] = {};
  int rows = 0;
  std::uint32_t* done = nullptr;  // of each band: the step whose border rows are there
  // Written by the neighbours: the step whose row they have put above, and below.
  std::uint32_t *from_above = nullptr, *from_below = nullptr;
};

struct HaloArguments {
  Slab own, above, below;  // without rows: there is no neighbour
  int columns = 0;
};

inline constexpr int flag_stride = 32;  // words: a line for each flag

// One step of the whole slab, and its border rows to the neighbours if `puts`.
void enqueue_step(const HaloArguments& arguments, int step, bool puts, cudaStream_t stream);

// All steps in one kernel of at most `blocks` blocks, which wait for each other and for the
// neighbours': all have to be on their devices at the same time.
void enqueue_steps(const HaloArguments& arguments, int steps, int blocks, cudaStream_t stream);
const void* steps_kernel();
inline constexpr int halo_threads = 1024;  // of steps_kernel()

}  // namespace aisp::ch14
