// Bulk copies in a ring of stages by cuda::ptx: a producer warp waits for empty stages and
// announces bytes, consumers add two inputs and write the sum back by bulk stores.
#include <cuda/ptx>
#include <cuda/std/utility>

#include <cstdint>

#include "check.hpp"

namespace {

namespace ptx = cuda::ptx;
constexpr int stages = 3, tile = 512, consumers = 128;

struct Ring {
  alignas(128) float a[stages][tile], b[stages][tile], out[stages][tile];
  std::uint64_t full[stages], empty[stages];
};

__global__ void __launch_bounds__(consumers + 32)
    add(const float* a, const float* b, float* out, int tiles) {
  constexpr std::uint32_t tile_bytes = tile * sizeof(float);  // taken by reference below
  __shared__ Ring ring;
  if (threadIdx.x == 0) {
    for (int i = 0; i < stages; ++i) {
      ptx::mbarrier_init(&ring.full[i], 1);
      ptx::mbarrier_init(&ring.empty[i], consumers);
    }
    ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
  }
  __syncthreads();
  if (threadIdx.x >= consumers) {
    if (threadIdx.x > consumers) return;  // one thread issues
    for (int turn = 0, at = blockIdx.x; at < tiles; ++turn, at += gridDim.x) {
      const int stage = turn % stages;
      const std::uint32_t parity = turn / stages % 2 ^ 1;
      while (!ptx::mbarrier_try_wait_parity(&ring.empty[stage], parity)) {
      }
      ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared,
                                     &ring.full[stage], 2 * tile_bytes);
      ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, ring.a[stage], a + at * tile,
                         tile_bytes, &ring.full[stage]);
      ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, ring.b[stage], b + at * tile,
                         tile_bytes, &ring.full[stage]);
    }
    return;
  }
  for (int turn = 0, at = blockIdx.x; at < tiles; ++turn, at += gridDim.x) {
    const int stage = turn % stages;
    const std::uint32_t parity = turn / stages % 2;
    while (!ptx::mbarrier_try_wait_parity(&ring.full[stage], parity)) {
    }
    // The store that read this buffer `stages` turns ago must have read it.
    if (threadIdx.x == 0) ptx::cp_async_bulk_wait_group_read(ptx::n32_t<stages - 1>());
    asm volatile("bar.sync 1, %0;" ::"n"(consumers) : "memory");
    for (int i = threadIdx.x; i < tile; i += consumers)
      ring.out[stage][i] = ring.a[stage][i] + ring.b[stage][i];
    ptx::mbarrier_arrive(&ring.empty[stage]);
    ptx::fence_proxy_async(ptx::space_shared);
    asm volatile("bar.sync 1, %0;" ::"n"(consumers) : "memory");
    if (threadIdx.x == 0) {
      ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, out + at * tile, ring.out[stage],
                         tile_bytes);
      ptx::cp_async_bulk_commit_group();
    }
  }
  if (threadIdx.x == 0) ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
}

}  // namespace

int main() {
  constexpr int tiles = 17;
  const auto a = reals(tiles * tile, 1), b = reals(tiles * tile, 2);
  const OnDevice<float> device_a(a), device_b(b), out(a.size());
  add<<<3, consumers + 32>>>(device_a.get(), device_b.get(), out.get(), tiles);
  finish();
  std::vector<float> want;
  for (std::size_t i = 0; i < a.size(); ++i) want.push_back(a[i] + b[i]);
  expect_equal(out.fetch(), want, "sums");
  return passed();
}
