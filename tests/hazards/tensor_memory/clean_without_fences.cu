// hazard: none
// options: --device b200,sms=4
// A ring of two accumulators between a thread that multiplies and four warps that read, by
// mbarriers that release and acquire and without any tcgen05.fence.
#include "tests/hazards/tensor_memory/tensor.cuh"

namespace {

using namespace tensor;

__global__ void use(float* out) {
  __shared__ Shared shared;
  const std::uint32_t base = start(shared);
  __shared__ std::uint64_t computed[2], read[2];
  if (one()) {
    for (int slot = 0; slot < 2; ++slot) {
      barrier_init(shared_address(&computed[slot]), 1);
      barrier_init(shared_address(&read[slot]), threads);
    }
    barrier_init_fence();
  }
  __syncthreads();
  if (warp() == 4) {
    if (threadIdx.x % 32 == 0)
      for (int tile = 0; tile < 6; ++tile) {
        const int slot = tile % 2, lap = tile / 2 % 2;
        barrier_wait(shared_address(&read[slot]), static_cast<std::uint32_t>(lap ^ 1));
        product(base + slot * other, shared.stage[0]);
        commit<1>(shared_address(&computed[slot]));
      }
  } else {
    float all = 0;
    for (int tile = 0; tile < 6; ++tile) {
      const int slot = tile % 2, lap = tile / 2 % 2;
      barrier_wait(shared_address(&computed[slot]), static_cast<std::uint32_t>(lap));
      __syncwarp();
      const Row row = load(base + slot * other);
      wait_loads();
      barrier_arrive(shared_address(&read[slot]));
      all += __uint_as_float(row.values[0]);
    }
    out[threadIdx.x] = all;
  }
  __syncthreads();
  if (warp() == 0) free_columns(base);
}

bool run_clean() { return run(use, 6 * sum, 1, 160); }

const hazard::Program program(__FILE__, run_clean);

}  // namespace
