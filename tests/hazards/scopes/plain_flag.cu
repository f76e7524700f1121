// hazard: global-race
// Message passing between two blocks with a plain flag: flag and data are weak accesses of
// different threads, unordered, and both race. A release store and an acquire load of the flag, at
// the scope of the GPU, order the two (PTX memory model, 'Release and Acquire Patterns').
#include "tests/hazards/hazard.hpp"
#include "tests/hazards/ptx.cuh"

namespace {

template <bool fixed>
__global__ void pass(std::uint32_t* data, std::uint32_t* flag, std::uint32_t* out) {
  if (blockIdx.x == 0) {
    *data = 42;
    fixed ? ptx::store_release(flag, 1) : ptx::store_weak(flag, 1);
  } else if constexpr (fixed) {
    while (ptx::load_acquire(flag) == 0) {
    }
    *out = *data;
  } else {
    for (int i = 0; i < 100 && ptx::load_weak(flag) == 0; ++i) {  // it may never see the flag
    }
    *out = *data;
  }
}

template <bool fixed>
bool run() {
  hazard::Array<std::uint32_t> data(1), flag(1), out(1);
  pass<fixed><<<2, 1>>>(data.get(), flag.get(), out.get());
  hazard::finish();
  return out.holds([](int) { return 42; });
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
