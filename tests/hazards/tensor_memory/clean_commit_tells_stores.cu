// hazard: none
// options: --device b200,sms=4
// tcgen05.commit is a tcgen05.fence::before_thread_sync as well: who has waited for it may use
// what the committing warp has stored and waited for.
#include "tests/hazards/tensor_memory/tensor.cuh"

namespace {

using namespace tensor;

__global__ void use(float* out) {
  __shared__ Shared shared;
  const std::uint32_t base = start(shared), stored = base + other;
  if (warp() == 0) {
    store(stored, 0x41800000u);
    wait_stores();
    if (one()) {
      product(base, shared.stage[0]);
      commit_done(shared);
    }
  }
  wait_done(shared);
  Row row;
  if (warp() == 4) {  // which reaches the first quarter, too
    load_columns(row.values, stored);
    wait_loads();
    out[threadIdx.x % 32] = __uint_as_float(row.values[0]);
  } else if (warp() != 0) {
    row = load(base);
    wait_loads();
    put(out, row);
  }
  __syncthreads();
  if (warp() == 0) free_columns(base);
}

bool run_clean() { return run(use, sum, 1, 160); }

const hazard::Program program(__FILE__, run_clean);

}  // namespace
