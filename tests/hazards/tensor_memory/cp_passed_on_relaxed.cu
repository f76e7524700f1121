// hazard: tensor-fence-block
// options: --device b200,sms=4
// tcgen05.cp of one thread and tcgen05.mma of another run in order when the fences stand beside
// the relaxed mbarrier that passes the word.
#include "tests/hazards/tensor_memory/tensor.cuh"

namespace {

using namespace tensor;

template <bool fixed>
__global__ void use(float* out) {
  __shared__ Shared shared;
  const std::uint32_t base = start(shared, 1), a = base + other;
  if (one()) {
    copy_rows(a, shared.stage[0].a);
    copy_rows(a + 4, shared.stage[0].a);
    if (fixed) before_sync();
    arrive_relaxed(shared);
  }
  if (threadIdx.x == 32) {
    wait_relaxed(shared.token);
    if (fixed) after_sync();
    product_of(base, a, shared.stage[0]);
    commit_done(shared);
  }
  wait_done(shared);
  const Row row = load(base);
  wait_loads();
  put(out, row);
  __syncthreads();
  if (one()) commit_done(shared);
  wait_done(shared, 1);
  finish(base);
}

template <bool fixed>
bool run_side() {
  return run(use<fixed>, sum);
}

const hazard::Program program(__FILE__, run_side<false>, run_side<true>);

}  // namespace
