// hazard: global-race
// A volatile flag is a relaxed one (PTX: ld.volatile, as ld.relaxed.sys): it is seen, but it does
// not carry the data with it. __threadfence() on both sides does.
#include "tests/hazards/hazard.hpp"

namespace {

template <bool fixed>
__global__ void pass(int* data, volatile int* flag, int* out) {
  if (blockIdx.x == 0) {
    for (int i = 0; i < 8; ++i) data[i] = i * i;
    if constexpr (fixed) __threadfence();
    *flag = 1;
  } else {
    while (*flag == 0) {
    }
    if constexpr (fixed) __threadfence();
    for (int i = 0; i < 8; ++i) out[i] = data[i];
  }
}

template <bool fixed>
bool run() {
  hazard::Array<int> data(8), flag(1), out(8);
  pass<fixed><<<2, 1>>>(data.get(), flag.get(), out.get());
  hazard::finish();
  return out.holds([](int i) { return i * i; });
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
