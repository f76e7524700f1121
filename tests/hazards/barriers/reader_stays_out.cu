// hazard: shared-race
// Two warps write and meet at a named barrier; a third reads without taking part. bar.sync orders
// memory among its participants only (PTX: bar.sync, 'for the participating threads').
#include "tests/hazards/hazard.hpp"
#include "tests/hazards/ptx.cuh"

namespace {

template <bool fixed>
__global__ void write_and_read(int* out) {
  __shared__ int cells[64];
  const int thread = threadIdx.x, members = fixed ? 96 : 64;
  if (thread < 64) cells[thread] = thread + 5;
  if (thread < members) ptx::bar_sync(1, members);
  if (thread >= 64) out[thread - 64] = cells[thread - 64] + cells[thread - 32];
}

template <bool fixed>
bool run() {
  hazard::Array<int> out(32);
  write_and_read<fixed><<<1, 96>>>(out.get());
  hazard::finish();
  return out.holds([](int i) { return i + 5 + i + 32 + 5; });
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
