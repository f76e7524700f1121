// hazard: none
// options: --uninitialised
// A producer warp and two consumer warps, a ring of two slots, four named barriers: arrive where
// one only tells, sync where one waits.
#include "tests/hazards/hazard.hpp"
#include "tests/hazards/ptx.cuh"

namespace {

constexpr int turns = 9, slots = 2;

__global__ void ring(int* out) {
  __shared__ int buffer[slots][64];
  const int thread = threadIdx.x;
  int sum = 0;
  for (int turn = 0; turn < turns; ++turn) {
    const int slot = turn % slots, full = 1 + slot, empty = 1 + slots + slot;
    if (thread < 32) {
      if (turn >= slots) ptx::bar_sync(empty, 96);
      for (int i = thread; i < 64; i += 32) buffer[slot][i] = turn * 100 + i;
      ptx::bar_arrive(full, 96);
    } else {
      ptx::bar_sync(full, 96);
      sum += buffer[slot][95 - thread];
      if (turn + slots < turns) ptx::bar_arrive(empty, 96);
    }
  }
  if (thread >= 32) out[thread - 32] = sum;
}

bool run() {
  hazard::Array<int> out(64);
  ring<<<1, 96>>>(out.get());
  hazard::finish();
  return out.holds([](int i) { return 3600 + turns * (63 - i); });
}

const hazard::Program program(__FILE__, run);

}  // namespace
