// hazard: mbarrier-init-lanes
// Even lanes initialise one mbarrier and odd lanes another, with one instruction; a lane goes on
// without __syncwarp, as it has executed the initialisation itself.
#include "tests/hazards/async/numbers.hpp"
#include "tests/hazards/async/ptx_async.cuh"

namespace {

constexpr int count = 32;

template <bool fixed>
__global__ void load_tiles(const int* in, int* out) {
  __shared__ alignas(128) int tiles[2][count];
  __shared__ std::uint64_t full[2];
  const int lane = static_cast<int>(threadIdx.x);
  if (!fixed || lane < 2) {
    ptx::mbarrier_init(&full[lane % 2], 1);
    ptx::fence_mbarrier_init();
  }
  if (lane < 2) {
    ptx::mbarrier_arrive_expect(&full[lane], sizeof tiles[lane]);
    ptx::bulk_load(tiles[lane], in + lane * count, sizeof tiles[lane], &full[lane]);
  }
  __syncwarp();
  for (int i = 0; i < 2; ++i) {
    ptx::mbarrier_wait(&full[i], 0);
    out[i * count + lane] = tiles[i][lane];
  }
}

template <bool fixed>
bool run() {
  const hazard::Array<int> in(hazard::numbers(2 * count)), out(2 * count);
  load_tiles<fixed><<<1, count>>>(in.get(), out.get());
  hazard::finish();
  return out.holds(hazard::number);
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
