// Products without a matrix unit, in the form of an atom: a warp's 16x8 accumulators, four in each
// lane, from 16 bytes of k of two rows of A and two columns of B. f32 and the 16-bit floats by FMA,
// s8 by dp4a.
#pragma once

#include <cstdint>
#include <type_traits>

#include "tile/atom/lane_proof.hpp"

namespace aisp::tile {

template <Element element_>
struct Simt {
  static constexpr Element element = element_;
  static_assert(bytes_of(element) > 1 || element == Element::s8,
                "no FMA reads 8-bit floats: convert them to f16 first");
  using ElementAccumulator = std::conditional_t<element == Element::s8, std::int32_t, float>;
  static constexpr int first_architecture = element == Element::s8 ? 61 : 50;
  static constexpr int m = 16, n = 8, k = 16 / bytes_of(element), lanes = 32;
  static constexpr int per_register = 4 / bytes_of(element);
  static constexpr int a_registers = 8, b_registers = 8,
                       accumulators = 4;  // two lines of 16 bytes each
  static constexpr int vector_registers = 4;
  static constexpr bool of_matrices = false;

  // Lane bits 1, 3 and 4 are the row, 0 and 2 the pair of columns. Neighbours then want the same
  // row of A, or (two lanes apart) the same columns of B, which shared memory serves together.
  static TILE_FN LaneLayout a_layout() {
    return {
        m, k,
        Layout{Shape{Shape{2, 2, 2, 4}, Shape{k, 2}}, Stride{Stride{0, 1, 0, 2}, Stride{m, 8}}}};
  }
  static TILE_FN LaneLayout b_layout() {
    return {
        n, k,
        Layout{Shape{Shape{2, 2, 2, 4}, Shape{k, 2}}, Stride{Stride{2, 0, 4, 0}, Stride{n, 1}}}};
  }
  static TILE_FN LaneLayout accumulator_layout() {
    return {m, n,
            Layout{Shape{Shape{2, 2, 2, 4}, Shape{2, 2}},
                   Stride{Stride{2 * m, 1, 4 * m, 2}, Stride{m, 8}}}};
  }

  // By hand, since two bits of the lane's number move together.
  static TILE_FN int row_of(int lane) { return (lane >> 1 & 1) | (lane >> 2 & 6); }
  static TILE_FN int column_of(int lane) { return 2 * ((lane & 1) | (lane >> 1 & 2)); }

  static TILE_FN Cell a(int lane, int reg, int at) {
    return {row_of(lane) + 8 * (reg / 4), reg % 4 * per_register + at};
  }
  static TILE_FN Cell b(int lane, int reg, int at) {
    return {column_of(lane) + reg / 4, reg % 4 * per_register + at};
  }
  static TILE_FN Cell accumulator(int lane, int index) {
    return {row_of(lane) + 8 * (index / 2), column_of(lane) + index % 2};
  }
  static constexpr bool proved =
      is_map_of(accumulator_layout(), accumulator) &&
      is_map_of(a_layout(),
                [](int lane, int i) { return a(lane, i / per_register, i % per_register); }) &&
      is_map_of(b_layout(),
                [](int lane, int i) { return b(lane, i / per_register, i % per_register); });
};

static_assert(is_atom<Simt<Element::f32>> && is_atom<Simt<Element::bf16>>);
static_assert(is_atom<Simt<Element::s8>>);
static_assert(Simt<Element::f32>::proved && Simt<Element::bf16>::proved &&
              Simt<Element::s8>::proved);

}  // namespace aisp::tile
