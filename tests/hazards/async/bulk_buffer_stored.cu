// hazard: bulk-wait, shared-race, proxy-fence
// The end of a tile is set to zero by ordinary stores while the load of the whole tile is under
// way: which of the two writes lands last is open until the mbarrier's phase has ended.
#include "tests/hazards/async/numbers.hpp"
#include "tests/hazards/async/ptx_async.cuh"

namespace {

constexpr int count = 64, valid = 50;

template <bool fixed>
__global__ void load_edge(const int* in, int* out) {
  __shared__ alignas(128) int tile[count];
  __shared__ std::uint64_t full;
  if (threadIdx.x == 0) {
    ptx::mbarrier_init(&full, 1);
    ptx::fence_mbarrier_init();
    ptx::mbarrier_arrive_expect(&full, sizeof tile);
    ptx::bulk_load(tile, in, sizeof tile, &full);
  }
  __syncthreads();
  if (fixed) ptx::mbarrier_wait(&full, 0);
  if (threadIdx.x >= valid) tile[threadIdx.x] = 0;
  if (!fixed) ptx::mbarrier_wait(&full, 0);
  __syncthreads();
  out[threadIdx.x] = tile[threadIdx.x];
}

template <bool fixed>
bool run() {
  const hazard::Array<int> in(hazard::numbers(count)), out(count);
  load_edge<fixed><<<1, count>>>(in.get(), out.get());
  hazard::finish();
  return out.holds([](int i) { return i < valid ? hazard::number(i) : 0; });
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
