// hazard: global-race
// Block 0 tells block 1, block 1 tells block 2, which reads what block 0 wrote. Causality order is
// transitive only while every link synchronises: here the second one is relaxed.
#include "tests/hazards/hazard.hpp"
#include "tests/hazards/ptx.cuh"

namespace {

template <bool fixed>
__global__ void relay(std::uint32_t* data, std::uint32_t* flags, std::uint32_t* out) {
  if (blockIdx.x == 0) {
    *data = 47;
    ptx::store_release(flags, 1);
  } else if (blockIdx.x == 1) {
    while (ptx::load_acquire(flags) == 0) {
    }
    fixed ? ptx::store_release(flags + 1, 1) : ptx::store_relaxed(flags + 1, 1);
  } else {
    while (ptx::load_acquire(flags + 1) == 0) {
    }
    *out = *data;
  }
}

template <bool fixed>
bool run() {
  hazard::Array<std::uint32_t> data(1), flags(2), out(1);
  relay<fixed><<<3, 1>>>(data.get(), flags.get(), out.get());
  hazard::finish();
  return out.holds([](int) { return 47; });
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
