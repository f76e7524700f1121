// The Blackwell matrix instruction with block scales: which elements and scales go together, its
// descriptor, and which of a group of four scales an instruction reads.
#pragma once

#include "tile/atom/block_scale.hpp"
#include "tile/atom/tcgen05.hpp"

namespace aisp::tile {

TILE_FN bool tcgen05_scales(Element element, Scaling scaling) {
  if (scaling == Scaling::nv) return element == Element::e2m1;
  return scaling == Scaling::mx && bytes_of(element) == 1 && element != Element::s8;
}

// Two e2m1 lie in a byte; beside a wider one an e2m1 has a byte of its own.
TILE_FN Tcgen05Kind tcgen05_scaled_kind(Element a, Element b, Scaling scaling) {
  if (scaling == Scaling::nv) return Tcgen05Kind::mxf4nvf4;
  return a == Element::e2m1 && b == Element::e2m1 ? Tcgen05Kind::mxf4 : Tcgen05Kind::mxf8f6f4;
}

template <Element a_, Element b_, int m_, int n_, int cta_group_, Scaling scaling_>
struct Tcgen05Scaled : private Tcgen05Rows<m_, cta_group_>, private Tcgen05Columns<n_, 32> {
  static_assert(tcgen05_scales(a_, scaling_) && tcgen05_scales(b_, scaling_),
                "block scales: nv of e2m1, mx of e4m3, e5m2, e2m3, e3m2 and e2m1");
  static_assert(m_ / cta_group_ == 128, "with block scales each block has 128 rows");
  static constexpr Tcgen05Kind kind = tcgen05_scaled_kind(a_, b_, scaling_);
  static constexpr int k = kind == Tcgen05Kind::mxf8f6f4 ? 32 : 64;
  static constexpr int scales = k / scaled_together(scaling_);  // of a row, 1, 2 or 4

  // Of instruction `step` of a k-block: the group of four scales that it reads of, and the first in
  // it.
  static TILE_FN int group(int step) { return step * scales / scales_in_group; }
  static TILE_FN int first_scale(int step) { return step * scales % scales_in_group; }

  // Bits 4-5 first scale of B, 7-9 type of A, 10-12 of B, 15 and 16 A and B are MN-major, 17-22 n /
  // 8, 23 scales are ue8m0, 27-28 m / 128, 29-30 first scale of A.
  static TILE_FN std::uint32_t descriptor(Major a_major, Major b_major, int step) {
    const auto bits = [](int value, int first) {
      return static_cast<std::uint32_t>(value) << first;
    };
    return bits(first_scale(step), 4) | bits(format_of(a_), 7) | bits(format_of(b_), 10) |
           bits(a_major == Major::mn, 15) | bits(b_major == Major::mn, 16) | bits(n_ / 8, 17) |
           bits(scaling_ == Scaling::mx, 23) | bits(m_ / 128, 27) | bits(first_scale(step), 29);
  }

 private:
  static TILE_FN int format_of(Element element) {
    switch (element) {
      case Element::e5m2:
        return 1;
      case Element::e2m3:
        return 3;
      case Element::e3m2:
        return 4;
      case Element::e2m1:
        return kind == Tcgen05Kind::mxf8f6f4 ? 5 : 1;
      default:
        return 0;
    }
  }
};

static_assert(Tcgen05Scaled<Element::e2m1, Element::e2m1, 128, 128, 1, Scaling::nv>::scales == 4);
static_assert(
    Tcgen05Scaled<Element::e2m1, Element::e2m1, 256, 64, 2, Scaling::mx>::first_scale(3) == 2);
static_assert(Tcgen05Scaled<Element::e4m3, Element::e2m1, 128, 32, 1, Scaling::mx>::group(5) == 1);

}  // namespace aisp::tile
