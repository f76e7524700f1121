// The Blackwell matrix instruction: its shapes, the two descriptors that it takes as values, and
// where the rows and columns of its accumulator lie in tensor memory.
#pragma once

#include <cstdint>
#include <type_traits>

#include "tile/arch/tcgen05_kind.hpp"
#include "tile/atom/element.hpp"
#include "tile/layout/layout.hpp"

namespace aisp::tile {

using arch::Tcgen05Kind;

TILE_FN Tcgen05Kind tcgen05_kind(Element element) {
  switch (element) {
    case Element::tf32:
      return Tcgen05Kind::tf32;
    case Element::e4m3:
    case Element::e5m2:
      return Tcgen05Kind::f8f6f4;
    case Element::s8:
      return Tcgen05Kind::i8;
    default:
      return Tcgen05Kind::f16;
  }
}

// Products of these elements: of one kind, and of 16-bit ones of one type.
TILE_FN bool tcgen05_multiplies(Element a, Element b) {
  const auto known = [](Element e) { return e != Element::f32 && e != Element::s32; };
  if (!known(a) || !known(b)) return false;
  return a == b ||
         (tcgen05_kind(a) == Tcgen05Kind::f8f6f4 && tcgen05_kind(b) == Tcgen05Kind::f8f6f4);
}

// m rows and n columns of the whole product; of a pair (cta_group 2) each block has half of the
// rows. What differs between sources is refused: n in steps of 16 wherever one of them asks for it.
TILE_FN bool tcgen05_has_m(int m, int cta_group) {
  return cta_group == 1 ? m == 64 || m == 128 : m == 128 || m == 256;
}
TILE_FN int tcgen05_step_n(Tcgen05Kind kind, int m, int cta_group) {
  if (cta_group == 2) return kind == Tcgen05Kind::i8 ? 32 : 16;
  return m == 64 && kind != Tcgen05Kind::i8 ? 8 : 16;
}

template <int m, int cta_group>
struct Tcgen05Rows {
  static_assert(cta_group == 1 || cta_group == 2, "tcgen05.mma is of one block or of a pair");
  static_assert(tcgen05_has_m(m, cta_group),
                "m of tcgen05.mma is 64 or 128 in one block (cta_group 1), 128 or 256 in a pair");
};
template <int n, int step>
struct Tcgen05Columns {
  static_assert(n >= step && n <= 256 && n % step == 0,
                "n of tcgen05.mma is a multiple of step and at most 256");
};

// Where an accumulator lies: block of the pair, lane and column of its tensor memory.
struct TmemCell {
  int block = 0, lane = 0, column = 0;
  constexpr bool operator==(const TmemCell&) const = default;
};

// Which part of the accumulator a warp of the epilogue reads: `rows` of the block's from first_row
// on, `columns` from first_column on; the first are in the warp's own lanes, 16 at a time.
struct Tcgen05WarpPart {
  int first_row = 0, rows = 0, first_column = 0, columns = 0;
  constexpr bool operator==(const Tcgen05WarpPart&) const = default;
};

TILE_FN int tcgen05_accumulator_columns(int m, int n, int cta_group) {
  return cta_group == 2 && m == 128 ? n / 2 : n;
}
TILE_FN Tcgen05WarpPart tcgen05_warp_part(int m, int n, int cta_group, int warp) {
  if (m == 64) return {16 * warp, 16, 0, n};
  if (cta_group == 2 && m == 128) return {32 * (warp % 2), 32, warp / 2 * (n / 2), n / 2};
  return {32 * warp, 32, 0, n};
}

// Bits 0-13 address / 16, 16-29 leading offset / 16, 32-45 stride offset / 16, 46-48 one, 61-63
// swizzle.
enum class Tcgen05Swizzle : std::uint64_t { none = 0, bytes_128 = 2, bytes_64 = 4, bytes_32 = 6 };
TILE_FN std::uint64_t tcgen05_matrix_descriptor(std::uint32_t address, int leading_bytes,
                                                int stride_bytes, Tcgen05Swizzle swizzle) {
  const auto field = [](std::uint32_t bytes) {
    return static_cast<std::uint64_t>((bytes & 0x3FFFF) >> 4);
  };
  return field(address) | field(static_cast<std::uint32_t>(leading_bytes)) << 16 |
         field(static_cast<std::uint32_t>(stride_bytes)) << 32 | std::uint64_t{1} << 46 |
         static_cast<std::uint64_t>(swizzle) << 61;
}

template <Element a_, Element b_, int m_, int n_, int cta_group_ = 1>
struct Tcgen05 : private Tcgen05Rows<m_, cta_group_>,
                 private Tcgen05Columns<n_, tcgen05_step_n(tcgen05_kind(a_), m_, cta_group_)> {
  static_assert(tcgen05_multiplies(a_, b_),
                "tcgen05.mma multiplies two equal of bf16, f16, tf32 and s8, or two of e4m3, e5m2");
  static constexpr Element a = a_, b = b_;
  static constexpr Tcgen05Kind kind = tcgen05_kind(a);
  using ElementAccumulator = std::conditional_t<kind == Tcgen05Kind::i8, std::int32_t, float>;
  static constexpr int first_architecture = 100;
  static constexpr int m = m_, n = n_, k = 32 / bytes_of(a), cta_group = cta_group_;
  static constexpr int block_m = m / cta_group;  // rows of A and D that one block holds
  static constexpr int block_n = n / cta_group;  // rows of B that one block holds
  static constexpr int columns = tcgen05_accumulator_columns(m, n, cta_group);

  // Bits 4-5 type of D, 7-9 of A, 10-12 of B, 15 and 16 A and B are MN-major, 17-22 n / 8, 24-28 m
  // / 16.
  static TILE_FN std::uint32_t descriptor(Major a_major, Major b_major) {
    const auto bits = [](int value, int first) {
      return static_cast<std::uint32_t>(value) << first;
    };
    return bits(kind == Tcgen05Kind::i8 ? 2 : 1, 4) | bits(format_of(a), 7) |
           bits(format_of(b), 10) | bits(a_major == Major::mn, 15) |
           bits(b_major == Major::mn, 16) | bits(n / 8, 17) | bits(m / 16, 24);
  }

  // (BLK_M, BLK_N) of the whole product -> 65536 * block + 512 * lane + column of tensor memory.
  static TILE_FN Layout accumulator_layout() {
    constexpr int lane = 512, block = 128 * lane;
    if (cta_group == 1 && m == 64)
      return {Shape{Shape{16, 4}, n}, Stride{Stride{lane, 32 * lane}, 1}};
    if (columns < n)
      return {Shape{Shape{block_m, 2}, Shape{columns, 2}},
              Stride{Stride{lane, block}, Stride{1, 64 * lane}}};
    return {Shape{Shape{block_m, cta_group}, n}, Stride{Stride{lane, block}, 1}};
  }
  // The same as a cell.
  static TILE_FN TmemCell accumulator(int row, int column) {
    const int block = row / block_m, of_block = row % block_m;
    if (cta_group == 1 && m == 64) return {block, of_block / 16 * 32 + of_block % 16, column};
    if (columns < n) return {block, of_block + column / columns * 64, column % columns};
    return {block, of_block, column};
  }

 private:
  static TILE_FN int format_of(Element element) {
    switch (element) {
      case Element::bf16:
      case Element::e5m2:
      case Element::s8:
        return 1;
      case Element::tf32:
        return 2;
      default:
        return 0;
    }
  }
};

namespace detail {

// Every cell of the tile is in the part of the warp whose lanes it lies in, and no other has it.
template <class Atom>
constexpr bool warp_parts_cover() {
  for (int row = 0; row < Atom::m; ++row)
    for (int column = 0; column < Atom::n; ++column) {
      const TmemCell cell = Atom::accumulator(row, column);
      const Tcgen05WarpPart part =
          tcgen05_warp_part(Atom::m, Atom::n, Atom::cta_group, cell.lane / 32);
      if (cell.block != row / Atom::block_m) return false;
      if (cell.lane % 32 != row % Atom::block_m - part.first_row) return false;
      if (cell.lane % 32 >= part.rows || cell.column != column - part.first_column) return false;
      if (cell.column < 0 || cell.column >= part.columns) return false;
    }
  return true;
}

}  // namespace detail

static_assert(detail::warp_parts_cover<Tcgen05<Element::bf16, Element::bf16, 128, 16>>());
static_assert(detail::warp_parts_cover<Tcgen05<Element::bf16, Element::bf16, 64, 24>>());
static_assert(detail::warp_parts_cover<Tcgen05<Element::bf16, Element::bf16, 256, 32, 2>>());
static_assert(detail::warp_parts_cover<Tcgen05<Element::bf16, Element::bf16, 128, 32, 2>>());

}  // namespace aisp::tile
