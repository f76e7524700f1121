// hazard: deadlock
// The consumer waits with bar.sync for 64 threads, the producer never does its bar.arrive and waits
// for the consumer's answer at another barrier: both wait for ever.
#include "tests/hazards/hazard.hpp"
#include "tests/hazards/ptx.cuh"

namespace {

enum Barrier { full = 1, empty = 2 };

template <bool fixed>
__global__ void hand_over(int* out) {
  __shared__ int cells[32];
  const int lane = threadIdx.x % 32;
  if (threadIdx.x < 32) {
    cells[lane] = lane * 9;
    if constexpr (fixed) ptx::bar_arrive(full, 64);
    ptx::bar_sync(empty, 64);
    cells[lane] = 0;
  } else {
    ptx::bar_sync(full, 64);
    out[lane] = cells[31 - lane];
    ptx::bar_arrive(empty, 64);
  }
}

template <bool fixed>
bool run() {
  hazard::Array<int> out(32);
  hand_over<fixed><<<1, 64>>>(out.get());
  hazard::finish();
  return out.holds([](int i) { return (31 - i) * 9; });
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
