// What attention with roles is told at run time, as the host fills it in.
#pragma once

#include <cuda.h>

#include "tile/collective/attention/tile.hpp"

namespace aisp::tile {

// Keys and values in pages, or not (`table` is null).
struct AttentionPages {
  const std::int32_t* table;
  int page_rows, per_sequence;
  int box_rows;  // what one copy brings: a page's rows, or those of a block where pages are larger
};

struct AttentionScales {
  const float* q;  // null where elements need none
  const float* k;
  const float* v;
  int q_count, k_count;  // scales of one head
};

struct AttentionOut {
  char* data;
  std::int64_t row_stride, head_stride, batch_stride;  // in elements
  float* log_sum_exp;                                  // may be null
  std::int64_t lse_head_stride, lse_batch_stride;
};

struct AttentionParams {
  CUtensorMap q, k, v, o;
  AttentionSequences sequences;
  AttentionPages pages;
  AttentionScales scales;
  AttentionOut out;
  int kv_heads;
  float scale_log2;  // of the scores, with log2 e
};

}  // namespace aisp::tile
