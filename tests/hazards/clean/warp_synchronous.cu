// hazard: none
// options: --uninitialised
// A scan inside each warp through its own part of shared memory, with __syncwarp() between reads
// and writes, then the warps' totals through a block barrier.
#include "tests/hazards/hazard.hpp"

namespace {

constexpr int threads = 128;

__global__ void scan(const int* in, int* out) {
  __shared__ int cells[threads], totals[threads / 32];
  const int thread = threadIdx.x, lane = thread % 32, warp = thread / 32;
  cells[thread] = in[thread];
  __syncwarp();
  for (int step = 1; step < 32; step *= 2) {
    const int left = lane >= step ? cells[thread - step] : 0;
    __syncwarp();
    cells[thread] += left;
    __syncwarp();
  }
  if (lane == 31) totals[warp] = cells[thread];
  __syncthreads();
  int before = 0;
  for (int i = 0; i < warp; ++i) before += totals[i];
  out[thread] = cells[thread] + before;
}

bool run() {
  hazard::Array<int> in(std::vector<int>(threads, 2)), out(threads);
  scan<<<1, threads>>>(in.get(), out.get());
  hazard::finish();
  return out.holds([](int i) { return 2 * (i + 1); });
}

const hazard::Program program(__FILE__, run);

}  // namespace
