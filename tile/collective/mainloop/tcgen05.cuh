// The main loop of the thread that issues products on Blackwell, operands in shared memory: it
// waits for tiles, multiplies them into an accumulator in tensor memory and promises their slots.
#pragma once

#include "tile/collective/mainloop/tcgen05_main_loop.cuh"

namespace aisp::tile {

template <Sm100Config config>
class Tcgen05Operands {
 public:
  static constexpr bool loads_operands = false;
  static_assert(sm100_admitted<config>);
  static_assert(rules::kept<true, rules::AInTmem<config.a_in_tmem, false>>());

  TILE_DEVICE Tcgen05Operands(Sm100Buffers<config>& buffers, TileCluster at, arch::TmemAddress tmem)
      : buffers_(buffers), ring_(buffers.ring, at), tmem_(tmem) {}

  // The K loop, of at least one k-block: accumulator = A B. It ends with its products under way.
  TILE_DEVICE void multiply(arch::TmemAddress accumulator, const BlockTile& tile) {
    for (int k = 0; k < tile.k_count; ++k, ++at_) {
      ring_.wait(at_);  // both tiles have landed
      tcgen05_slot<config>(buffers_, at_.slot, tmem_, accumulator, tile.column, k > 0);
      ring_.release(at_);  // when these products have read them
    }
  }

 private:
  Sm100Buffers<config>& buffers_;
  Sm100OperandRing<config> ring_;
  arch::TmemAddress tmem_;
  RingState<config.stages> at_ = RingState<config.stages>::reader();
};

static_assert(Sm100MainLoop<Tcgen05Operands<Sm100Config{}>, Sm100Config{}>);

}  // namespace aisp::tile
