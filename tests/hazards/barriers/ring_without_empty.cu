// hazard: shared-race
// A producer warp hands a slot to a consumer warp several times. The consumer is told when the slot
// is full; the producer does not wait until it is empty again and overwrites what is being read.
#include "tests/hazards/hazard.hpp"
#include "tests/hazards/ptx.cuh"

namespace {

constexpr int turns = 4;

template <bool fixed>
__global__ void hand_over(int* out) {
  __shared__ int slot[32];
  const int lane = threadIdx.x % 32;
  int sum = 0;
  for (int turn = 0; turn < turns; ++turn) {
    const int full = 1 + turn, empty = 1 + turns + turn;  // each barrier is used once
    if (threadIdx.x < 32) {
      slot[lane] = turn * lane;
      ptx::bar_arrive(full, 64);
      if constexpr (fixed) ptx::bar_sync(empty, 64);
    } else {
      ptx::bar_sync(full, 64);
      sum += slot[31 - lane];
      if constexpr (fixed) ptx::bar_arrive(empty, 64);
    }
  }
  if (threadIdx.x >= 32) out[lane] = sum;
}

template <bool fixed>
bool run() {
  hazard::Array<int> out(32);
  hand_over<fixed><<<1, 64>>>(out.get());
  hazard::finish();
  return out.holds([](int i) { return turns * (turns - 1) / 2 * (31 - i); });
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
