// hazard: tensor-quarter
// options: --device b200,sms=4
// says: names lanes 32-63
// Every warp names lanes 32 to 63: a warp reaches its own quarter only.
#include "tests/hazards/tensor_memory/tensor.cuh"

namespace {

using namespace tensor;

template <bool fixed>
// example begin: tensor-quarter
__global__ void use(float* out) {
  __shared__ Shared shared;
  const std::uint32_t base = start(shared);
  store(base, 0x41800000u);
  wait_stores();
  Row row;
  load_columns(row.values, base + ((fixed ? warp() : 1) * 32 << 16));
  wait_loads();
  put(out, row);
  finish(base);
}
// example end

template <bool fixed>
bool run_side() {
  return run(use<fixed>, sum);
}

const hazard::Program program(__FILE__, run_side<false>, run_side<true>);

}  // namespace
