// hazard: none
// options: --uninitialised
// Two mbarriers, full and empty, used for 20 phases each with the parity of the turn; one lane
// arrives for its warp behind a __syncwarp().
#include "tests/hazards/hazard.hpp"
#include "tests/hazards/ptx.cuh"

namespace {

constexpr int turns = 20;

__global__ void hand_over(int* out) {
  __shared__ std::uint64_t full, empty;
  __shared__ int cells[32];
  const int lane = threadIdx.x % 32;
  if (threadIdx.x == 0) {
    ptx::mbarrier_init(&full, 1);
    ptx::mbarrier_init(&empty, 32);
  }
  __syncthreads();
  int sum = 0;
  for (int turn = 0; turn < turns; ++turn) {
    if (threadIdx.x < 32) {
      ptx::mbarrier_wait(&empty, (turn + 1) % 2);  // the first one passes: nothing to wait for
      cells[lane] = turn + lane;
      __syncwarp();
      if (lane == 0) ptx::mbarrier_arrive(&full);
    } else {
      ptx::mbarrier_wait(&full, turn % 2);
      sum += cells[31 - lane];
      ptx::mbarrier_arrive(&empty);
    }
  }
  if (threadIdx.x >= 32) out[lane] = sum;
}

bool run() {
  hazard::Array<int> out(32);
  hand_over<<<1, 64>>>(out.get());
  hazard::finish();
  return out.holds([](int i) { return turns * (turns - 1) / 2 + turns * (31 - i); });
}

const hazard::Program program(__FILE__, run);

}  // namespace
