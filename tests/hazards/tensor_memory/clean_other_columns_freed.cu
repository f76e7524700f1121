// hazard: none
// options: --device b200,sms=4
// One of two allocations is given back; products, loads and stores go on in the other one.
#include "tests/hazards/tensor_memory/tensor.cuh"

namespace {

using namespace tensor;

__global__ void use(float* out) {
  __shared__ Shared shared;
  prepare(shared);
  if (warp() == 0) {
    allocate<1>(shared_address(&shared.second), columns);
    allocate<1>(shared_address(&shared.base), columns);
  }
  __syncthreads();
  const std::uint32_t base = shared.base;
  if (warp() == 0) free_columns(shared.second);
  for (int i = 0; i < n; i += 8) store(base + static_cast<std::uint32_t>(i), __float_as_uint(1));
  wait_stores();
  __syncthreads();
  if (one()) {
    product(base, shared.stage[0], true);
    commit_done(shared);
  }
  wait_done(shared);
  const Row row = load(base);
  wait_loads();
  put(out, row);
  finish(base);
}

bool run_side() { return run(use, sum + 1); }

const hazard::Program program(__FILE__, run_side);

}  // namespace
