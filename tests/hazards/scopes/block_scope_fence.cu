// hazard: global-race
// The flag has the scope of the GPU, but the fences around it are __threadfence_block(): they order
// for threads of the own block only, and the reader is in another.
#include "tests/hazards/hazard.hpp"
#include "tests/hazards/ptx.cuh"

namespace {

template <bool fixed>
__global__ void pass(std::uint32_t* data, std::uint32_t* flag, std::uint32_t* out) {
  if (blockIdx.x == 0) {
    *data = 46;
    fixed ? __threadfence() : __threadfence_block();
    ptx::store_relaxed(flag, 1);
  } else {
    while (ptx::load_relaxed(flag) == 0) {
    }
    fixed ? __threadfence() : __threadfence_block();
    *out = *data;
  }
}

template <bool fixed>
bool run() {
  hazard::Array<std::uint32_t> data(1), flag(1), out(1);
  pass<fixed><<<2, 1>>>(data.get(), flag.get(), out.get());
  hazard::finish();
  return out.holds([](int) { return 46; });
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
