// hazard: global-race
// All blocks write, then all read what other blocks wrote. __syncthreads() orders a block, only
// grid.sync() of a cooperative launch orders the grid (programming guide, 'Grid Synchronization').
#include <cooperative_groups.h>

#include "tests/hazards/hazard.hpp"

namespace {

constexpr int threads = 64, blocks = 4;

template <bool fixed>
__global__ void reverse(int* cells, int* out) {
  const int at = blockIdx.x * threads + threadIdx.x;
  cells[at] = at * 3;
  if constexpr (fixed)
    cooperative_groups::this_grid().sync();
  else
    __syncthreads();
  out[at] = cells[threads * blocks - 1 - at];
}

template <bool fixed>
bool run() {
  hazard::Array<int> cells(threads * blocks), out(threads * blocks);
  int *cells_at = cells.get(), *out_at = out.get();
  void* arguments[] = {&cells_at, &out_at};
  hazard::require(cudaLaunchCooperativeKernel(reverse<fixed>, blocks, threads, arguments),
                  "cooperative launch");
  hazard::finish();
  return out.holds([](int i) { return (threads * blocks - 1 - i) * 3; });
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
