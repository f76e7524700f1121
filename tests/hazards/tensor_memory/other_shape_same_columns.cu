// hazard: tensor-pipeline
// options: --device b200,sms=4
// A narrower product into columns that a wider one is still adding to: another shape is
// another, independent product.
#include "tests/hazards/tensor_memory/tensor.cuh"

namespace {

using namespace tensor;

template <bool fixed>
// example begin: tensor-pipeline
__global__ void use(float* out) {
  __shared__ Shared shared;
  const std::uint32_t base = start(shared, 1);
  if (one()) {
    product(base, shared.stage[0]);
    if (fixed) {
      commit<1>(shared_address(&shared.token));
      wait_token(shared);
    }
    multiply<1>(base, matrix(shared.stage[0].a, 128), matrix(shared.stage[0].b, 16),
                bf16_product(128, 16), true);
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
