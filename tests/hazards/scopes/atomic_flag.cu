// hazard: global-race
// atomicExch() and atomicAdd() are relaxed (programming guide, 'Atomic Functions'): they neither
// release nor acquire. With __threadfence() before and after, the data is ordered too.
#include "tests/hazards/hazard.hpp"

namespace {

template <bool fixed>
__global__ void pass(int* data, int* flag, int* out) {
  if (blockIdx.x == 1) {
    *data = 17;
    if constexpr (fixed) __threadfence();
    atomicExch(flag, 1);
  } else {
    while (atomicAdd(flag, 0) == 0) {
    }
    if constexpr (fixed) __threadfence();
    *out = *data;
  }
}

template <bool fixed>
bool run() {
  hazard::Array<int> data(1), flag(1), out(1);
  pass<fixed><<<2, 1>>>(data.get(), flag.get(), out.get());
  hazard::finish();
  return out.holds([](int) { return 17; });
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
