// TMA, Hopper's unit for copies, moves the data: cp.async.bulk brings 4 KiB chunks to shared
// memory, the block flips them in place, cp.async.bulk takes them back. One thread issues both; a
// ring of four chunks keeps three on their way in while one is worked on.
#include <algorithm>

#include "chapters/ch09/common/geometry.hpp"
#include "chapters/ch09/inline_ptx/flip.cuh"
#include "chapters/ch09/inline_ptx/ptx.cuh"
#include "lab/case/registry.hpp"

using namespace aisp;

namespace aisp::ch09 {

inline constexpr int ring_stages = 4;

struct Ring {
  uint4 chunk[ring_stages][flip_block];
  std::uint64_t full[ring_stages];  // barriers: the chunk has landed
};

// Vectors of chunk `number`; the last one may be short.
__device__ __forceinline__ int chunk_vectors(std::int64_t number, std::int64_t vectors) {
  return static_cast<int>(min(static_cast<long long>(flip_block),
                              static_cast<long long>(vectors - number * flip_block)));
}

// One thread: fills the stage with that chunk, where there is one.
__device__ __forceinline__ void fill(Ring& ring, int stage, const uint4* x, std::int64_t number,
                                     std::int64_t vectors) {
  if (number * flip_block >= vectors) return;
  const unsigned bytes = 16u * static_cast<unsigned>(chunk_vectors(number, vectors));
  ptx::barrier_expect(&ring.full[stage], bytes);
  ptx::bulk_load(ring.chunk[stage], x + number * flip_block, bytes, &ring.full[stage]);
}

}  // namespace aisp::ch09

extern "C" __global__ void __launch_bounds__(ch09::flip_threads)
    flip_bulk_copy(const uint4* x, uint4* y, std::int64_t vectors) {
  using namespace ch09;
  extern __shared__ __align__(128) unsigned char smem[];
  Ring& ring = *reinterpret_cast<Ring*>(smem);
  const bool issuer = threadIdx.x == 0;
  const std::int64_t step = gridDim.x;
  if (issuer) {
    for (int stage = 0; stage < ring_stages; ++stage) ptx::barrier_init(&ring.full[stage], 1);
    ptx::fence_async_proxy();
    for (int stage = 0; stage < ring_stages - 1; ++stage)
      fill(ring, stage, x, blockIdx.x + stage * step, vectors);
  }
  __syncthreads();  // the barriers exist

  int stage = 0;
  unsigned lap = 0;  // parity of the barriers' phase
  for (std::int64_t number = blockIdx.x; number * flip_block < vectors; number += step) {
    const int here = chunk_vectors(number, vectors);
    ptx::barrier_wait(&ring.full[stage], lap);
    const int v = static_cast<int>(threadIdx.x);
    if (v < here) ring.chunk[stage][v] = flip(ring.chunk[stage][v]);
    ptx::fence_async_proxy();
    __syncthreads();  // the whole chunk is flipped
    if (issuer) {
      ptx::bulk_store(y + number * flip_block, ring.chunk[stage],
                      16u * static_cast<unsigned>(here));
      // The stage before this one is free once its store has read it: one group is newer.
      ptx::bulk_wait_read<1>();
      fill(ring, (stage + ring_stages - 1) % ring_stages, x, number + (ring_stages - 1) * step,
           vectors);
    }
    if (++stage == ring_stages) {
      stage = 0;
      lap ^= 1;
    }
  }
  if (issuer) ptx::bulk_wait_all();  // shared memory must outlive the copies
}

namespace {

using namespace ch09;

lab::Run prepare(lab::Setup& setup) {
  lab::check_cuda(cudaFuncSetAttribute(flip_bulk_copy, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                       static_cast<int>(sizeof(Ring))),
                  "inline_ptx bulk_copy");
  // Three rings of 16 KiB: as many bytes on their way in as an H200 needs; more did not help.
  const std::int64_t blocks = std::int64_t{3} * setup.multiprocessors();
  return [blocks](const lab::Launch& launch) {
    const std::int64_t vectors = vectors_of(launch);
    const auto grid = static_cast<unsigned>(std::min(blocks, divide_up(vectors, flip_block)));
    flip_bulk_copy<<<grid, flip_threads, sizeof(Ring), launch.stream>>>(
        launch.in<uint4>(0), launch.out<uint4>(0), vectors);
    lab::check_cuda(cudaGetLastError(), "inline_ptx bulk_copy");
  };
}

const lab::RungEntry entry{
    "ch09:inline_ptx",
    {.name = "bulk_copy",
     .step = 3,
     .builds_on = "no_allocate",
     .idea = "cp.async.bulk in and out, completing on an mbarrier",
     .look_at = "UBLKCP in the machine code; one thread moves 4 KiB at a time",
     .needs = lab::Needs::sm_90,
     .peer = false,
     .variants = {},
     .prepare = prepare}};

}  // namespace
