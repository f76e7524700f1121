// hazard: memory-fault
// The last block has threads beyond the end of the array, and nothing keeps them from writing.
#include "tests/hazards/hazard.hpp"

namespace {

constexpr int count = 200, block = 128;

template <bool fixed>
// example begin: memory-fault
__global__ void scale(int* values, int length) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (fixed && i >= length) return;
  values[i] = 3 * i;
}
// example end

template <bool fixed>
bool run() {
  hazard::Array<int> values(count);
  scale<fixed><<<(count + block - 1) / block, block>>>(values.get(), count);
  hazard::finish();
  return values.holds([](int i) { return 3 * i; });
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
