// From an attention problem with few queries to what the decode kernel is told, whoever compiles
// it.
#pragma once

#include <algorithm>
#include <cmath>
#include <numeric>

#include "tile/collective/decode/params.hpp"
#include "tile/device/attention/head_map.hpp"

namespace aisp::tile::device {

// Keys or values to TMA, in boxes of 64 columns and `box_rows` rows of one head.
inline CUtensorMap decode_map(const HeadTensor& tensor, const AttentionProblem& p, int box_rows) {
  HeadExtents extent{p.head_size, p.kv_rows, p.kv_heads, p.batch};
  if (p.page_table != nullptr)
    extent.rows = p.page_rows, extent.batch = p.pages;
  else if (p.kv_starts != nullptr)
    extent.rows = p.kv_total, extent.batch = 1;
  return describe_heads(tensor, extent, DecodeConfig::panel_columns, box_rows,
                        SwizzleMode::bytes_128);
}

// Rows of a tile of 16 go to one warp, or to four that divide the keys.
inline int decode_key_groups(int rows) { return rows <= 16 ? 4 : rows <= 32 ? 2 : 1; }

// Cutting heads makes all blocks end together, and costs a second launch. It is left out where
// heads are too short to be cut, and where each block has so many of them that one more or less
// hardly counts.
inline bool decode_whole_heads(std::int64_t heads, int tiles_per_head, int blocks) {
  return tiles_per_head <= least_decode_tiles || heads >= 16 * static_cast<std::int64_t>(blocks);
}

// The problem as the kernels see it, without workspace.
inline DecodeProblem decode_problem(const AttentionProblem& p) {
  const bool packed = p.query_starts != nullptr;
  const int group = p.query_heads / p.kv_heads;
  const int rows = p.query_rows * group;
  // As far as no sequence reaches; larger numbers would overflow when added up.
  const auto bound = [&](int window) {
    const int far = p.kv_rows + p.query_rows;
    return window == unlimited ? far : std::min(window, far);
  };
  const auto heads = [](const HeadTensor& tensor) {
    return DecodeHeads{static_cast<char*>(const_cast<void*>(tensor.data)), tensor.row_stride,
                       tensor.head_stride, tensor.batch_stride};
  };
  const double scale = p.scale != 0 ? p.scale : 1 / std::sqrt(static_cast<double>(p.head_size));
  DecodeProblem problem{};
  problem.work.sequences = {.query_rows = p.query_rows,
                            .kv_rows = p.kv_rows,
                            .heads_per_kv_head = group,
                            .window_left = bound(p.window_left),
                            .window_right = bound(p.window_right),
                            .query_starts = p.query_starts,
                            .kv_starts = p.kv_starts,
                            .kv_lengths = p.kv_lengths};
  problem.work.batch = p.batch;
  problem.work.kv_heads = p.kv_heads;
  problem.rows = rows;
  problem.key_groups = decode_key_groups(rows);
  problem.q = heads(p.q);
  problem.o = heads(p.o);
  problem.scale = static_cast<float>(scale * 1.4426950408889634);  // log2(e)
  problem.log_sum_exp = p.log_sum_exp;
  problem.log_head_stride = packed ? p.query_total : p.query_rows;
  problem.log_batch_stride = static_cast<std::int64_t>(p.query_heads) * p.query_rows;
  return problem;
}

inline DecodePages decode_pages(const AttentionProblem& p) {
  if (p.page_table == nullptr) return {nullptr, 0, 0, 0, decode_tile_keys};
  return {.table = p.page_table,
          .page_rows = p.page_rows,
          .pages_per_sequence = p.pages_per_sequence,
          .pages = static_cast<int>(p.pages),
          .box_rows = std::gcd(p.page_rows, decode_tile_keys)};
}

}  // namespace aisp::tile::device
