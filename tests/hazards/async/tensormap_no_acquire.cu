// hazard: tensormap-fence
// A tensor map is edited in shared memory and copied to global memory with a release. The thread
// that uses it reads it through the tensormap proxy and needs fence.proxy.tensormap acquire.
#include "tests/hazards/async/numbers.hpp"
#include "tests/hazards/async/ptx_async.cuh"

namespace {

constexpr int count = 32;

template <bool fixed>
// example begin: tensormap-fence
__global__ void redirect(const CUtensorMap* old_map, CUtensorMap* map, const int* in, int* out) {
  __shared__ alignas(128) int draft[32], tile[count];
  __shared__ std::uint64_t full;
  draft[threadIdx.x] = reinterpret_cast<const int*>(old_map)[threadIdx.x];
  __syncwarp();
  if (threadIdx.x == 0) {
    ptx::mbarrier_init(&full, 1);
    ptx::fence_mbarrier_init();
    ptx::tensormap_point_shared(draft, in);
  }
  __syncwarp();
  ptx::tensormap_copy_release(map, draft);
  __syncwarp();
  if (threadIdx.x == 0) {
    if (fixed) ptx::tensormap_acquire(map);
    ptx::mbarrier_arrive_expect(&full, sizeof tile);
    ptx::tensor_load(tile, map, 0, &full);
  }
  __syncwarp();
  ptx::mbarrier_wait(&full, 0);
  out[threadIdx.x] = tile[threadIdx.x];
}
// example end

template <bool fixed>
bool run() {
  const hazard::Array<int> zeros(count), in(hazard::numbers(count)), out(count);
  const hazard::Array<CUtensorMap> old_map({hazard::map_of(zeros.get(), count, count)}), map(1);
  redirect<fixed><<<1, 32>>>(old_map.get(), map.get(), in.get(), out.get());
  hazard::finish();
  return out.holds(hazard::number);
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
