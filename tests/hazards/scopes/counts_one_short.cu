// hazard: global-race
// also: counter-fence
// The block that adds up the partial sums takes itself for the last one when one is still missing:
// of that one it has seen nothing.
#include "tests/hazards/hazard.hpp"

namespace {

constexpr int blocks = 6;

template <bool fixed>
__global__ void sum(int* partial, int* counter, int* out) {
  partial[blockIdx.x] = static_cast<int>(blockIdx.x);
  __threadfence();
  if (atomicAdd(counter, 1) != (fixed ? blocks - 1 : blocks - 2)) return;
  if constexpr (fixed) __threadfence();
  int all = 0;
  for (int block = 0; block < blocks; ++block) all += partial[block];
  *out = all;
}

template <bool fixed>
bool run() {
  hazard::Array<int> partial(blocks), counter(1), out(1);
  sum<fixed><<<blocks, 1>>>(partial.get(), counter.get(), out.get());
  hazard::finish();
  return out.holds([](int) { return blocks * (blocks - 1) / 2; });
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
