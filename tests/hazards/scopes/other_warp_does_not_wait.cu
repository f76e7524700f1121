// hazard: global-race
// also: counter-fence
// Thread 0 polls the counter; the other warp of its block reads the data without having met it.
#include "tests/hazards/hazard.hpp"
#include "tests/hazards/ptx.cuh"

namespace {

template <bool fixed>
__global__ void pass(std::uint32_t* data, std::uint32_t* flag, std::uint32_t* out) {
  if (blockIdx.x == 0) {
    if (threadIdx.x != 0) return;
    *data = 44;
    ptx::fence_gpu();
    ptx::store_relaxed(flag, 1);
    return;
  }
  if (threadIdx.x == 0) {
    while (ptx::load_relaxed(flag) == 0) {
    }
    if constexpr (fixed) ptx::fence_gpu();
  }
  if constexpr (fixed) __syncthreads();
  if (threadIdx.x == 32) *out = *data;
}

template <bool fixed>
bool run() {
  hazard::Array<std::uint32_t> data(1), flag(1), out(1);
  pass<fixed><<<2, 64>>>(data.get(), flag.get(), out.get());
  hazard::finish();
  return out.holds([](int) { return 44; });
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
