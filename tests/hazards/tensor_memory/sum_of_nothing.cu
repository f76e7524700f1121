// hazard: tensor-unwritten
// options: --device b200,sms=4
// The first product of an accumulator adds to what was left in the columns.
#include "tests/hazards/tensor_memory/tensor.cuh"

namespace {

using namespace tensor;

template <bool fixed>
// example begin: tensor-unwritten
__global__ void use(float* out) {
  __shared__ Shared shared;
  const std::uint32_t base = start(shared);
  if (one()) {
    product(base, shared.stage[0], !fixed);
    product(base, shared.stage[0], true);
    commit_done(shared);
  }
  wait_done(shared);
  const Row row = load(base);
  wait_loads();
  put(out, row);
  finish(base);
}
// example end

template <bool fixed>
bool run_side() {
  return run(use<fixed>, 2 * sum);
}

const hazard::Program program(__FILE__, run_side<false>, run_side<true>);

}  // namespace
