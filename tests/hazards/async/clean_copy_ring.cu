// hazard: none
// A warp of cp.async producers that never waits for its copies: they arrive themselves, with
// .noinc, at the full barrier; consumers release slots lane by lane.
#include "tests/hazards/async/numbers.hpp"
#include "tests/hazards/async/ptx_async.cuh"

namespace {

constexpr int count = 32, stages = 2, steps = 9;

__global__ void pipeline(const int* in, int* out) {
  __shared__ int slot[stages][count];
  __shared__ std::uint64_t full[stages], empty[stages];
  const int lane = threadIdx.x % 32;
  if (threadIdx.x == 0)
    for (int i = 0; i < stages; ++i) {
      ptx::mbarrier_init(&full[i], count);
      ptx::mbarrier_init(&empty[i], count);
    }
  __syncthreads();
  for (int step = 0; step < steps; ++step) {
    const int at = step % stages, round = step / stages;
    if (threadIdx.x < 32) {
      ptx::mbarrier_wait(&empty[at], ~round & 1);
      ptx::copy_async(&slot[at][lane], in + step * count + lane);
      ptx::copy_arrive_noinc(&full[at]);
    } else {
      ptx::mbarrier_wait(&full[at], round & 1);
      out[step * count + count - 1 - lane] = slot[at][count - 1 - lane];
      ptx::mbarrier_arrive(&empty[at]);
    }
  }
}

bool run() {
  const hazard::Array<int> in(hazard::numbers(steps * count)), out(steps * count);
  pipeline<<<1, 64>>>(in.get(), out.get());
  hazard::finish();
  return out.holds(hazard::number);
}

const hazard::Program program(__FILE__, run);

}  // namespace
