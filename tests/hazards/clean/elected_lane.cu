// hazard: none
// options: --uninitialised
// elect.sync chooses a lane, which writes for its warp, another lane arrives for it: each step is
// carried to the others by __syncwarp(). The waiting warp polls with one lane only.
#include "tests/hazards/hazard.hpp"
#include "tests/hazards/ptx.cuh"

namespace {

__global__ void elect(int* out) {
  __shared__ std::uint64_t bar;
  __shared__ int word, cells[32];
  const int lane = threadIdx.x % 32;
  if (threadIdx.x == 0) ptx::mbarrier_init(&bar, 1);
  __syncthreads();
  if (threadIdx.x < 32) {
    if (ptx::elect_one()) word = 5;
    __syncwarp();
    cells[lane] = word * lane;
    __syncwarp();
    if (lane == 17) ptx::mbarrier_arrive(&bar);
  } else {
    if (ptx::elect_one()) ptx::mbarrier_wait(&bar, 0);
    __syncwarp();
    out[lane] = cells[31 - lane] + word;
  }
}

bool run() {
  hazard::Array<int> out(32);
  elect<<<1, 64>>>(out.get());
  hazard::finish();
  return out.holds([](int i) { return 5 * (31 - i) + 5; });
}

const hazard::Program program(__FILE__, run);

}  // namespace
