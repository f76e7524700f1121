// From an attention problem to what the kernel with roles is told, whoever compiles the kernel.
#pragma once

#include <cmath>

#include "tile/collective/attention/config_sm90.hpp"
#include "tile/device/attention/head_map.hpp"
#include "tile/kernel/attention_arguments.hpp"

namespace aisp::tile::device {

// Beyond every sequence, and far from the ends of int.
inline constexpr int no_bound = 1 << 28;

inline AttentionSequences sequences_of(const AttentionProblem& p) {
  const auto bound = [](int window) { return window == unlimited ? no_bound : window; };
  return {.query_rows = p.query_rows,
          .kv_rows = p.kv_rows,
          .heads_per_kv_head = p.query_heads / p.kv_heads,
          .window_left = bound(p.window_left),
          .window_right = bound(p.window_right),
          .query_starts = p.query_starts,
          .kv_starts = p.kv_starts,
          .kv_lengths = p.kv_lengths};
}

// Keys and values of the heads that are worked on together should stay in L2. Where all rows of a
// head take as long, its tiles simply follow one another.
inline int heads_together(const AttentionProblem& p) {
  const int shared = p.query_heads / p.kv_heads, all = p.query_heads * p.batch;
  if (p.window_right == unlimited) return shared;
  constexpr std::int64_t keep = 8 << 20;  // measured: 8 to 16 MiB, of the 50 of an H200, are best
  const std::int64_t head =
      std::int64_t{2} * p.kv_rows * p.head_size * bytes_of(p.k.element);  // of keys and values
  const std::int64_t fit = keep / (head > 0 ? head : 1);
  return static_cast<int>(fit < 1 ? 1 : fit > all ? all : fit) * shared;
}

// Where the rows that see the most keys come first.
inline AttentionTiles tiles_of(const AttentionProblem& p, int block_rows) {
  return {.row_tiles = (p.query_rows + block_rows - 1) / block_rows,
          .heads = p.query_heads,
          .sequences = p.batch,
          .group = heads_together(p),
          .last_rows_first = p.window_right != unlimited};
}

inline AttentionParams attention_params(const Sm90AttentionConfig& config,
                                        const AttentionProblem& p) {
  AttentionParams params{};
  const bool packed = p.query_starts != nullptr, paged = p.page_table != nullptr;
  const std::int64_t batch = packed ? 1 : p.batch;
  const HeadExtents queries{p.head_size, packed ? p.query_total : p.query_rows, p.query_heads,
                            batch};
  HeadExtents keys{p.head_size,
                   paged         ? p.page_rows
                   : p.kv_starts ? p.kv_total
                                 : p.kv_rows,
                   p.kv_heads, paged ? p.pages : batch};
  HeadTensor k_tensor = p.k, v_tensor = p.v;
  if (has_no_keys(p)) {  // maps that TMA takes; no key is ever copied through them
    k_tensor = v_tensor = p.q;
    keys = queries;
  }
  const OperandTile q = config.q_tile(), k = config.k_tile(), v = config.v_tile(),
                    o = config.o_tile();
  const int box_rows = paged && p.page_rows < config.block_keys ? p.page_rows : config.block_keys;
  params.q = describe_heads(p.q, queries, q.panel_width(), q.rows, q.swizzle);
  params.k = describe_heads(k_tensor, keys, k.panel_width(), box_rows, k.swizzle);
  if (!config.fp8())  // where it is transposed first
    params.v = describe_heads(v_tensor, keys, v.panel_width(), box_rows, v.swizzle);
  params.o = describe_heads(p.o, queries, o.panel_width(), o.rows, o.swizzle);
  params.sequences = sequences_of(p);
  params.pages = {p.page_table, p.page_rows, p.pages_per_sequence, box_rows};
  const auto scales = [](int rows) { return (rows + rows_per_scale - 1) / rows_per_scale; };
  params.scales = {p.q_scales, p.k_scales, p.v_scales, scales(p.query_rows), scales(p.kv_rows)};
  params.out = {static_cast<char*>(const_cast<void*>(p.o.data)),
                p.o.row_stride,
                p.o.head_stride,
                p.o.batch_stride,
                p.log_sum_exp,
                packed ? p.query_total : p.query_rows,
                std::int64_t{p.query_heads} * p.query_rows};
  params.kv_heads = p.kv_heads;
  const double scale = p.scale != 0 ? p.scale : 1 / std::sqrt(static_cast<double>(p.head_size));
  params.scale_log2 = static_cast<float>(scale * 1.4426950408889634);
  return params;
}

}  // namespace aisp::tile::device
