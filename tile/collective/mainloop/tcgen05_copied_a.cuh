// The main loop with A in tensor memory: each k-block of A is copied there from shared memory, and
// the products read it beside their accumulator. They take less of shared memory's bandwidth, which
// is what narrow tiles are short of. A has columns of its own for every slot of the ring: when a
// slot is full again, the products that read its columns are done.
#pragma once

#include "tile/arch/tcgen05_cp.cuh"
#include "tile/atom/tmem_copy.hpp"
#include "tile/collective/mainloop/tcgen05_main_loop.cuh"

namespace aisp::tile {

namespace rules {

template <int rows, Major a_major, Scaling scaling>
struct CopiedA {
  static constexpr bool kept = rows == 128 && a_major == Major::k && scaling == Scaling::none;
  struct Said {
    static_assert(kept,
                  "A in tensor memory has 128 rows in each block, is contiguous along k and has "
                  "no block scales: tile_m 128, or 256 in a pair, Major::k");
  };
};

}  // namespace rules

template <Sm100Config config>
class Tcgen05CopiedA {
 public:
  static constexpr bool loads_operands = false;
  static_assert(sm100_admitted<config>);
  static_assert(rules::kept<true, rules::AInTmem<config.a_in_tmem, true>,
                            rules::CopiedA<config.block_m(), config.a_major, config.scaling>>());

  TILE_DEVICE Tcgen05CopiedA(Sm100Buffers<config>& buffers, TileCluster at, arch::TmemAddress tmem)
      : buffers_(buffers),
        ring_(buffers.ring, at),
        a_tmem_(arch::tmem_at(tmem, 0, config.tmem().first("a"))) {}

  TILE_DEVICE void multiply(arch::TmemAddress accumulator, const BlockTile& tile) {
    for (int k = 0; k < tile.k_count; ++k, ++at_) {
      ring_.wait(at_);  // both tiles have landed
      const std::uint64_t a = tcgen05_operand<a_tile>(buffers_.a[at_.slot]);  // (BLK_M, BLK_K)
      const std::uint64_t b = tcgen05_operand<b_tile>(buffers_.b[at_.slot]);  // (BLK_N, BLK_K)
      const auto a_tmem = arch::tmem_at(a_tmem_, 0, at_.slot * config.a_columns());
#pragma unroll
      for (int step = 0; step < a_tile.steps(); ++step)
        arch::tmem_copy<shape, config.cta_group>(arch::tmem_at(a_tmem, 0, step * columns),
                                                 a + tcgen05_step<a_tile>(step));
#pragma unroll
      for (int step = 0; step < a_tile.steps(); ++step)
        arch::tcgen05_from_tmem<Atom::kind, config.cta_group>(
            accumulator, arch::tmem_at(a_tmem, 0, step * columns), b + tcgen05_step<b_tile>(step),
            Atom::descriptor(config.a_major, config.b_major), k + step > 0);
      ring_.release(at_);  // when the copies and the products have read them
    }
  }

 private:
  using Atom = Tcgen05Of<config>;
  static constexpr OperandTile a_tile = config.a_tile(), b_tile = config.b_tile();
  static constexpr auto shape = arch::TmemCopyShape::l128x256b;  // the k of one instruction
  static constexpr int columns = SharedToTmem::of(shape).columns();

  Sm100Buffers<config>& buffers_;
  Sm100OperandRing<config> ring_;
  arch::TmemAddress a_tmem_;
  RingState<config.stages> at_ = RingState<config.stages>::reader();
};

}  // namespace aisp::tile
