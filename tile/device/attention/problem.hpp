// Attention as a user states it: O = softmax(scale * Q K' + mask) V, for every sequence and head.
#pragma once

#include <cstdint>

#include "tile/atom/element.hpp"

namespace aisp::tile::device {

// Rows of head_size contiguous elements; strides count elements. (batch, heads, rows, head_size)
// and (batch, rows, heads, head_size) are both such tensors.
struct HeadTensor {
  const void* data = nullptr;
  Element element = Element::bf16;
  std::int64_t row_stride = 0, head_stride = 0;
  std::int64_t batch_stride = 0;  // from one sequence to the next, or from one page to the next

  constexpr bool operator==(const HeadTensor&) const = default;
};

// No bound on that side of the window.
inline constexpr int unlimited = -1;

// fp8 tensors have one scale for so many rows of a head: value = code * scale.
inline constexpr int rows_per_scale = 128;

struct AttentionProblem {
  int batch = 1;
  int query_heads = 1, kv_heads = 1;  // a multiple: neighbouring query heads share keys and values
  int query_rows = 0, kv_rows = 0;    // of a sequence; of the longest where lengths vary
  int head_size = 0;
  HeadTensor q{}, k{}, v{}, o{};
  float scale = 0;  // 0: 1 / sqrt(head_size)

  // Query i sees key j when i + shift - window_left <= j <= i + shift + window_right, where shift
  // is the number of keys minus that of queries: the last query is beside the last key. A causal
  // mask is window_right = 0. A query that sees no key gets zeros.
  int window_left = unlimited, window_right = unlimited;

  // Sequences packed one after the other: sequence b has the rows [starts[b], starts[b + 1]) of
  // one tensor without a batch. batch + 1 numbers in device memory each; both or neither.
  const std::int32_t* query_starts = nullptr;
  const std::int32_t* kv_starts = nullptr;
  std::int64_t query_total = 0, kv_total = 0;  // rows of the packed tensors
  // Only so many of a sequence's kv_rows hold keys: batch numbers in device memory. For padded and
  // paged keys; the others are never used, whatever they hold.
  const std::int32_t* kv_lengths = nullptr;

  // Keys and values in pages: row j of sequence b is row j % page_rows of page
  // page_table[b * pages_per_sequence + j / page_rows]; k and v have `pages` pages and
  // batch_stride counts from page to page.
  const std::int32_t* page_table = nullptr;
  int page_rows = 0, pages_per_sequence = 0;
  std::int64_t pages = 0;

  // ln(sum of exp(score)), f32, (batch, query_heads, query_rows), packed (query_heads,
  // query_total); may be null.
  float* log_sum_exp = nullptr;

  // For e4m3: f32, (batch, heads, ceil(rows / rows_per_scale)).
  const float* q_scales = nullptr;
  const float* k_scales = nullptr;
  const float* v_scales = nullptr;

  constexpr bool operator==(const AttentionProblem&) const = default;
};

// No sequence has a key: o is zeros, log_sum_exp -infinity, k and v are not looked at.
constexpr bool has_no_keys(const AttentionProblem& problem) {
  return problem.kv_rows == 0 && problem.kv_starts == nullptr && problem.page_table == nullptr;
}

}  // namespace aisp::tile::device
