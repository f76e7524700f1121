// A folded contraction as the kernel sees it: tensor maps, and where the boxes of a tile start.
#pragma once

#include <bit>

#include "tile/collective/epilogue/folded_output.hpp"
#include "tile/collective/load/folded_boxes.cuh"
#include "tile/device/contract/boxes.hpp"
#include "tile/device/launch/tensor_map.hpp"

namespace aisp::tile::device {

namespace detail {

inline FoldedIndex index_of(const FoldedModes& modes, const Boxes& boxes) {
  FoldedIndex index{.modes = static_cast<int>(modes.size())};
  for (std::size_t i = 0; i < modes.size(); ++i)
    index.count[i] = static_cast<int>(box_count(modes[i], boxes[i]));
  return index;
}

// Indices of a tensor map in their order.
class MapOfDims {
 public:
  MapOfDims(const void* data, const OperandTile& tile) {
    tensor_.element = tile.element;
    tensor_.data = data;
    tensor_.swizzle = tile.swizzle;
  }

  // `box` of what the tile has of the index; `steps` are told how its modes move it.
  void add(const FoldedDim& dim, int box, FoldedSteps& steps) {
    const int d = tensor_.rank++;
    tensor_.extent[d] = static_cast<cuuint64_t>(dim.extent);
    tensor_.box[d] = static_cast<cuuint32_t>(box);
    // One element has no stride; TMA wants one all the same.
    const std::int64_t bytes = dim.extent > 1 ? dim.stride * bytes_of(tensor_.element) : 16;
    if (d > 0) tensor_.stride[d - 1] = static_cast<cuuint64_t>(bytes);
    steps.of[dim.mode][d] = dim.box;
  }
  int rank() const { return tensor_.rank; }
  int box(int d) const { return static_cast<int>(tensor_.box[d]); }
  void halve(int d, int parts) { tensor_.box[d] /= static_cast<cuuint32_t>(parts); }

  CUtensorMap encoded(const char* name) {
    while (tensor_.rank < 5) {
      tensor_.extent[tensor_.rank] = tensor_.box[tensor_.rank] = 1;
      tensor_.stride[tensor_.rank++ - 1] = 16;
    }
    CUtensorMap map;
    const CUresult result = encode_map(tensor_, map);
    if (result != CUDA_SUCCESS)
      refuse_contraction("no tensor map for ", name, " (CUresult ", static_cast<int>(result),
                         "): its address must be a multiple of 16 bytes, its strides below 2^40");
    return map;
  }

 private:
  TensorInMemory tensor_{};
};

// Where elements `first`, 2 * `first`, ... of a side begin, along its indices: those of the map
// from `place` on, the fastest at `fastest`.
template <int count>
void fill_steps(int (&steps)[count][5], int first, const FoldedDims& side, int fastest, int place) {
  for (int i = 0; i < count; ++i) {
    int left = i * first;
    for (std::size_t j = 0; j < side.size() && left > 0; ++j) {
      steps[i][j == 0 ? fastest : place + static_cast<int>(j) - 1] = left % side[j].box;
      left /= side[j].box;
    }
  }
}

// The tile in shared memory: lines along the contiguous index, one panel after the other. In a
// cluster each block loads one of `parts` of the lines.
inline FoldedOperand operand_of(const char* name, const void* data, const OperandTile& tile,
                                int parts, const FoldedDims& rows, const FoldedDims& sum,
                                const FoldedDims& batch) {
  const bool k_major = tile.major == Major::k;
  const FoldedDims &across = k_major ? sum : rows, &lines = k_major ? rows : sum;
  FoldedOperand operand{};
  FoldedSteps &across_steps = k_major ? operand.sum : operand.side,
              &line_steps = k_major ? operand.side : operand.sum;
  MapOfDims map(data, tile);
  map.add(across[0], tile.panel_width(), across_steps);
  for (const FoldedDim& dim : lines) map.add(dim, dim.box, line_steps);
  const int last_line = map.rank() - 1;
  for (std::size_t i = 1; i < across.size(); ++i) map.add(across[i], 1, across_steps);
  for (const FoldedDim& dim : batch) map.add(dim, 1, operand.batch);
  fill_steps(operand.panel, tile.panel_width(), across, 0, last_line + 1);
  int slowest = last_line;
  while (map.box(slowest) == 1) --slowest;
  map.halve(slowest, parts);
  operand.part[slowest] = map.box(slowest);
  operand.map = map.encoded(name);
  return operand;
}

inline FoldedAxis axis_of(const FoldedModes& modes, const Boxes& boxes) {
  FoldedAxis axis{.modes = static_cast<int>(modes.size())};
  for (std::size_t i = 0; i < modes.size(); ++i) {
    axis.log_box[i] = std::countr_zero(static_cast<unsigned>(boxes[i]));
    axis.extent[i] = static_cast<int>(modes[i].extent);
    axis.stride[i] = modes[i].stride[operand_d];
  }
  return axis;
}

}  // namespace detail

template <auto config>
FoldedMaps folded_maps(const ContractionProblem& problem, const Folding& folding,
                       const FoldedTiles& tiles) {
  using namespace detail;
  const Boxes single(folding.batch.size(), 1);
  const auto operand = [&](Operand tensor, const FoldedModes& side, const Boxes& boxes,
                           const OperandTile& tile, int parts) {
    const bool a = (tensor == operand_a) != folding.swapped;
    FoldedOperand made = operand_of(
        a ? "A" : "B", (a ? problem.a : problem.b).data, tile, parts, dims_of(side, boxes, tensor),
        dims_of(folding.sum, tiles.sum, tensor), dims_of(folding.batch, single, tensor));
    made.advance = made.sum.advances(index_of(folding.sum, tiles.sum));
    return made;
  };
  return {
      .a = operand(operand_a, folding.rows, tiles.rows, config.a_tile(), config.cluster_n),
      .b = operand(operand_b, folding.columns, tiles.columns, config.b_tile(), config.cluster_m),
      .rows = index_of(folding.rows, tiles.rows),
      .columns = index_of(folding.columns, tiles.columns),
      .sum = index_of(folding.sum, tiles.sum),
      .batch = index_of(folding.batch, single)};
}

inline FoldedOutput folded_output(const ContractionTensor& d, const Folding& folding,
                                  const FoldedTiles& tiles) {
  using namespace detail;
  const Boxes single(folding.batch.size(), 1);
  FoldedOutput out{};
  out.store = tiles.store;
  out.rows = index_of(folding.rows, tiles.rows);
  out.columns = index_of(folding.columns, tiles.columns);
  out.batch = index_of(folding.batch, single);
  out.data = const_cast<void*>(d.data);
  out.along = axis_of(folding.rows, tiles.rows);
  out.across = axis_of(folding.columns, tiles.columns);
  for (std::size_t i = 0; i < folding.batch.size(); ++i)
    out.batch_stride[i] = folding.batch[i].stride[operand_d];
  if (!tiles.store.by_tma) return out;
  const FoldedDims along = dims_of(folding.rows, tiles.rows, operand_d);
  const FoldedDims across = dims_of(folding.columns, tiles.columns, operand_d);
  const int width = columns_of(tiles.store.subtile);
  const int bytes = width * bytes_of(d.element);
  MapOfDims map(d.data, {d.element, Major::k, 16, width, widest_swizzle(bytes)});
  map.add(across[0], width, out.column_steps);
  int rows = 16;
  for (const FoldedDim& dim : along) {
    map.add(dim, std::min(dim.box, rows), out.row_steps);
    rows /= std::min(dim.box, rows);
  }
  const int place = map.rank();
  for (std::size_t i = 1; i < across.size(); ++i) map.add(across[i], 1, out.column_steps);
  for (const FoldedDim& dim : dims_of(folding.batch, single, operand_d))
    map.add(dim, 1, out.batch_steps);
  fill_steps(out.row_group, 16, along, 1, 2);
  fill_steps(out.subtile, width, across, 0, place);
  out.map = map.encoded("D");
  return out;
}

}  // namespace aisp::tile::device
