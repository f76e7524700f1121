// hazard: read-only-load
// The second pointer says const __restrict__, and the compiler makes its loads read-only ones; it
// is the same memory, which another block has written before the barrier.
#include <cooperative_groups.h>

#include "tests/hazards/hazard.hpp"

namespace {

constexpr int threads = 32, blocks = 3;

template <bool fixed>
__global__ void shift(int* cells, const int* __restrict__ same, int* out) {
  const int at = blockIdx.x * threads + threadIdx.x, next = (at + threads) % (threads * blocks);
  cells[at] = at + 100;
  cooperative_groups::this_grid().sync();
  int value = 0;
  if constexpr (fixed)
    value = cells[next];
  else  // what the compiler may make of same[next]
    asm("ld.global.nc.u32 %0, [%1];" : "=r"(value) : "l"(same + next));
  out[at] = value;
}

template <bool fixed>
bool run() {
  hazard::Array<int> cells(threads * blocks), out(threads * blocks);
  int *cells_at = cells.get(), *out_at = out.get();
  void* arguments[] = {&cells_at, &cells_at, &out_at};
  hazard::require(cudaLaunchCooperativeKernel(shift<fixed>, blocks, threads, arguments),
                  "cooperative launch");
  hazard::finish();
  return out.holds([](int i) { return (i + threads) % (threads * blocks) + 100; });
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
