// hazard: tensor-operand, shared-race
// also: proxy-fence
// options: --device b200,sms=4
// The rows that tcgen05.cp reads from shared memory are written again before its commit was
// waited for.
#include "tests/hazards/tensor_memory/tensor.cuh"

namespace {

using namespace tensor;

template <bool fixed>
__global__ void use(float* out) {
  __shared__ Shared shared;
  const std::uint32_t base = start(shared);
  if (one()) {
    copy_rows(base, shared.stage[0].a);
    copy_rows(base + 4, shared.stage[0].a);
    commit_done(shared);
  }
  __syncthreads();
  if (fixed) wait_done(shared);
  fill(shared.stage[0], 0);
  wait_done(shared);
  const Row row = load(base);
  wait_loads();
  out[threadIdx.x] = row.values[0] == ones ? sum : 0;
  finish(base);
}

template <bool fixed>
bool run_side() {
  return run(use<fixed>, sum);
}

const hazard::Program program(__FILE__, run_side<false>, run_side<true>);

}  // namespace
