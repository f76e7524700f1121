// hazard: tensor-wait
// options: --device b200,sms=4
// An accumulator is loaded with tcgen05.st and added to before tcgen05.wait::st.
#include "tests/hazards/tensor_memory/tensor.cuh"

namespace {

using namespace tensor;

template <bool fixed>
__global__ void use(float* out) {
  __shared__ Shared shared;
  const std::uint32_t base = start(shared);
  for (int column = 0; column < n; column += 8) store(base + column, 0x41800000u);
  if (fixed) wait_stores();
  __syncthreads();
  if (one()) {
    product(base, shared.stage[0], true);
    commit_done(shared);
  }
  wait_done(shared);
  wait_stores();
  const Row row = load(base);
  wait_loads();
  put(out, row);
  finish(base);
}

template <bool fixed>
bool run_side() {
  return run(use<fixed>, 2 * sum);
}

const hazard::Program program(__FILE__, run_side<false>, run_side<true>);

}  // namespace
