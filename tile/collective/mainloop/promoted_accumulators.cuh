// The main loop for 8-bit floats whose accumulators must be better than the matrix unit's: it
// aligns products of 8-bit floats and the accumulator so far to few bits, so over a long K the
// accumulator loses what the products hold. Here each k-block has accumulators of its own, which
// ordinary f32 additions collect.
#pragma once

#include "tile/collective/mainloop/blocks_apart.cuh"

namespace aisp::tile {

template <Sm90Config config>
class PromotedAccumulators {
 public:
  static constexpr bool loads_operands = false;
  static_assert(is_fp8(config.a) && is_fp8(config.b), "8-bit floats are what needs it");

  TILE_DEVICE PromotedAccumulators(Sm90Buffers<config>& buffers, ClusterCoord coord, int first_row)
      : blocks_(buffers, coord, first_row) {}

  // The K loop, of at least one k-block. The accumulators of one are collected while the next one's
  // products run, so there are two sets of them.
  TILE_DEVICE void multiply(Accumulators<config>& accumulators, int k_blocks) {
    Accumulators<config> even, odd;  // (MMA_M, (4, BLK_N / 8)) each
    BlocksApart<config>::clear(accumulators);
    blocks_.start(even);
    int started = 1;
    for (; started + 1 < k_blocks; started += 2) {
      blocks_.start(odd);
      collect<1>(accumulators, even);
      blocks_.start(even);
      collect<1>(accumulators, odd);
    }
    if (started < k_blocks) {
      blocks_.start(odd);
      collect<1>(accumulators, even);
      collect<0>(accumulators, odd);
    } else {
      collect<0>(accumulators, even);
    }
  }
  TILE_DEVICE void finish(Accumulators<config>&) {}
  TILE_DEVICE void skip(int k_blocks) { blocks_.skip(k_blocks); }

 private:
  template <int younger>
  TILE_DEVICE void collect(Accumulators<config>& accumulators, Accumulators<config>& of_block) {
    blocks_.template end<younger>(of_block);
#pragma unroll
    for (int m = 0; m < Accumulators<config>::m_atoms; ++m)
#pragma unroll
      for (int i = 0; i < config.tile_n / 2; ++i) accumulators.of[m][i] += of_block.of[m][i];
  }

  BlocksApart<config> blocks_;
};

namespace detail {
inline constexpr Sm90Config promoted{
    .a = Element::e4m3, .b = Element::e4m3, .tile_n = 64, .tile_k = 64, .promote = true};
}
static_assert(MainLoop<PromotedAccumulators<detail::promoted>, detail::promoted>);

}  // namespace aisp::tile
