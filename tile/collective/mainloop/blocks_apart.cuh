// K-blocks whose accumulators stay apart: who collects them starts one's products while those of
// the one before are still under way.
#pragma once

#include "tile/atom/widen.hpp"
#include "tile/collective/mainloop/wgmma_main_loop.cuh"

namespace aisp::tile {

template <Sm90Config config>
class BlocksApart {
 public:
  static_assert(admitted<config>);
  // One set that collects, two that products are under way for.
  static constexpr int accumulators_of_thread =
      3 * config.rows_of_warpgroup() * config.tile_n / 128;
  static_assert(
      rules::kept<true, rules::StagesAhead<config.stages>, rules::Promotes<config.promote, true>,
                  rules::AccumulatorsFit<accumulators_of_thread, config.math_registers>>());

  TILE_DEVICE BlocksApart(Sm90Buffers<config>& buffers, ClusterCoord coord, int first_row)
      : buffers_(buffers), ring_(buffers.ring, coord), first_row_(first_row) {}

  TILE_DEVICE int first_row() const { return first_row_; }

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
  // The oldest block under way is complete; those of `younger` k-blocks stay.
  template <int younger>
  TILE_DEVICE void end(Accumulators<config>& of_block) {
    arch::wgmma_wait<younger>();
    of_block.keep();
    ring_.release(oldest_);
    ++oldest_;
  }
  // Over k-blocks that the other warpgroup multiplies.
  TILE_DEVICE void skip(int k_blocks) {
    at_ += k_blocks;
    oldest_ += k_blocks;
  }

  TILE_DEVICE static void clear(Accumulators<config>& accumulators) {
#pragma unroll
    for (auto& atom : accumulators.of)
#pragma unroll
      for (float& accumulator : atom) accumulator = 0;
  }

 private:
  Sm90Buffers<config>& buffers_;
  Sm90OperandRing<config> ring_;
  RingState<config.stages> at_ = RingState<config.stages>::reader(), oldest_ = at_;
  int first_row_;
};

}  // namespace aisp::tile
