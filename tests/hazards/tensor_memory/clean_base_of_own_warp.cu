// hazard: none
// options: --device b200,sms=4
// The word that tcgen05.alloc writes is a store of all lanes of its warp: each of them reads it at
// once, and each of them may tell others.
#include "tests/hazards/tensor_memory/tensor.cuh"

namespace {

using namespace tensor;

__global__ void use(float* out) {
  __shared__ Shared shared;
  prepare(shared, 1);
  __syncthreads();
  if (warp() == 0) {
    allocate<1>(shared_address(&shared.base), columns);
    const std::uint32_t base = shared.base;
    if (threadIdx.x == 5) arrive_token(shared);
    store(base, ones);
    wait_stores();
    free_columns(base);
  } else {
    wait_token(shared);
    if (shared.base != 0) out[threadIdx.x] = 1;
  }
  out[threadIdx.x] += sum;
}

bool run_side() { return run(use, sum); }

const hazard::Program program(__FILE__, run_side);

}  // namespace
