// The main loop for 8-bit floats whose accumulators must be better than the matrix unit's: it
// aligns products of 8-bit floats and the accumulator so far to few bits, so over a long K the
// accumulator loses what the products hold. Here each k-block has accumulators of its own, which
// ordinary f32 additions collect.
#pragma once

#include "tile/atom/widen.hpp"
#include "tile/collective/mainloop/main_loop.cuh"

namespace aisp::tile {

template <GemmConfig config>
class PromotedAccumulators {
  static constexpr int accumulators_of_thread = config.rows_of_warpgroup() * config.tile_n / 128;

 public:
  static constexpr bool loads_operands = false;
  static_assert(admitted<config>);
  static_assert(is_fp8(config.a) && is_fp8(config.b), "8-bit floats are what needs it");
  static_assert(
      rules::kept<true, rules::StagesAhead<config.stages>, rules::Promotes<config.promote, true>,
                  rules::AccumulatorsFit<3 * accumulators_of_thread, config.math_registers>>());

  TILE_DEVICE PromotedAccumulators(OperandBuffers<config>& buffers, ClusterCoord coord,
                                   int first_row)
      : buffers_(buffers), ring_(buffers.ring, coord), first_row_(first_row) {}

  // The K loop, of at least one k-block. The accumulators of one are collected while the next one's
  // products run, so there are two sets of them.
  TILE_DEVICE void multiply(Accumulators<config>& accumulators, int k_blocks) {
    Accumulators<config> even, odd;  // (MMA_M, (4, BLK_N / 8)) each
    clear(accumulators);
    start(even);
    int started = 1;
    for (; started + 1 < k_blocks; started += 2) {
      start(odd);
      collect<1>(accumulators, even);
      start(even);
      collect<1>(accumulators, odd);
    }
    if (started < k_blocks) {
      start(odd);
      collect<1>(accumulators, even);
      collect<0>(accumulators, odd);
    } else {
      collect<0>(accumulators, even);
    }
  }
  TILE_DEVICE void finish(Accumulators<config>&) {}
  // Over k-blocks that the other warpgroup multiplies.
  TILE_DEVICE void skip(int k_blocks) {
    at_ += k_blocks;
    oldest_ += k_blocks;
  }

 private:
  TILE_DEVICE static void clear(Accumulators<config>& accumulators) {
#pragma unroll
    for (auto& atom : accumulators.of)
#pragma unroll
      for (float& accumulator : atom) accumulator = 0;
  }
  TILE_DEVICE void start(Accumulators<config>& of_block) {
    ring_.wait(at_);
    const char* const a_smem = buffers_.a[at_.slot];  // (BLK_M, BLK_K)
    const char* const b_smem = buffers_.b[at_.slot];  // (BLK_N, BLK_K)
    of_block.keep();
    arch::wgmma_fence();
    multiply_tiles<config>(of_block, a_smem, b_smem, first_row_, false);
    arch::wgmma_commit();
    ++at_;
  }
  // Adds the oldest accumulators under way; those of `younger` k-blocks stay.
  template <int younger>
  TILE_DEVICE void collect(Accumulators<config>& accumulators, Accumulators<config>& of_block) {
    arch::wgmma_wait<younger>();
    of_block.keep();
    ring_.release(oldest_);
    ++oldest_;
#pragma unroll
    for (int m = 0; m < Accumulators<config>::m_atoms; ++m)
#pragma unroll
      for (int i = 0; i < config.tile_n / 2; ++i) accumulators.of[m][i] += of_block.of[m][i];
  }

  OperandBuffers<config>& buffers_;
  OperandRing<config> ring_;
  RingState<config.stages> at_ = RingState<config.stages>::reader(), oldest_ = at_;
  int first_row_;
};

namespace detail {
inline constexpr GemmConfig promoted{
    .a = Element::e4m3, .b = Element::e4m3, .tile_n = 64, .tile_k = 64, .promote = true};
}
static_assert(MainLoop<PromotedAccumulators<detail::promoted>, detail::promoted>);

}  // namespace aisp::tile
