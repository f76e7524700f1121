// Coalesce, compose, complement and the inverses. What can be refused has a form try_… that
// returns the refusal, and a form with template arguments whose refusal the compiler prints.
#pragma once

#include "tile/layout/modes.hpp"

namespace aisp::tile {

struct Attempt {
  Layout layout;
  Refusal refusal;
};

TILE_FN Layout settled(const Attempt& attempt) {
  settle(attempt.refusal.rule, attempt.refusal.first, attempt.refusal.second);
  return attempt.layout;
}

TILE_FN Attempt refused(LayoutRule rule, long long first, long long second) {
  return {{}, {rule, first, second}};
}

// The same function of a linear index with the fewest modes, flat.
TILE_FN Layout coalesce(const Layout& layout) {
  Layout out = no_modes();
  for (int at = 0; at < layout.shape.count; ++at) {
    const int extent = layout.shape.leaf[at], stride = layout.stride.leaf[at];
    const int last = out.shape.count - 1;
    if (extent == 1) continue;
    if (last >= 0 && stride == 1LL * out.shape.leaf[last] * out.stride.leaf[last])
      out.shape.leaf[last] *= extent;
    else
      out.push(extent, stride);
  }
  return closed(out, out.shape.count);
}

// Coalesces within the modes of `profile` and keeps those apart: the profile (1,1) keeps a matrix
// a matrix. The numbers of the profile do not matter; modes beyond its rank stay as they are.
TILE_FN Layout coalesce(const Layout& layout, const Tuple& profile) {
  if (is_leaf(profile)) return coalesce(layout);
  Layout out = no_modes();
  for (int at = 0; at < rank(layout); ++at) {
    const Layout part = mode(layout, at);
    out.push(at < rank(profile) ? coalesce(part, mode(profile, at)) : part);
  }
  out.enclose(0, 1, out.shape.count - 1, 1);
  return out;
}

namespace detail {

// Composes one leaf of the inner layout with the outer one, which is coalesced. `reach` adds up,
// per outer mode, how far the inner leaves go together: past the extent they would carry into the
// next mode, and the sum of the leaves would not be the composition.
TILE_FN Attempt compose_leaf(const Layout& outer, int extent, int stride, long long* reach) {
  if (stride == 0 || extent == 1) return {{extent, 0}, {}};
  Layout out = no_modes();
  for (int at = 0; at < outer.shape.count && extent > 1; ++at) {
    const int outer_extent = outer.shape.leaf[at], outer_stride = outer.stride.leaf[at];
    int steps = extent;
    if (stride * (extent - 1LL) >= outer_extent) {
      if (stride % outer_extent == 0) {
        stride /= outer_extent;
        continue;
      }
      if (outer_extent % stride != 0)
        return refused(LayoutRule::stride_and_extent_divide, stride, outer_extent);
      steps = outer_extent / stride;
      if (extent % steps != 0) return refused(LayoutRule::extent_is_multiple, extent, steps);
    }
    reach[at] += stride * (steps - 1LL);
    if (reach[at] >= outer_extent)
      return refused(LayoutRule::modes_do_not_carry, reach[at] + 1, outer_extent);
    out.push(steps, stride * outer_stride);
    extent /= steps;
    stride = 1;
  }
  return {closed(out, out.shape.count), {}};
}

}  // namespace detail

// compose(outer, inner)(i) == outer(inner(i)) for every i, nested like the inner layout.
TILE_FN Attempt try_compose(const Layout& outer, const Layout& inner) {
  if (cosize(inner) > size(outer))
    return refused(LayoutRule::inner_within_outer, cosize(inner), size(outer));
  const Layout flat = coalesce(outer);
  long long reach[max_leaves] = {};
  Layout out = no_modes();
  for (int at = 0; at < inner.shape.count; ++at) {
    const Attempt part =
        detail::compose_leaf(flat, inner.shape.leaf[at], inner.stride.leaf[at], reach);
    if (part.refusal) return part;
    const int first = out.shape.count;
    out.push(part.layout);
    out.enclose(first, inner.shape.open(at), out.shape.count - 1, inner.shape.close(at));
  }
  return {out, {}};
}
TILE_FN Layout compose(const Layout& outer, const Layout& inner) {
  return settled(try_compose(outer, inner));
}
template <Layout outer, Layout inner>
TILE_FN Layout compose() {
  constexpr Attempt attempt = try_compose(outer, inner);
  admit<attempt.refusal>();
  return attempt.layout;
}

// Mode i of the outer layout with mode i of the inner one; further modes stay as they are.
TILE_FN Layout compose_by_mode(const Layout& outer, const Layout& inner) {
  Layout out = no_modes();
  for (int at = 0; at < rank(outer); ++at)
    out.push(at < rank(inner) ? compose(mode(outer, at), mode(inner, at)) : mode(outer, at));
  out.enclose(0, 1, out.shape.count - 1, 1);
  return out;
}

// Which offsets below `extent` the layout leaves out: together they hit each one once. The strides
// ascend. Where the layout's reach does not divide `extent`, the last mode is rounded up.
TILE_FN Attempt try_complement(const Layout& layout, int extent) {
  int order[max_leaves] = {}, count = 0;  // leaves that move, by stride
  for (int at = 0; at < layout.shape.count; ++at) {
    if (layout.shape.leaf[at] == 1 || layout.stride.leaf[at] == 0) continue;
    int place = count++;
    for (; place > 0 && layout.stride.leaf[order[place - 1]] > layout.stride.leaf[at]; --place)
      order[place] = order[place - 1];
    order[place] = at;
  }
  Layout out = no_modes();
  long long filled = 1;
  for (int turn = 0; turn < count; ++turn) {
    const int stride = layout.stride.leaf[order[turn]];
    if (stride % filled != 0) return refused(LayoutRule::strides_nest, stride, filled);
    if (stride > filled) out.push(static_cast<int>(stride / filled), static_cast<int>(filled));
    filled = 1LL * stride * layout.shape.leaf[order[turn]];
  }
  const long long rest = (extent + filled - 1) / filled;
  if (rest > 1) out.push(static_cast<int>(rest), static_cast<int>(filled));
  return {coalesce(out), {}};
}
TILE_FN Layout complement(const Layout& layout, int extent) {
  return settled(try_complement(layout, extent));
}
template <Layout layout, int extent>
TILE_FN Layout complement() {
  constexpr Attempt attempt = try_complement(layout, extent);
  admit<attempt.refusal>();
  return attempt.layout;
}

// layout(right_inverse(layout)(i)) == i, as far as the layout is contiguous from offset 0.
TILE_FN Layout right_inverse(const Layout& layout) {
  const Stride index_stride = compact_stride(layout.shape);
  Layout out = no_modes();
  bool used[max_leaves] = {};
  for (long long filled = 1;;) {
    int next = -1;
    for (int at = 0; at < layout.shape.count; ++at)
      if (!used[at] && layout.shape.leaf[at] > 1 && layout.stride.leaf[at] == filled) next = at;
    if (next < 0) return coalesce(out);
    used[next] = true;
    out.push(layout.shape.leaf[next], index_stride.leaf[next]);
    filled *= layout.shape.leaf[next];
  }
}

// left_inverse(layout)(layout(i)) == i for every i. The layout must be injective and nest.
TILE_FN Layout left_inverse(const Layout& layout) {
  for (int at = 0; at < layout.shape.count; ++at)
    require(layout.stride.leaf[at] > 0 || layout.shape.leaf[at] == 1, LayoutRule::strides_nest, 0,
            1);
  return right_inverse(join(layout, complement(layout, cosize(layout))));
}

}  // namespace aisp::tile
