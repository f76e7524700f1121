// hazard: proxy-fence
// options: --device b200,sms=4
// Scales are put in order by stores and copied by tcgen05.cp, which reads through the async
// proxy.
#include "tests/hazards/tensor_memory/tensor.cuh"

namespace {

using namespace tensor;

template <bool fixed>
__global__ void use(float* out) {
  __shared__ Shared shared;
  const std::uint32_t base = start(shared);
  fill(shared.stage[1], ones);
  if (fixed) fence_for_async();
  __syncthreads();
  if (one()) {
    copy_rows(base, shared.stage[1].a);
    copy_rows(base + 4, shared.stage[1].a);
    commit_done(shared);
  }
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
