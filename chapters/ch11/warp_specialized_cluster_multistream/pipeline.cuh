// A pipeline of two stages in a cluster of two blocks. The first multiplies from the left and sends
// each tile into the shared memory of the second, which multiplies from the right and stores it.
// Both have a ring of slots, multiply in place, and two warps of couriers beside those that
// multiply:
//
//   first block     loader   brings x into a slot once its last tile has arrived at the second
//                   sender   sends a multiplied tile once the second block has room for it
//   second block    clerk    tells the loader which tiles have arrived
//                   storer   stores a multiplied tile, then tells the sender that there is room
#pragma once

#include "chapters/ch11/common/tile_copies.cuh"
#include "chapters/ch11/warp_specialized_cluster_multistream/stages.hpp"
#include "tile/arch/cluster.cuh"
#include "tile/pipeline/ring_state.hpp"

namespace aisp::ch11 {

inline constexpr int pipeline_slots = 4;
inline constexpr int pipeline_math_warps = math_warps<stage_tile_rows>;
inline constexpr int pipeline_threads = 32 * (pipeline_math_warps + 2);
inline constexpr int pipeline_barrier = 8;  // where all that multiply meet
inline constexpr int first_block = 0, second_block = 1;

using PipelineState = tile::RingState<pipeline_slots>;

// The same in both blocks; `arrived` and `room` are used in the first.
struct PipelineShared {
  SharedMatrix<stage_tile_rows, stage_tile_rows> matrix;
  SharedTile<stage_tile_rows> tile[pipeline_slots];
  tile::arch::MBarrier matrix_full;
  tile::arch::MBarrier full[pipeline_slots];     // the tile to multiply has landed
  tile::arch::MBarrier done[pipeline_slots];     // and is multiplied
  tile::arch::MBarrier arrived[pipeline_slots];  // what was sent from the slot is in the other
  tile::arch::MBarrier room[pipeline_slots];     // the other block's slot is empty
};

// The tiles of a cluster: those from its own number on, `stride` apart.
struct PipelineTiles {
  int first, stride, count;
};

TILE_DEVICE void init_barriers(PipelineShared& shared) {
  using tile::arch::mbarrier_init;
  mbarrier_init(&shared.matrix_full, 1);
  for (int slot = 0; slot < pipeline_slots; ++slot) {
    mbarrier_init(&shared.full[slot], 1);
    mbarrier_init(&shared.done[slot], pipeline_math_warps);
    mbarrier_init(&shared.arrived[slot], 1);
    mbarrier_init(&shared.room[slot], 1);
  }
  tile::arch::fence_mbarrier_init();
}

TILE_DEVICE void bring_matrix(PipelineShared& shared, const CUtensorMap& map) {
  tile::arch::mbarrier_arrive_expect(&shared.matrix_full, shared.matrix.bytes);
  bring(shared.matrix, map, 0, &shared.matrix_full);
}

// Each of the following four is one thread.
TILE_DEVICE void load_tiles(PipelineShared& shared, const TransformMaps& maps,
                            PipelineTiles tiles) {
  using namespace tile::arch;
  bring_matrix(shared, maps.left);
  PipelineState at = PipelineState::writer();
  for (int number = 0; number < tiles.count; ++number, ++at) {
    mbarrier_wait_cluster(&shared.arrived[at.slot], at.phase);
    mbarrier_arrive_expect(&shared.full[at.slot], shared.tile[at.slot].bytes);
    bring(shared.tile[at.slot], maps.x, tiles.first + number * tiles.stride, &shared.full[at.slot]);
  }
}

// A slot into the same slot of the other block, whose barrier counts the bytes.
TILE_DEVICE void send_tile(PipelineShared& shared, int slot) {
  using namespace tile::arch;
  asm volatile(
      "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], %2, "
      "[%3];" ::"r"(remote_shared(shared.tile[slot].data, second_block)),
      "r"(shared_address(shared.tile[slot].data)), "r"(shared.tile[slot].bytes),
      "r"(remote_shared(&shared.full[slot], second_block))
      : "memory");
}
TILE_DEVICE void send_tiles(PipelineShared& shared, int count) {
  using namespace tile::arch;
  PipelineState at = PipelineState::reader(), room = PipelineState::writer();
  for (int number = 0; number < count; ++number, ++at, ++room) {
    mbarrier_wait(&shared.done[at.slot], at.phase);
    mbarrier_wait_cluster(&shared.room[at.slot], room.phase);
    send_tile(shared, at.slot);
  }
}

TILE_DEVICE void confirm_arrivals(PipelineShared& shared, int count) {
  using namespace tile::arch;
  PipelineState at = PipelineState::reader();
  for (int number = 0; number < count; ++number, ++at) {
    mbarrier_wait(&shared.full[at.slot], at.phase);
    mbarrier_arrive_remote(&shared.arrived[at.slot], first_block);
  }
}

// The bytes of a slot's first tile are expected before the blocks meet, those of the next before
// the sender hears of the room.
TILE_DEVICE void expect_tile(PipelineShared& shared, int slot) {
  tile::arch::mbarrier_arrive_expect(&shared.full[slot], shared.tile[slot].bytes);
}
TILE_DEVICE void store_tiles(PipelineShared& shared, const TransformMaps& maps,
                             PipelineTiles tiles) {
  using namespace tile::arch;
  bring_matrix(shared, maps.right);
  PipelineState at = PipelineState::reader();
  for (int number = 0; number < tiles.count; ++number, ++at) {
    mbarrier_wait(&shared.done[at.slot], at.phase);
    take_away(maps.y, shared.tile[at.slot], tiles.first + number * tiles.stride);
    bulk_wait_read<0>();
    if (number + pipeline_slots >= tiles.count) continue;
    expect_tile(shared, at.slot);
    mbarrier_arrive_remote(&shared.room[at.slot], first_block);
  }
}

template <int block>
TILE_DEVICE void multiply_tiles(PipelineShared& shared, int count) {
  using namespace tile::arch;
  mbarrier_wait(&shared.matrix_full, 0);
  PipelineState at = PipelineState::reader();
  for (int number = 0; number < count; ++number, ++at) {
    mbarrier_wait(&shared.full[at.slot], at.phase);
    if constexpr (block == first_block)
      multiply_from_left(shared.matrix, shared.tile[at.slot], pipeline_barrier);
    else
      multiply_from_right(shared.tile[at.slot], shared.matrix);
    hand_over(&shared.done[at.slot]);
  }
}

}  // namespace aisp::ch11
