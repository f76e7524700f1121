// hazard: none
// options: --uninitialised
// Lanes exchange registers only: shuffles, votes and matches in full and partial masks. The one
// word of shared memory per warp is written by one lane and read behind the block's barrier.
#include "tests/hazards/hazard.hpp"

namespace {

constexpr int threads = 96;

__global__ void exchange(int* out) {
  __shared__ int sums[threads / 32];
  const int thread = threadIdx.x, lane = thread % 32;
  int sum = thread;
  for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, step);
  const unsigned odd = __ballot_sync(0xffffffffu, lane % 2 == 1);
  int partner = lane;
  if (lane % 2 == 1) partner = __shfl_sync(odd, lane, lane ^ 2);
  const unsigned same = __match_any_sync(0xffffffffu, lane / 8);
  if (lane == 5) sums[thread / 32] = sum;
  __syncthreads();
  out[thread] = sums[(thread / 32 + 1) % 3] + partner + __popc(same);
}

bool run() {
  hazard::Array<int> out(threads);
  exchange<<<1, threads>>>(out.get());
  hazard::finish();
  return out.holds([](int i) {
    const int lane = i % 32, warp = (i / 32 + 1) % 3;
    return warp * 1024 + 496 + (lane % 2 ? lane ^ 2 : lane) + 8;
  });
}

const hazard::Program program(__FILE__, run);

}  // namespace
