// hazard: misuse
// options: --device b200,sms=4
// says: base offset 2
// The pattern begins one line of 128 bytes behind a multiple of its size; the descriptor says two.
#include "tests/hazards/tensor_memory/tensor.cuh"

namespace {

using namespace tensor;

template <bool fixed>
__global__ void use(float* out) {
  __shared__ alignas(1024) uint4 a[128 * 4 + 8], b[n * 4];
  __shared__ Shared shared;
  for (int i = static_cast<int>(threadIdx.x); i < 128 * 4 + 8; i += threads)
    a[i] = make_uint4(ones, ones, ones, ones);
  for (int i = static_cast<int>(threadIdx.x); i < n * 4; i += threads)
    b[i] = make_uint4(ones, ones, ones, ones);
  const std::uint32_t base = start(shared);
  if (one()) {
    multiply<1>(base, swizzled_matrix(a + 8, fixed ? 1 : 2), swizzled_matrix(b, 0), shape, false);
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
