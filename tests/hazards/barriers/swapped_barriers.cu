// hazard: shared-race
// One producer fills two buffers, each with a barrier and a consumer of its own, and arrives at the
// two barriers in the wrong order: the second consumer is let in before its buffer is written.
#include "tests/hazards/hazard.hpp"
#include "tests/hazards/ptx.cuh"

namespace {

template <bool fixed>
__global__ void fill_two(int* out) {
  __shared__ int buffer[2][32];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  if (warp == 2) {
    buffer[0][lane] = lane;
    ptx::bar_arrive(fixed ? 1 : 2, 64);
    buffer[1][lane] = 100 + lane;
    ptx::bar_arrive(fixed ? 2 : 1, 64);
  } else {
    ptx::bar_sync(1 + warp, 64);
    out[warp * 32 + lane] = buffer[warp][31 - lane];
  }
}

template <bool fixed>
bool run() {
  hazard::Array<int> out(64);
  fill_two<fixed><<<1, 96>>>(out.get());
  hazard::finish();
  return out.holds([](int i) { return i / 32 * 100 + 31 - i % 32; });
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
