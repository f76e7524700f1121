// hazard: proxy-fence, bulk-wait, shared-race
// A buffer is cleared by ordinary stores and then filled by a bulk load: two writes of two proxies.
// Without fence.proxy.async the zeros may land on top of the loaded data.
#include "tests/hazards/async/numbers.hpp"
#include "tests/hazards/async/ptx_async.cuh"

namespace {

constexpr int count = 64, loaded = 48;

template <bool fixed>
__global__ void padded_load(const int* in, int* out) {
  __shared__ alignas(128) int tile[count];
  __shared__ std::uint64_t full;
  if (threadIdx.x == 0) {
    ptx::mbarrier_init(&full, 1);
    ptx::fence_mbarrier_init();
  }
  tile[threadIdx.x] = 0;
  if (fixed) ptx::fence_async_shared();
  __syncthreads();
  if (threadIdx.x == 0) {
    ptx::mbarrier_arrive_expect(&full, loaded * sizeof(int));
    ptx::bulk_load(tile, in, loaded * sizeof(int), &full);
  }
  ptx::mbarrier_wait(&full, 0);
  out[threadIdx.x] = tile[threadIdx.x];
}

template <bool fixed>
bool run() {
  const hazard::Array<int> in(hazard::numbers(loaded)), out(count);
  padded_load<fixed><<<1, count>>>(in.get(), out.get());
  hazard::finish();
  return out.holds([](int i) { return i < loaded ? hazard::number(i) : 0; });
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
