// hazard: mbarrier-init-lanes
// All lanes of a warp initialise one mbarrier, with one instruction and one count, where one lane
// should.
#include "tests/hazards/async/numbers.hpp"
#include "tests/hazards/async/ptx_async.cuh"

namespace {

constexpr int count = 64, bars = 2;

template <bool fixed>
// example begin: mbarrier-init-lanes
__global__ void load_tiles(const int* in, int* out) {
  __shared__ alignas(128) int tiles[bars][count];
  __shared__ std::uint64_t full[bars];
  const int thread = static_cast<int>(threadIdx.x);
  if (fixed ? thread == 0 : thread < 32) {
    for (int i = 0; i < bars; ++i) ptx::mbarrier_init(&full[i], 1);
    ptx::fence_mbarrier_init();
  }
  __syncthreads();
  if (thread == 0)
    for (int i = 0; i < bars; ++i) {
      ptx::mbarrier_arrive_expect(&full[i], sizeof tiles[i]);
      ptx::bulk_load(tiles[i], in + i * count, sizeof tiles[i], &full[i]);
    }
  for (int i = 0; i < bars; ++i) {
    ptx::mbarrier_wait(&full[i], 0);
    out[i * count + thread] = tiles[i][thread];
  }
}
// example end

template <bool fixed>
bool run() {
  const hazard::Array<int> in(hazard::numbers(bars * count)), out(bars * count);
  load_tiles<fixed><<<1, count>>>(in.get(), out.get());
  hazard::finish();
  return out.holds(hazard::number);
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
