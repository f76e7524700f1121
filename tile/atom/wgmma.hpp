// The Hopper matrix instruction: which thread of a warpgroup holds which accumulator of a 64xN
// tile, which element of A when A comes from registers, and the shapes there are.
#pragma once

#include <cstdint>
#include <type_traits>

#include "tile/atom/lane_proof.hpp"

namespace aisp::tile {

template <int n>
struct WgmmaShape {
  static_assert(n >= 8 && n <= 256 && n % 8 == 0, "wgmma m64: n is a multiple of 8 from 8 to 256");
};

// Of a warp's 16 rows, as mma.sync lays them out; every four accumulators of a lane are 8 columns.
// By hand: the epilogues' code differs where nvcc finds the same sums through a layout.
TILE_FN Cell wgmma_warp_accumulator(int lane, int index) {
  return {lane / 4 + 8 * (index % 4 / 2), index / 4 * 8 + 2 * (lane % 4) + index % 2};
}
static_assert(is_map_of(quad_accumulators(16), wgmma_warp_accumulator));

template <Element element_, int n_>
struct Wgmma : private WgmmaShape<n_> {
  static constexpr Element element = element_;
  static_assert(element != Element::f32 && element != Element::s32,
                "wgmma multiplies bf16, f16, tf32, e4m3, e5m2 and s8");
  using ElementAccumulator = std::conditional_t<element == Element::s8, std::int32_t, float>;
  static constexpr int first_architecture = 90;
  // One instruction takes 32 bytes of k; bytes_of(tf32) is 4.
  static constexpr int m = 64, n = n_, k = 32 / bytes_of(element), lanes = 128;
  static constexpr int per_register = 4 / bytes_of(element);
  static constexpr int a_registers = 4;       // where A is in registers
  static constexpr int accumulators = n / 2;  // of a thread

  // (THREAD, MMA_C) and (THREAD, MMA_A) of the warpgroup: warp w has rows 16 w to 16 w + 15.
  static TILE_FN LaneLayout accumulator_layout() { return stacked(quad_accumulators(n), 4); }
  static TILE_FN LaneLayout a_layout() { return stacked(quad_operand(k, per_register), 4); }

  static TILE_FN Cell accumulator(int thread, int index) {
    const Cell in_warp = wgmma_warp_accumulator(thread % 32, index);
    return {thread / 32 * 16 + in_warp.row, in_warp.column};
  }
  static TILE_FN Cell a(int thread, int reg, int at) {
    return {thread / 32 * 16 + thread % 32 / 4 + 8 * (reg % 2),
            (thread % 4 + reg / 2 * 4) * per_register + at};
  }
};

static_assert(covers_once(Wgmma<Element::bf16, 8>::accumulator_layout()) &&
              covers_once(Wgmma<Element::e4m3, 24>::a_layout()) &&
              covers_once(Wgmma<Element::tf32, 16>::a_layout()));
static_assert(is_map_of(Wgmma<Element::bf16, 8>::accumulator_layout(),
                        Wgmma<Element::bf16, 8>::accumulator));
static_assert(is_map_of(Wgmma<Element::e4m3, 8>::a_layout(), [](int thread, int value) {
  return Wgmma<Element::e4m3, 8>::a(thread, value / 4, value % 4);
}));
static_assert(has_fragments(Wgmma<Element::bf16, 32>::accumulator_layout()));

}  // namespace aisp::tile
