// hazard: misuse
// options: --device b200,sms=4
// The descriptor is one of wgmma: bits 46 to 48 are not 1.
#include "tests/hazards/tensor_memory/tensor.cuh"

namespace {

using namespace tensor;

template <bool fixed>
__global__ void use(float* out) {
  __shared__ Shared shared;
  const std::uint32_t base = start(shared);
  if (one()) {
    const std::uint64_t version = fixed ? 0 : std::uint64_t{1} << 46;
    multiply<1>(base, matrix(shared.stage[0].a, 128) ^ version, matrix(shared.stage[0].b, n), shape,
                false);
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
