// Blackwell: every chunk takes a way through tensor memory. No faster copy is expected; it shows
// the whole protocol (allocate, store, load, fences, free) where a mistake is easy to see.
#include <algorithm>

#include "chapters/ch09/common/geometry.hpp"
#include "chapters/ch09/inline_ptx/flip.cuh"
#include "chapters/ch09/inline_ptx/tensor_memory.cuh"
#include "lab/case/registry.hpp"

using namespace aisp;

namespace aisp::ch09 {

inline constexpr int tmem_threads = 128;  // four warps: one for each quarter of the lanes
inline constexpr int tmem_vectors = 4;    // of 16 bytes per thread
inline constexpr int tmem_chunk = tmem_threads * tmem_vectors;  // vectors
inline constexpr int tmem_columns = 32;  // the least that can be allocated; 16 are used

}  // namespace aisp::ch09

extern "C" __global__ void __launch_bounds__(ch09::tmem_threads)
    flip_tensor_memory(const uint4* __restrict__ x, uint4* __restrict__ y, std::int64_t vectors) {
  using namespace ch09;
  __shared__ std::uint32_t address_smem;
  const int warp = static_cast<int>(threadIdx.x) / 32;
  if (warp == 0) {
    ptx::tmem_allocate<tmem_columns>(&address_smem);
    ptx::tmem_relinquish();
  }
  ptx::tmem_fence_before_barrier();
  __syncthreads();
  ptx::tmem_fence_after_barrier();
  const std::uint32_t columns = address_smem;
  const std::uint32_t mine = columns + (static_cast<std::uint32_t>(warp * 32) << 16);

  const std::int64_t chunks = (vectors + tmem_chunk - 1) / tmem_chunk;
  for (std::int64_t chunk = blockIdx.x; chunk < chunks; chunk += gridDim.x) {
    const std::int64_t first = chunk * tmem_chunk + threadIdx.x;
    uint4 held[tmem_vectors], back[tmem_vectors];
#pragma unroll
    for (int j = 0; j < tmem_vectors; ++j) {
      const std::int64_t v = first + j * tmem_threads;
      held[j] = flip(v < vectors ? ptx::load_no_allocate(x + v) : uint4{0, 0, 0, 0});
    }
    ptx::tmem_store(mine, held);
    ptx::tmem_load(mine, back);
#pragma unroll
    for (int j = 0; j < tmem_vectors; ++j) {
      const std::int64_t v = first + j * tmem_threads;
      if (v < vectors) ptx::store_no_allocate(y + v, back[j]);
    }
  }

  ptx::tmem_fence_before_barrier();
  __syncthreads();
  ptx::tmem_fence_after_barrier();
  if (warp == 0) ptx::tmem_free<tmem_columns>(columns);
}

namespace {

using namespace ch09;

lab::Run prepare(lab::Setup& setup) {
  // 16 blocks of 32 columns share the 512 columns of a multiprocessor.
  const std::int64_t blocks = std::int64_t{16} * setup.multiprocessors();
  return [blocks](const lab::Launch& launch) {
    const std::int64_t vectors = vectors_of(launch);
    const auto grid = static_cast<unsigned>(std::min(blocks, divide_up(vectors, tmem_chunk)));
    flip_tensor_memory<<<grid, tmem_threads, 0, launch.stream>>>(launch.in<uint4>(0),
                                                                 launch.out<uint4>(0), vectors);
    lab::check_cuda(cudaGetLastError(), "inline_ptx tensor_memory");
  };
}

const lab::RungEntry entry{
    "ch09:inline_ptx",
    {.name = "tensor_memory",
     .step = 2,
     .builds_on = "no_allocate",
     .idea = "tcgen05.st and tcgen05.ld: a round trip through tensor memory",
     .look_at = "the architecture check in ptx.cuh; allocate and free by the same warp",
     .needs = lab::Needs::sm_100a,
     .peer = false,
     .variants = {},
     .prepare = prepare}};

}  // namespace
