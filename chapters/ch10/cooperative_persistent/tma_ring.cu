// The same walk with TMA: one thread of a block has tiles brought to a ring of four slots in shared
// memory, so three of them are always on their way, whatever the warps do.
#include "chapters/ch10/cooperative_persistent/bulk.cuh"
#include "chapters/ch10/cooperative_persistent/launch.hpp"
#include "chapters/ch10/cooperative_persistent/meeting.cuh"
#include "chapters/ch10/cooperative_persistent/smoothing.cuh"
#include "lab/case/registry.hpp"
#include "tile/pipeline/tma_block_ring.cuh"

using namespace aisp;

namespace aisp::ch10 {

inline constexpr int ring_stages = 4;
using Ring = tile::TmaBlockRing<ring_stages>;

// A tile with a vector on either side; those outside the array are not filled and not read.
struct RingSlots {
  float4 tile[ring_stages][tile_vectors + 2];
};

// One thread: asks for a tile and its neighbours.
TILE_DEVICE void fetch_tile(Ring& ring, RingSlots& slots, const float4* from, int tile,
                            int vectors) {
  const int first = tile * tile_vectors - 1;
  const int begin = max(first, 0), end = min(first + tile_vectors + 2, vectors);
  const int bytes = (end - begin) * static_cast<int>(sizeof(float4));
  bulk_load(&slots.tile[ring.acquire()][begin - first], from + begin, bytes, ring.expect(bytes));
}

TILE_DEVICE void smooth_slot(const float4* slot, float4* to, int tile, int vectors) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll
  for (int j = 0; j < vectors_per_thread; ++j) {
    const int at = static_cast<int>(threadIdx.x) + j * smooth_threads;
    const int index = tile * tile_vectors + at;
    const float4 v = index < vectors ? slot[at + 1] : float4{};
    const bool before = lane == 0 && index > 0 && index < vectors;
    const bool after = lane == 31 && index + 1 < vectors;
    const float4 result = smooth_in_warp(before ? floats_before(slot, at + 1) : float2{}, v,
                                         after ? floats_after(slot, at + 1) : float2{});
    if (index < vectors) to[index] = result;
  }
}

TILE_DEVICE void smooth_by_ring(RingSlots& slots, const Arrays& arrays, int vectors, int steps,
                                Board& board) {
  __shared__ Ring::Barriers barriers;
  Ring ring(barriers);
  const int tiles = (vectors - 1) / tile_vectors + 1, stride = static_cast<int>(gridDim.x);
  for (int step = 0; step < steps; ++step) {
    if (step > 0) {
      meet(board, step);
      if (threadIdx.x == 0) fence_async_global();
    }
    const float4* from = arrays.from(step, steps);
    int next = static_cast<int>(blockIdx.x);
    const auto fetch = [&] {
      if (next < tiles) {
        if (threadIdx.x == 0) fetch_tile(ring, slots, from, next, vectors);
        ring.commit();
      }
      next += stride;
    };
    for (int slot = 0; slot < ring_stages - 1; ++slot) fetch();
    for (int tile = static_cast<int>(blockIdx.x); tile < tiles; tile += stride) {
      const int slot = ring.wait();
      fetch();  // into the slot that everybody has left
      smooth_slot(slots.tile[slot], arrays.to(step, steps), tile, vectors);
      ring.release();
    }
  }
  leave(board);
}

}  // namespace aisp::ch10

extern "C" __global__ void __launch_bounds__(ch10::smooth_threads)
    smoothing_tma_ring(ch10::Arrays arrays, int vectors, int steps, ch10::Board* board) {
  extern __shared__ __align__(128) unsigned char smem[];
  if constexpr (ch10::has_bulk_copies)
    ch10::smooth_by_ring(*reinterpret_cast<ch10::RingSlots*>(smem), arrays, vectors, steps, *board);
  else
    __trap();
}

namespace {

using namespace ch10;

lab::Run prepare(lab::Setup& setup) {
  constexpr int smem_bytes = sizeof(RingSlots);
  const int most = resident_blocks(setup, reinterpret_cast<const void*>(smoothing_tma_ring),
                                   smem_bytes, "tma_ring");
  float4* spare = spare_array(setup);
  auto* board = zeroed<Board>(setup);
  return [=](const lab::Launch& launch) {
    const int vectors = vectors_of(launch.problem);
    launch_cooperative(smoothing_tma_ring, std::min(most, tiles_of(vectors)), smem_bytes,
                       launch.stream, "cooperative_persistent tma_ring",
                       Arrays{launch.in<float4>(0), spare, launch.out<float4>(0)}, vectors,
                       steps_of(launch.problem), board);
  };
}

const lab::RungEntry entry{
    "ch10:cooperative_persistent",
    {.name = "tma_ring",
     .step = 2,
     .builds_on = "one_launch",
     .idea = "bulk copies bring tiles to a ring of four slots",
     .look_at = "UBLKCP by one thread; the ring is empty after every meeting",
     .needs = lab::Needs::sm_90,
     .peer = false,
     .variants = {},
     .prepare = prepare}};

}  // namespace
