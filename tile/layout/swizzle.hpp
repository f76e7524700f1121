// XOR swizzles: offsets permuted so that rows of a shared-memory tile start in different banks.
// bits base shift: the `bits` bits at base+shift are XORed onto those at base.
//   offset …  YYY … ZZZ bbbb     base = number of b, shift = distance from Z to Y
#pragma once

#include "tile/layout/algebra.hpp"
#include "tile/layout/tiling.hpp"

namespace aisp::tile {

struct Swizzle {
  int bits = 0, base = 0, shift = 0;

  constexpr Swizzle() = default;
  TILE_FN Swizzle(int bits, int base, int shift) : bits(bits), base(base), shift(shift) {
    require(bits >= 0 && shift >= bits, LayoutRule::swizzle_bits_apart, bits, shift);
    require(base >= 0 && base <= 30 && shift <= 30 && base + shift + bits <= 30,
            LayoutRule::swizzle_fits_offsets, 0LL + base + shift + bits, 30);
  }
  friend constexpr bool operator==(const Swizzle&, const Swizzle&) = default;

  // Its own inverse: the bits that are read are not changed.
  TILE_FN int operator()(int offset) const {
    return offset ^ ((offset >> shift) & (((1 << bits) - 1) << base));
  }
};

// Offsets up to a multiple of this are permuted among themselves.
TILE_FN int period(const Swizzle& swizzle) {
  return swizzle.bits == 0 ? 1 : 1 << (swizzle.base + swizzle.shift + swizzle.bits);
}

TILE_FN int exact_log2(int value) {
  int log = 0;
  while (log < 30 && 1 << log < value) ++log;
  return 1 << log == value ? log : -1;
}

// The swizzles of TMA and wgmma: 16-byte units are permuted within rows of `span_bytes` (32, 64 or
// 128; 16 is none) by the number of the row of 128 bytes. Counted in elements.
TILE_FN Swizzle memory_swizzle(int span_bytes, int element_bits) {
  const int bits = exact_log2(span_bytes) - 4, log_element = exact_log2(element_bits);
  require(bits >= 0 && bits <= 3 && log_element >= 0 && log_element <= 7,
          LayoutRule::swizzle_is_named, span_bytes, element_bits);
  return bits == 0 ? Swizzle{} : Swizzle{bits, 7 - log_element, 3};
}

// swizzle(offset + layout(i))
struct Swizzled {
  Swizzle swizzle;
  int offset = 0;
  Layout layout;

  friend constexpr bool operator==(const Swizzled&, const Swizzled&) = default;
  template <class... At>
  TILE_FN int operator()(const At&... at) const {
    return swizzle(offset + layout(at...));
  }
  TILE_FN int operator()(const Coord& at) const { return swizzle(offset + layout(at)); }
};

TILE_FN int rank(const Swizzled& composed) { return rank(composed.layout); }
TILE_FN int size(const Swizzled& composed) { return size(composed.layout); }

// One past the largest offset, rounded up to what the swizzle may reach.
TILE_FN int cosize(const Swizzled& composed) {
  const long long whole = period(composed.swizzle);
  const long long reach = composed.offset + static_cast<long long>(cosize(composed.layout));
  return fitting((reach + whole - 1) / whole * whole);
}

TILE_FN Swizzled compose(const Swizzle& swizzle, const Layout& layout) {
  return {swizzle, 0, layout};
}
TILE_FN Swizzled compose(const Swizzled& outer, const Layout& inner) {
  return {outer.swizzle, outer.offset, compose(outer.layout, inner)};
}
TILE_FN Swizzled tile_to_shape(const Swizzled& block, const Shape& target, const Tuple& order) {
  return {block.swizzle, block.offset, tile_to_shape(block.layout, target, order)};
}
// The fixed modes move into the offset inside the swizzle, which is why it stands there.
TILE_FN Swizzled slice(const Swizzled& composed, const Coord& coord) {
  const Slice part = slice(composed.layout, coord);
  return {composed.swizzle, composed.offset + part.offset, part.layout};
}

// Offset -> index, for a layout that has a left inverse.
struct SwizzledInverse {
  Swizzle swizzle;
  int offset = 0;
  Layout layout;
  TILE_FN int operator()(int at) const { return layout(swizzle(at) - offset); }
};
TILE_FN SwizzledInverse left_inverse(const Swizzled& composed) {
  return {composed.swizzle, composed.offset, left_inverse(composed.layout)};
}

// The same permutation of bytes, counted in elements of another size (powers of two).
TILE_FN Swizzle recast(const Swizzle& swizzle, int old_bits, int new_bits) {
  const int from = exact_log2(old_bits), to = exact_log2(new_bits);
  require(from >= 0 && to >= 0 && swizzle.base + from - to >= 0, LayoutRule::recast_divides,
          old_bits, new_bits);
  return swizzle.bits == 0 ? swizzle
                           : Swizzle{swizzle.bits, swizzle.base + from - to, swizzle.shift};
}

}  // namespace aisp::tile
