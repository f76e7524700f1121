// hazard: none
// Block 0 points a tensor map in global memory elsewhere and raises a flag; block 1 polls the flag,
// acquires the map at the tensormap proxy and loads through it.
#include "tests/hazards/async/numbers.hpp"
#include "tests/hazards/async/ptx_async.cuh"

namespace {

constexpr int count = 32;

__global__ void redirect(CUtensorMap* map, const int* in, std::uint32_t* flag, int* out) {
  __shared__ alignas(128) int tile[count];
  __shared__ std::uint64_t full;
  if (threadIdx.x == 0) {
    if (blockIdx.x == 0) {
      ptx::tensormap_point_global(map, in);
      ptx::tensormap_release();
      ptx::store_release(flag, 1);
    } else {
      ptx::mbarrier_init(&full, 1);
      ptx::fence_mbarrier_init();
      while (ptx::load_acquire(flag) == 0) {
      }
      ptx::tensormap_acquire(map);
      ptx::mbarrier_arrive_expect(&full, sizeof tile);
      ptx::tensor_load(tile, map, 0, &full);
    }
  }
  if (blockIdx.x == 0) return;
  __syncthreads();
  ptx::mbarrier_wait(&full, 0);
  out[threadIdx.x] = tile[threadIdx.x];
}

bool run() {
  const hazard::Array<int> zeros(count), in(hazard::numbers(count)), out(count);
  const hazard::Array<CUtensorMap> map({hazard::map_of(zeros.get(), count, count)});
  const hazard::Array<std::uint32_t> flag(1);
  redirect<<<2, count>>>(map.get(), in.get(), flag.get(), out.get());
  hazard::finish();
  return out.holds(hazard::number);
}

const hazard::Program program(__FILE__, run);

}  // namespace
