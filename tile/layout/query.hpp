// Questions about layouts: is it one to one, does it leave holes, how wide a vector do two layouts
// share; and the same layout counted in elements of another size.
#pragma once

#include "tile/layout/algebra.hpp"

namespace aisp::tile {

namespace detail {

// The leaves that move, by ascending stride.
struct Moving {
  int extent[max_leaves] = {}, stride[max_leaves] = {};
  int count = 0;
};
TILE_FN Moving moving_leaves(const Layout& layout) {
  Moving out;
  for (int at = 0; at < layout.shape.count; ++at) {
    if (layout.shape.leaf[at] == 1) continue;
    int place = out.count++;
    for (; place > 0 && out.stride[place - 1] > layout.stride.leaf[at]; --place) {
      out.extent[place] = out.extent[place - 1];
      out.stride[place] = out.stride[place - 1];
    }
    out.extent[place] = layout.shape.leaf[at];
    out.stride[place] = layout.stride.leaf[at];
  }
  return out;
}

// Marks the offsets window by window: no memory beyond one window, whatever the layout's reach.
TILE_FN bool injective_by_marking(const Layout& layout) {
  constexpr int words = 128, window = 32 * words;
  const int count = size(layout), reach = cosize(layout);
  for (int start = 0; start < reach; start += window) {
    unsigned marked[words] = {};
    for (int index = 0; index < count; ++index) {
      const int at = layout(index) - start;
      if (at < 0 || at >= window) continue;
      if (marked[at / 32] >> at % 32 & 1) return false;
      marked[at / 32] |= 1u << at % 32;
    }
    if (reach - start <= window) break;
  }
  return true;
}

TILE_FN int gcd(int a, int b) {
  while (b != 0) {
    const int rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

}  // namespace detail

// No two indices have the same offset.
TILE_FN bool is_injective(const Layout& layout) {
  if (size(layout) > cosize(layout)) return false;
  const detail::Moving leaves = detail::moving_leaves(layout);
  long long reach = 1;
  for (int at = 0; at < leaves.count; ++at) {
    if (leaves.stride[at] < reach) return detail::injective_by_marking(layout);
    reach += (leaves.extent[at] - 1LL) * leaves.stride[at];
  }
  return true;
}

// Every offset below `extent` is hit. With the strides ascending there is a hole exactly where a
// stride is larger than all that lies below it.
TILE_FN bool covers(const Layout& layout, int extent) {
  const detail::Moving leaves = detail::moving_leaves(layout);
  long long reach = 1;
  for (int at = 0; at < leaves.count && leaves.stride[at] <= reach; ++at)
    reach += (leaves.extent[at] - 1LL) * leaves.stride[at];
  return reach >= extent;
}

// One to one onto 0…size-1.
TILE_FN bool is_bijective(const Layout& layout) {
  return size(layout) == cosize(layout) && covers(layout, size(layout));
}

// The widest vector with which elements can move between the two layouts of one index space: the
// largest n for which every n elements that lie together (and start at a multiple of n within the
// contiguous part) in `b` lie together in `a`.
TILE_FN int max_common_vector(const Layout& a, const Layout& b) {
  require(size(a) == size(b), LayoutRule::same_size, size(a), size(b));
  const Layout run = right_inverse(b);  // offset in b -> index
  const Attempt rest = try_complement(run, size(b));
  if (rest.refusal || 1LL * size(run) * size(rest.layout) != size(b)) return 1;
  const Layout by_run = join(run, rest.layout);
  const Attempt both = try_compose(a, by_run);
  if (!both.refusal) {
    const Layout first = coalesce(mode(both.layout, 0));
    return first.stride.leaf[0] == 1 ? first.shape.leaf[0] : 1;
  }
  int vector = size(run);
  for (int at = 1; at < size(b) && vector > 1; ++at)
    if (a(by_run(at)) != a(by_run(at - 1)) + 1) vector = detail::gcd(vector, at);
  return vector;
}

// The same memory counted in elements of `new_bits` instead of `old_bits`. To larger elements each
// new one must be made of old ones that lie together; to smaller ones a mode of stride 1 must be
// there to be lengthened.
TILE_FN Attempt try_recast(const Layout& layout, int old_bits, int new_bits) {
  if (old_bits < 1 || new_bits < 1 || (old_bits % new_bits != 0 && new_bits % old_bits != 0))
    return refused(LayoutRule::recast_divides, old_bits, new_bits);
  Layout out = layout;
  if (new_bits <= old_bits) {
    const int pieces = old_bits / new_bits;
    int lengthened = 0;
    for (int at = 0; at < layout.shape.count; ++at) {
      if (layout.stride.leaf[at] == 1) {
        ++lengthened;
        out.shape.leaf[at] = fitting(1LL * out.shape.leaf[at] * pieces);
      } else {
        out.stride.leaf[at] = fitting(1LL * out.stride.leaf[at] * pieces);
      }
    }
    if (pieces > 1 && lengthened != 1)
      return refused(LayoutRule::recast_units_are_whole, size(layout), pieces);
    return {Layout(out.shape, out.stride), {}};
  }
  const int unit = new_bits / old_bits;
  for (int at = 0; at < layout.shape.count; ++at) {
    const int extent = layout.shape.leaf[at], stride = layout.stride.leaf[at];
    if (stride % unit == 0) {
      out.stride.leaf[at] = stride / unit;
      continue;
    }
    if (unit % stride != 0) return refused(LayoutRule::recast_divides, stride, unit);
    const int within = unit / stride;  // steps of this mode inside one new element
    if (extent % within != 0 && within % extent != 0)
      return refused(LayoutRule::recast_divides, extent, within);
    out.shape.leaf[at] = extent > within ? extent / within : 1;
    out.stride.leaf[at] = 1;
  }
  if (1LL * size(out) * unit != size(layout))
    return refused(LayoutRule::recast_units_are_whole, size(layout), unit);
  return {out, {}};
}
TILE_FN Layout recast(const Layout& layout, int old_bits, int new_bits) {
  return settled(try_recast(layout, old_bits, new_bits));
}

}  // namespace aisp::tile
