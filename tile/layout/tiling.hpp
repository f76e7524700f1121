// Division cuts a layout into tiles, product repeats a block; both come in several arrangements of
// the same modes. T is what lies within a tile or block, R what is repeated:
//   logical  ((T0,R0),(T1,R1))   zipped ((T0,T1),(R0,R1))   tiled ((T0,T1),R0,R1)   flat
//   (T0,T1,R0,R1)
#pragma once

#include "tile/layout/algebra.hpp"

namespace aisp::tile {

// A tile shape as tilers: each mode on its own is contiguous, (4,8) -> (4,8):(1,1).
TILE_FN Layout tilers_of(const Shape& tile) {
  Layout out = no_modes();
  for (int at = 0; at < rank(tile); ++at) out.push(column_major(mode(tile, at)));
  out.enclose(0, 1, out.shape.count - 1, 1);
  return out;
}

// (tile, rest) of the layout as one sequence of indices; the tiler says which indices a tile takes.
TILE_FN Attempt try_logical_divide(const Layout& layout, const Layout& tiler) {
  if (size(layout) % size(tiler) != 0)
    return refused(LayoutRule::tile_divides, size(tiler), size(layout));
  const Attempt rest = try_complement(tiler, size(layout));
  if (rest.refusal) return rest;
  return try_compose(layout, join(tiler, rest.layout));
}
TILE_FN Layout logical_divide(const Layout& layout, const Layout& tiler) {
  return settled(try_logical_divide(layout, tiler));
}

// Mode i of the layout divided by mode i of the tilers; modes beyond them become (1,mode).
TILE_FN Attempt try_divide_by_mode(const Layout& layout, const Layout& tilers) {
  if (rank(tilers) > rank(layout))
    return refused(LayoutRule::same_rank, rank(tilers), rank(layout));
  Layout out = no_modes();
  for (int at = 0; at < rank(layout); ++at) {
    const Layout part = mode(layout, at);
    if (at >= rank(tilers)) {
      out.push(join(Layout{}, part));
      continue;
    }
    const Attempt divided = try_logical_divide(part, mode(tilers, at));
    if (divided.refusal) return divided;
    out.push(divided.layout);
  }
  out.enclose(0, 1, out.shape.count - 1, 1);
  return {out, {}};
}
TILE_FN Layout divide_by_mode(const Layout& layout, const Layout& tilers) {
  return settled(try_divide_by_mode(layout, tilers));
}

namespace detail {

// From ((T0,R0),(T1,R1),(1,M2)) with two tilers: the T or the R modes side by side.
TILE_FN Layout tile_modes(const Layout& divided, int tilers) {
  Layout out = no_modes();
  for (int at = 0; at < tilers; ++at) out.push(mode(mode(divided, at), 0));
  out.enclose(0, 1, out.shape.count - 1, 1);
  return out;
}
TILE_FN Layout rest_modes(const Layout& divided) {
  Layout out = no_modes();
  for (int at = 0; at < rank(divided); ++at) out.push(mode(mode(divided, at), 1));
  out.enclose(0, 1, out.shape.count - 1, 1);
  return out;
}

// The modes of both layouts in one.
TILE_FN Layout concatenated(const Layout& a, const Layout& b) {
  Layout out = a;
  for (int at = 0; at < rank(b); ++at) out = append(out, mode(b, at));
  return out;
}

}  // namespace detail

TILE_FN Attempt try_zipped_divide(const Layout& layout, const Layout& tilers) {
  const Attempt divided = try_divide_by_mode(layout, tilers);
  if (divided.refusal) return divided;
  return {
      join(detail::tile_modes(divided.layout, rank(tilers)), detail::rest_modes(divided.layout)),
      {}};
}
TILE_FN Layout zipped_divide(const Layout& layout, const Layout& tilers) {
  return settled(try_zipped_divide(layout, tilers));
}
TILE_FN Layout tiled_divide(const Layout& layout, const Layout& tilers) {
  const Layout zipped = zipped_divide(layout, tilers);
  return detail::concatenated(join(mode(zipped, 0)), mode(zipped, 1));
}
TILE_FN Layout flat_divide(const Layout& layout, const Layout& tilers) {
  const Layout zipped = zipped_divide(layout, tilers);
  return detail::concatenated(mode(zipped, 0), mode(zipped, 1));
}

TILE_FN Layout divide_by_mode(const Layout& layout, const Shape& tile) {
  return divide_by_mode(layout, tilers_of(tile));
}
TILE_FN Layout zipped_divide(const Layout& layout, const Shape& tile) {
  return zipped_divide(layout, tilers_of(tile));
}
TILE_FN Layout tiled_divide(const Layout& layout, const Shape& tile) {
  return tiled_divide(layout, tilers_of(tile));
}
TILE_FN Layout flat_divide(const Layout& layout, const Shape& tile) {
  return flat_divide(layout, tilers_of(tile));
}
template <Layout layout, Shape tile>
TILE_FN Layout zipped_divide() {
  constexpr Attempt attempt = try_zipped_divide(layout, tilers_of(tile));
  admit<attempt.refusal>();
  return attempt.layout;
}

// (block, copies): the block, and where its copies go; copies are laid out by the tiler into the
// offsets that the block leaves free.
TILE_FN Attempt try_logical_product(const Layout& block, const Layout& tiler) {
  const Attempt free = try_complement(block, fitting(1LL * size(block) * cosize(tiler)));
  if (free.refusal) return free;
  const Attempt copies = try_compose(free.layout, tiler);
  if (copies.refusal) return copies;
  return {join(block, copies.layout), {}};
}
TILE_FN Layout logical_product(const Layout& block, const Layout& tiler) {
  return settled(try_logical_product(block, tiler));
}
// A product by one whole tiler is zipped as it stands.
TILE_FN Layout zipped_product(const Layout& block, const Layout& tiler) {
  return logical_product(block, tiler);
}
TILE_FN Layout tiled_product(const Layout& block, const Layout& tiler) {
  const Layout product = logical_product(block, padded(tiler, 1));
  return detail::concatenated(join(block), mode(product, 1));
}
TILE_FN Layout flat_product(const Layout& block, const Layout& tiler) {
  return detail::concatenated(block, mode(logical_product(block, padded(tiler, 1)), 1));
}

namespace detail {

// ((A0,B0),(A1,B1),…)
TILE_FN Layout zipped(const Layout& a, const Layout& b) {
  Layout out = no_modes();
  for (int at = 0; at < rank(a); ++at) out.push(join(mode(a, at), mode(b, at)));
  out.enclose(0, 1, out.shape.count - 1, 1);
  return out;
}

}  // namespace detail

// Mode by mode, the block contiguous in its mode: ((B0,C0),(B1,C1)). Copies stand beside each
// other.
TILE_FN Attempt try_blocked_product(const Layout& block, const Layout& tiler) {
  const int modes = rank(block) > rank(tiler) ? rank(block) : rank(tiler);
  const Attempt product = try_logical_product(padded(block, modes), padded(tiler, modes));
  if (product.refusal) return product;
  return {detail::zipped(mode(product.layout, 0), mode(product.layout, 1)), {}};
}
TILE_FN Layout blocked_product(const Layout& block, const Layout& tiler) {
  return settled(try_blocked_product(block, tiler));
}

// Mode by mode, the copies interleaved: ((C0,B0),(C1,B1)).
TILE_FN Layout raked_product(const Layout& block, const Layout& tiler) {
  const int modes = rank(block) > rank(tiler) ? rank(block) : rank(tiler);
  const Layout product = logical_product(padded(block, modes), padded(tiler, modes));
  return detail::zipped(mode(product, 1), mode(product, 0));
}

// Repeats the block until it fills the target shape, copies ordered by `order` (smallest first).
TILE_FN Attempt try_tile_to_shape(const Layout& block, const Shape& target, const Tuple& order) {
  if (rank(block) != rank(target)) return refused(LayoutRule::same_rank, rank(block), rank(target));
  Shape copies;
  for (int at = 0; at < rank(target); ++at) {
    const int extent = size(mode(target, at)), tile = size(mode(block, at));
    if (extent % tile != 0) return refused(LayoutRule::tile_divides, tile, extent);
    copies.push(extent / tile);
  }
  copies.wrap();
  const Attempt product = try_blocked_product(block, ordered(copies, order));
  if (product.refusal) return product;
  return {coalesce(product.layout, copies), {}};
}
TILE_FN Layout tile_to_shape(const Layout& block, const Shape& target, const Tuple& order) {
  return settled(try_tile_to_shape(block, target, order));
}
template <Layout block, Shape target, Tuple order>
TILE_FN Layout tile_to_shape() {
  constexpr Attempt attempt = try_tile_to_shape(block, target, order);
  admit<attempt.refusal>();
  return attempt.layout;
}

}  // namespace aisp::tile
