// hazard: global-race
// The reader acquires, but the writer's flag is a relaxed store with no fence before it: there is
// no release to synchronise with (PTX memory model).
#include "tests/hazards/hazard.hpp"
#include "tests/hazards/ptx.cuh"

namespace {

template <bool fixed>
__global__ void pass(std::uint32_t* data, std::uint32_t* flag, std::uint32_t* out) {
  if (blockIdx.x == 1) {
    *data = 44;
    if constexpr (fixed) ptx::fence_gpu();
    ptx::store_relaxed(flag, 1);
  } else {
    while (ptx::load_acquire(flag) == 0) {
    }
    *out = *data;
  }
}

template <bool fixed>
bool run() {
  hazard::Array<std::uint32_t> data(1), flag(1), out(1);
  pass<fixed><<<2, 1>>>(data.get(), flag.get(), out.get());
  hazard::finish();
  return out.holds([](int) { return 44; });
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
