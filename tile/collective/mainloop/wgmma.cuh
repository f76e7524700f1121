// The main loop of a math warpgroup whose operands both lie in shared memory, the plain case: all
// elements that wgmma multiplies, both majors of 16-bit ones.
#pragma once

#include "tile/collective/mainloop/wgmma_main_loop.cuh"

namespace aisp::tile {

template <Sm90Config config>
class WgmmaOperands {
 public:
  static constexpr bool loads_operands = false;
  static_assert(admitted<config>);
  static_assert(
      rules::kept<true, rules::StagesAhead<config.stages>, rules::EqualWidths<config.a, config.b>,
                  rules::Promotes<config.promote, false>>());

  TILE_DEVICE WgmmaOperands(Sm90Buffers<config>& buffers, ClusterCoord coord, int first_row)
      : buffers_(buffers), ring_(buffers.ring, coord), first_row_(first_row) {}

  // The K loop, of at least one k-block. It ends with its last products under way: finish() waits.
  TILE_DEVICE void multiply(Accumulators<config>& accumulators, int k_blocks) {
    accumulators.keep();
    for (int k = 0; k < k_blocks; ++k, ++at_) {
      ring_.wait(at_);                                  // both tiles have landed
      const char* const a_smem = buffers_.a[at_.slot];  // (BLK_M, BLK_K)
      const char* const b_smem = buffers_.b[at_.slot];  // (BLK_N, BLK_K)
      arch::wgmma_fence();
      multiply_tiles<config>(accumulators, a_smem, b_smem, first_row_, k > 0);
      arch::wgmma_commit();
      arch::wgmma_wait<1>();  // the products of the tiles before these are done
      if (k > 0) ring_.release(last_);
      last_ = at_;
    }
  }
  TILE_DEVICE void finish(Accumulators<config>& accumulators) {
    arch::wgmma_wait<0>();
    accumulators.keep();
    ring_.release(last_);
  }
  // Over k-blocks that the other warpgroup multiplies.
  TILE_DEVICE void skip(int k_blocks) { at_ += k_blocks; }

 private:
  Sm90Buffers<config>& buffers_;
  Sm90OperandRing<config> ring_;
  RingState<config.stages> at_ = RingState<config.stages>::reader(), last_{};
  int first_row_;
};

static_assert(MainLoop<WgmmaOperands<Sm90Config{}>, Sm90Config{}>);

}  // namespace aisp::tile
