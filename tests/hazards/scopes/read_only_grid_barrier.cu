// hazard: read-only-load
// __ldg() of what another block wrote before grid.sync(). The barrier orders the two, but a
// read-only load may be answered from a cache that does not hear of writes
// (tests/gpu/stress/nc_load.cu: 4 of 10 are stale on an H200).
#include <cooperative_groups.h>

#include "tests/hazards/hazard.hpp"

namespace {

constexpr int threads = 64, blocks = 4;

template <bool fixed>
// example begin: read-only-load
__global__ void reverse(int* cells, int* out) {
  const int at = blockIdx.x * threads + threadIdx.x, other = threads * blocks - 1 - at;
  cells[at] = at * 3;
  cooperative_groups::this_grid().sync();
  out[at] = fixed ? cells[other] : __ldg(cells + other);
}
// example end

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
