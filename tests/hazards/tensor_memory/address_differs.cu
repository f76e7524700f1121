// hazard: misuse
// options: --device b200,sms=4
// The address of tcgen05.ld is not the same in all lanes.
#include "tests/hazards/tensor_memory/tensor.cuh"

namespace {

using namespace tensor;

template <bool fixed>
// example begin: misuse
__global__ void use(float* out) {
  __shared__ Shared shared;
  const std::uint32_t base = start(shared);
  store(base, 0x41800000u);
  wait_stores();
  Row row;
  load_columns(row.values, quarter(base) + (fixed ? 0 : threadIdx.x % 2));
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
