// mma.sync of Turing, Ampere and Ada: a warp multiplies 16 rows of A by 8 columns of B. Lanes form
// eight groups of four; a group is a row, a lane of it a 32-bit register along k.
#pragma once

#include <cstdint>
#include <type_traits>

#include "tile/atom/lane_layout.hpp"

namespace aisp::tile {

// The depths there are: 16 or 32 bytes of k, of f32 and of bytes only 32.
template <Element element, int k>
struct MmaSyncShape {
  static constexpr bool exists =
      element != Element::f32 && element != Element::s32 &&
      (k * bytes_of(element) == 32 || (k * bytes_of(element) == 16 && bytes_of(element) == 2));
  static_assert(
      exists,
      "mma.sync m16n8 takes 32 bytes of k, of 16-bit elements also 16; f32 accumulators need "
      "tf32 operands or the FMA atom");
};

template <Element element_, int k_ = 32 / bytes_of(element_)>
struct MmaSync : private MmaSyncShape<element_, k_> {
  static constexpr Element element = element_;
  using ElementAccumulator = std::conditional_t<element == Element::s8, std::int32_t, float>;
  static constexpr int first_architecture = element == Element::e4m3 || element == Element::e5m2
                                                ? 89
                                            : element == Element::f16 && k_ == 8 ? 75
                                                                                 : 80;
  static constexpr int m = 16, n = 8, k = k_, lanes = 32;
  static constexpr int per_register = 4 / bytes_of(element);
  static constexpr int a_registers = m * k / (lanes * per_register);
  static constexpr int b_registers = n * k / (lanes * per_register);
  static constexpr int accumulators = 4;
  static constexpr int vector_registers = 1;
  // A register is what ldmatrix gives of 8 rows of 16 bytes: register r of A is rows 8 (r % 2) on
  // and 16-byte column r / 2; register r of B is column r.
  static constexpr bool of_matrices = true;

  static TILE_FN LaneLayout a_layout() { return quad_operand(k, per_register); }
  static TILE_FN LaneLayout b_layout() {  // row along n
    constexpr int per = per_register;
    return {n, k,
            Layout{Shape{Shape{4, 8}, Shape{per, b_registers}},
                   Stride{Stride{per * n, 1}, Stride{n, 4 * per * n}}}};
  }
  static TILE_FN LaneLayout accumulator_layout() { return quad_accumulators(n); }

  static TILE_FN Cell a(int lane, int reg, int at) {
    return cell_at<a_layout>(lane, reg * per_register + at);
  }
  static TILE_FN Cell b(int lane, int reg, int at) {
    return cell_at<b_layout>(lane, reg * per_register + at);
  }
  static TILE_FN Cell accumulator(int lane, int index) {
    return cell_at<accumulator_layout>(lane, index);
  }
};

static_assert(is_atom<MmaSync<Element::bf16>> && is_atom<MmaSync<Element::bf16, 8>>);
static_assert(is_atom<MmaSync<Element::f16>> && is_atom<MmaSync<Element::f16, 8>>);
static_assert(is_atom<MmaSync<Element::tf32>> && is_atom<MmaSync<Element::s8>>);
static_assert(is_atom<MmaSync<Element::e4m3>> && is_atom<MmaSync<Element::e5m2>>);

}  // namespace aisp::tile
