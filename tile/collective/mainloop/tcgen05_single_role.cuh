// The main loop of a Blackwell block without roles: the thread that multiplies asks for the next
// tiles itself, as soon as the products that read the buffers before are done.
#pragma once

#include "tile/collective/mainloop/tcgen05_main_loop.cuh"

namespace aisp::tile {

namespace rules {

template <int blocks_of_cluster>
struct Tcgen05OneRole {
  static constexpr bool kept = blocks_of_cluster == 1;
  struct Said {
    static_assert(kept,
                  "where one thread loads and multiplies a block is alone: cta_group 1, no "
                  "cluster");
  };
};

}  // namespace rules

// One stage: the thread waits for its tiles, multiplies, waits for the products and asks anew. With
// more, the copies of the stages ahead are under way during the products.
template <Sm100Config config, class Maps = Sm100Maps<config>>
class Tcgen05SingleRole {
 public:
  static constexpr bool loads_operands = true;
  static_assert(sm100_admitted<config>);
  static_assert(rules::kept<true, rules::AInTmem<config.a_in_tmem, false>,
                            rules::Tcgen05OneRole<config.blocks()>>());

  TILE_DEVICE Tcgen05SingleRole(Sm100Buffers<config>& buffers, const Maps& maps,
                                arch::TmemAddress tmem)
      : buffers_(buffers),
        loader_(buffers, maps, TileCluster{}),
        ring_(buffers.ring, {}),
        tmem_(tmem) {}

  // accumulator = A B over the k-blocks of `tile`, at least one.
  TILE_DEVICE void multiply(arch::TmemAddress accumulator, const BlockTile& tile) {
    BlockTile ahead = tile;
    for (int stage = 0; stage < config.stages; ++stage) ask(ahead);
    for (int k = 0; k < tile.k_count; ++k, ++at_) {
      ring_.wait(at_);  // both tiles have landed
      tcgen05_slot<config>(buffers_, at_.slot, tmem_, accumulator, tile.column, k > 0);
      ring_.release(at_);  // when these products have read them
      if (k >= behind) ask(ahead);
    }
  }

 private:
  // Products under way while the next are issued: they hold a stage.
  static constexpr int behind = config.stages > 1 ? 1 : 0;

  // For the next k-block, where there is one.
  TILE_DEVICE void ask(BlockTile& ahead) {
    if (ahead.k_count > 0) loader_.load({ahead.row, ahead.column, ahead.batch, ahead.k_first, 1});
    ++ahead.k_first;
    --ahead.k_count;
  }

  Sm100Buffers<config>& buffers_;
  Sm100Loader<config, Maps> loader_;
  Sm100OperandRing<config> ring_;
  arch::TmemAddress tmem_;
  RingState<config.stages> at_ = RingState<config.stages>::reader();
};

static_assert(Sm100MainLoop<Tcgen05SingleRole<Sm100Config{}>, Sm100Config{}>);

}  // namespace aisp::tile
