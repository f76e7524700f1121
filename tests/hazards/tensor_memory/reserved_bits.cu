// hazard: misuse
// options: --device b200,sms=4
// A reserved bit of the instruction descriptor is set.
#include "tests/hazards/tensor_memory/tensor.cuh"

namespace {

using namespace tensor;

template <bool fixed>
__global__ void use(float* out) {
  __shared__ Shared shared;
  const std::uint32_t base = start(shared);
  if (one()) {
    multiply<1>(base, matrix(shared.stage[0].a, 128), matrix(shared.stage[0].b, n),
                shape | (fixed ? 0 : 1u << 6), false);
    commit_done(shared);
  }
  wait_done(shared);
  const Row row = load(base);
  wait_loads();
  put(out, row);
  finish(base);
}

template <bool fixed>
bool run_side() {
  return run(use<fixed>, sum);
}

const hazard::Program program(__FILE__, run_side<false>, run_side<true>);

}  // namespace
