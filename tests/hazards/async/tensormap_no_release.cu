// hazard: tensormap-fence
// A tensor map is edited in global memory, where tensormap.replace is an ordinary write. The user's
// acquire needs a fence.proxy.tensormap release between the edit and the barrier.
#include "tests/hazards/async/numbers.hpp"
#include "tests/hazards/async/ptx_async.cuh"

namespace {

constexpr int count = 32;

template <bool fixed>
__global__ void redirect(CUtensorMap* map, const int* in, int* out) {
  __shared__ alignas(128) int tile[count];
  __shared__ std::uint64_t full;
  if (threadIdx.x == 32) {
    ptx::tensormap_point_global(map, in);
    if (fixed) ptx::tensormap_release();
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    ptx::mbarrier_init(&full, 1);
    ptx::fence_mbarrier_init();
    ptx::tensormap_acquire(map);
    ptx::mbarrier_arrive_expect(&full, sizeof tile);
    ptx::tensor_load(tile, map, 0, &full);
  }
  __syncthreads();
  ptx::mbarrier_wait(&full, 0);
  if (threadIdx.x < count) out[threadIdx.x] = tile[threadIdx.x];
}

template <bool fixed>
bool run() {
  const hazard::Array<int> zeros(count), in(hazard::numbers(count)), out(count);
  const hazard::Array<CUtensorMap> map({hazard::map_of(zeros.get(), count, count)});
  redirect<fixed><<<1, 64>>>(map.get(), in.get(), out.get());
  hazard::finish();
  return out.holds(hazard::number);
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
