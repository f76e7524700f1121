// How a tile of the product is cut from hierarchical modes: each mode gives a power of two of its
// elements, and the tile is their box. A mode that its part does not divide is rounded up: TMA
// fills up with zeros what it reads outside a tensor and leaves out what it would write there.
// Host only, pure.
#pragma once

#include <functional>
#include <optional>

#include "tile/collective/epilogue/folded_output.hpp"
#include "tile/device/contract/fold.hpp"

namespace aisp::tile::device {

constexpr int most_dims = 5;  // of a tensor map

using Boxes = std::vector<int>;  // elements of each mode, fastest first

inline std::int64_t box_count(const FoldedMode& mode, int box) {
  return (mode.extent + box - 1) / box;
}
inline std::int64_t tile_count(const FoldedModes& modes, const Boxes& boxes) {
  std::int64_t count = 1;
  for (std::size_t i = 0; i < modes.size(); ++i)
    count = std::min(count * box_count(modes[i], boxes[i]), 2 * detail::most_elements);
  return count;
}

// An index of a tensor map. Modes that the box holds whole and that lie in one another in this
// tensor, if not in the others, are one index; the last of them counts its boxes.
struct FoldedDim {
  std::int64_t extent = 1, stride = 0;
  int box = 1;
  int mode = 0;
};
using FoldedDims = std::vector<FoldedDim>;

inline FoldedDims dims_of(const FoldedModes& modes, const Boxes& boxes, Operand tensor) {
  FoldedDims dims;
  for (std::size_t i = 0; i < modes.size(); ++i) {
    const std::int64_t extent = modes[i].extent, stride = modes[i].stride[tensor];
    const bool goes_on = !dims.empty() && dims.back().box == dims.back().extent &&
                         dims.back().stride * dims.back().extent == stride;
    if (goes_on) {
      dims.back().extent *= extent;
      dims.back().box *= boxes[i];
      dims.back().mode = static_cast<int>(i);
    } else {
      dims.push_back({extent, stride, boxes[i], static_cast<int>(i)});
    }
  }
  return dims;
}

// The boxes of `tile` elements that `takes` and that round up the least; of equals those with the
// longest runs of the fast modes. Nothing where it takes none.
inline std::optional<Boxes> best_boxes(const FoldedModes& modes, int tile,
                                       const std::function<bool(const Boxes&)>& takes) {
  std::optional<Boxes> best;
  std::int64_t least = 0;
  Boxes boxes(modes.size());
  const std::function<void(std::size_t, int)> give = [&](std::size_t mode, int left) {
    boxes[mode] = left;
    if (mode + 1 < modes.size()) {
      for (; boxes[mode] >= 1; boxes[mode] /= 2) give(mode + 1, left / boxes[mode]);
      return;
    }
    const std::int64_t count = tile_count(modes, boxes);
    if ((best && count >= least) || !takes(boxes)) return;
    best = boxes;
    least = count;
  };
  give(0, tile);
  return best;
}

struct TileShape {
  int m = 128, n = 128, k = 64;
};

struct FoldedTiles {
  Boxes rows{}, columns{}, sum{};
  FoldedStore store{};
  std::int64_t m = 0, n = 0, k = 0, batch = 1;  // tiles, k-blocks, products
};

namespace detail {

constexpr int panel = 64;  // elements that TMA swizzles as one line

inline bool starts_with_line(const FoldedDims& dims, int line) {
  return dims[0].stride <= 1 && dims[0].box >= line;
}

// Whether TMA can write D in such boxes: it clips lines at 16 bytes.
inline bool stores_by_tma(const Folding& folding, const ContractionTensor& d, const Boxes& rows,
                          const Boxes& columns, FoldedSubtile subtile) {
  if (reinterpret_cast<std::uintptr_t>(d.data) % 16 != 0) return false;
  const FoldedDims across = dims_of(folding.columns, columns, operand_d);
  const FoldedDims along = dims_of(folding.rows, rows, operand_d);
  if (across.size() + along.size() + folding.batch.size() > most_dims) return false;
  const auto aligned = [&](std::int64_t elements) {
    return elements * bytes_of(d.element) % 16 == 0;
  };
  if (!starts_with_line(across, columns_of(subtile)) || !aligned(across[0].extent)) return false;
  const auto steps = [&](const FoldedDim& dim) { return aligned(dim.stride); };
  return std::all_of(across.begin() + 1, across.end(), steps) &&
         std::all_of(along.begin(), along.end(), steps) &&
         std::all_of(folding.batch.begin(), folding.batch.end(),
                     [&](const FoldedMode& mode) { return aligned(mode.stride[operand_d]); });
}

// In the order in which they are wanted.
inline std::vector<FoldedStore> stores_of(Element out) {
  using enum FoldedSubtile;
  if (out == Element::f32) return {{f32, true}, {f32, false}};
  return {{wide, true}, {narrow, true}, {wide, false}};
}

inline std::string kept_modes(const Folding& folding, const FoldedModes& side) {
  FoldedModes all = side;
  all.insert(all.end(), folding.sum.begin(), folding.sum.end());
  all.insert(all.end(), folding.batch.begin(), folding.batch.end());
  return listed(all);
}

}  // namespace detail

// Refuses an operand that keeps more modes than a tensor map has indices.
inline FoldedTiles tiles_of(const Folding& folding, const ContractionTensor& d,
                            const TileShape& shape) {
  using namespace detail;
  for (const FoldedModes* side : {&folding.rows, &folding.columns, &folding.sum, &folding.batch})
    if (side->size() > FoldedIndex::most)
      refuse_contraction("takes up to ", FoldedIndex::most,
                         " modes that stay apart among rows, columns, sum or batch: got ",
                         listed(*side), "; permute so that some of them lie in one another");
  FoldedTiles tiles;
  const Boxes single(folding.batch.size(), 1);
  const std::size_t batch = folding.batch.size();
  // The sum first: both operands have it. Never nothing: a whole k-block of the fastest mode always
  // does.
  tiles.sum = *best_boxes(folding.sum, shape.k, [&](const Boxes& boxes) {
    return (folding.a_major == Major::mn ||
            starts_with_line(dims_of(folding.sum, boxes, operand_a), panel)) &&
           (folding.b_major == Major::mn ||
            starts_with_line(dims_of(folding.sum, boxes, operand_b), panel));
  });
  const auto operand = [&](const FoldedModes& side, Operand tensor, Major major, int tile,
                           const auto& also) {
    const std::size_t rest = dims_of(folding.sum, tiles.sum, tensor).size() + batch;
    return best_boxes(side, tile, [&](const Boxes& boxes) {
      const FoldedDims dims = dims_of(side, boxes, tensor);
      return dims.size() + rest <= most_dims &&
             (major == Major::k || starts_with_line(dims, panel)) && also(boxes);
    });
  };
  const auto refuse_unless = [&](bool fits, bool first, const FoldedModes& side) {
    if (!fits)
      refuse_contraction(first != folding.swapped ? "A" : "B", " keeps the modes ",
                         kept_modes(folding, side), " apart, and TMA has ", most_dims,
                         " indices: permute it so that some of them lie in one another");
  };
  const auto rows =
      operand(folding.rows, operand_a, folding.a_major, shape.m, [](const Boxes&) { return true; });
  refuse_unless(rows.has_value(), true, folding.rows);
  tiles.rows = *rows;
  // Rounding up costs products, storing element by element a third more of a tile's time.
  double least = 0;
  for (const FoldedStore store : stores_of(d.element)) {
    const auto columns =
        operand(folding.columns, operand_b, folding.b_major, shape.n, [&](const Boxes& boxes) {
          return !store.by_tma || stores_by_tma(folding, d, tiles.rows, boxes, store.subtile);
        });
    if (!columns) continue;
    const double cost =
        static_cast<double>(tile_count(folding.columns, *columns)) * (store.by_tma ? 1 : 4.0 / 3);
    if (!tiles.columns.empty() && cost >= least) continue;
    tiles.columns = *columns;
    tiles.store = store;
    least = cost;
  }
  refuse_unless(!tiles.columns.empty(), false, folding.columns);
  tiles.m = tile_count(folding.rows, tiles.rows);
  tiles.n = tile_count(folding.columns, tiles.columns);
  tiles.k = tile_count(folding.sum, tiles.sum);
  tiles.batch = tile_count(folding.batch, single);
  const double largest = static_cast<double>(most_elements);
  if (static_cast<double>(tiles.m * shape.m) > largest ||
      static_cast<double>(tiles.n * shape.n) > largest ||
      static_cast<double>(tiles.k * shape.k) > largest ||
      static_cast<double>(tiles.m) * static_cast<double>(tiles.n) *
              static_cast<double>(tiles.batch) >
          largest)
    refuse_contraction("takes products of up to ", most_elements,
                       " rows, columns, terms and tiles: got ", tiles.m, " x ", tiles.n, " tiles, ",
                       tiles.k, " k-blocks, ", tiles.batch, " products; cut a mode");
  return tiles;
}

}  // namespace aisp::tile::device
