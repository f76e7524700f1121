// The main loop for 8-bit floats whose sums must be better than the matrix unit's: it aligns
// products of 8-bit floats and the sum so far to few bits, so over a long K the sum loses what the
// products hold. Here each k tile has sums of its own, which ordinary f32 additions collect.
#pragma once

#include "tile/atom/widen.hpp"
#include "tile/collective/shared_operands.cuh"

namespace tile {

template <GemmConfig config>
class PromotedSums {
  static constexpr int sums_of_thread = config.rows_of_warpgroup() * config.tile_n / 128;

 public:
  static_assert(admitted<config> && config.promote && is_fp8(config.a) && is_fp8(config.b));
  static_assert(sizeof(rules::Accumulators<3 * sums_of_thread, config.math_registers>) > 0);

  TILE_DEVICE PromotedSums(OperandBuffers<config>& buffers, ClusterPlace place, int first_row)
      : buffers_(buffers), ring_(buffers.ring, place), first_row_(first_row) {}

  // The K loop, of at least one tile. The sums of a tile are collected while the next one's
  // products run, so there are two sets of them.
  TILE_DEVICE void multiply(Sums<config>& sums, int k_tiles) {
    Sums<config> even, odd;
    clear(sums);
    start(even);
    int started = 1;
    for (; started + 1 < k_tiles; started += 2) {
      start(odd);
      collect<1>(sums, even);
      start(even);
      collect<1>(sums, odd);
    }
    if (started < k_tiles) {
      start(odd);
      collect<1>(sums, even);
      collect<0>(sums, odd);
    } else {
      collect<0>(sums, even);
    }
  }
  TILE_DEVICE void finish(Sums<config>&) {}
  // Over tiles that the other warpgroup multiplies.
  TILE_DEVICE void skip(int k_tiles) {
    at_ += k_tiles;
    oldest_ += k_tiles;
  }

 private:
  TILE_DEVICE static void clear(Sums<config>& sums) {
#pragma unroll
    for (auto& half : sums.of)
#pragma unroll
      for (float& sum : half) sum = 0;
  }
  TILE_DEVICE void start(Sums<config>& part) {
    ring_.wait(at_);
    part.keep();
    arch::wgmma_fence();
    multiply_tiles<config>(part, buffers_.a[at_.slot], buffers_.b[at_.slot], first_row_, false);
    arch::wgmma_commit();
    ++at_;
  }
  // Adds the oldest sums under way; `younger` tiles stay.
  template <int younger>
  TILE_DEVICE void collect(Sums<config>& sums, Sums<config>& part) {
    arch::wgmma_wait<younger>();
    part.keep();
    ring_.release(oldest_);
    ++oldest_;
#pragma unroll
    for (int half = 0; half < Sums<config>::halves; ++half)
#pragma unroll
      for (int i = 0; i < config.tile_n / 2; ++i) sums.of[half][i] += part.of[half][i];
  }

  OperandBuffers<config>& buffers_;
  OperandRing<config> ring_;
  RingState<config.stages> at_ = RingState<config.stages>::reader(), oldest_ = at_;
  int first_row_;
};

}  // namespace tile
