// The main loop of a block without roles: one of the threads that multiply asks for the next tiles,
// as soon as the products that read the buffers before are done.
#pragma once

#include "tile/collective/mainloop/wgmma_main_loop.cuh"

namespace aisp::tile {

namespace rules {

template <int math_warpgroups, Roles roles, int blocks_of_cluster>
struct OneRole {
  static_assert(roles == Roles::cooperative && blocks_of_cluster == 1,
                "where all warpgroups load and multiply they share a tile, and a block is alone: "
                "Roles::cooperative, no cluster");
};

}  // namespace rules

// One stage: the block waits for its tiles, multiplies, waits for the products and asks anew. With
// more, the copies of the stages ahead are under way during the products.
template <Sm90Config config, class Maps = BatchMaps>
class WgmmaSingleRole {
 public:
  static constexpr bool loads_operands = true;
  static_assert(admitted<config>);
  static_assert(rules::kept<true, rules::EqualWidths<config.a, config.b>,
                            rules::Promotes<config.promote, false>>());
  static_assert(sizeof(rules::OneRole<config.math_warpgroups, config.roles, config.blocks()>) > 0);

  TILE_DEVICE WgmmaSingleRole(Sm90Buffers<config>& buffers, const Maps& maps, int first_row)
      : buffers_(buffers),
        loader_(buffers, maps, ClusterCoord{}),
        ring_(buffers.ring, ClusterCoord{}),
        first_row_(first_row) {}

  // accumulators = A B over the k-blocks of `tile`, at least one.
  TILE_DEVICE void multiply(Accumulators<config>& accumulators, const BlockTile& tile) {
    BlockTile ahead = tile;
    for (int stage = 0; stage < config.stages; ++stage) ask(ahead);
    accumulators.keep();
    for (int k = 0; k < tile.k_count; ++k, ++at_) {
      ring_.wait(at_);                                  // both tiles have landed
      const char* const a_smem = buffers_.a[at_.slot];  // (BLK_M, BLK_K)
      const char* const b_smem = buffers_.b[at_.slot];  // (BLK_N, BLK_K)
      arch::wgmma_fence();
      multiply_tiles<config>(accumulators, a_smem, b_smem, first_row_, k > 0);
      arch::wgmma_commit();
      arch::wgmma_wait<behind>();
      if (k < behind) continue;
      ring_.release(done_);
      ++done_;
      ask(ahead);
    }
    arch::wgmma_wait<0>();
    accumulators.keep();
    if constexpr (behind > 0) {
      ring_.release(done_);
      ++done_;
    }
  }

 private:
  // Products under way while the next are issued: they hold a stage.
  static constexpr int behind = config.stages > 1 ? 1 : 0;

  // For the next k-block, where there is one.
  TILE_DEVICE void ask(BlockTile& ahead) {
    if (threadIdx.x == 0 && ahead.k_count > 0)
      loader_.load({ahead.row, ahead.column, ahead.batch, ahead.k_first, 1});
    ++ahead.k_first;
    --ahead.k_count;
  }

  Sm90Buffers<config>& buffers_;
  Sm90Loader<config, Maps> loader_;
  Sm90OperandRing<config> ring_;
  RingState<config.stages> at_ = RingState<config.stages>::reader(), done_ = at_;
  int first_row_;
};

static_assert(MainLoop<WgmmaSingleRole<Sm90Config{}>, Sm90Config{}>);

}  // namespace aisp::tile
