// The cache that the rungs read: keys and values of all sequences in pages of a common pool, and
// the table that says which pages a sequence has.
#pragma once

#include <cstdint>
#include <vector>

#include "lab/case/case.hpp"

namespace aisp::ch11::kv {

struct CacheShape {
  std::int64_t keys = 0;  // of each sequence
  std::int64_t head_size = 0, batch = 0, heads = 0, kv_heads = 0;
  std::int64_t page = 0;  // keys in a page

  std::int64_t pages_per_sequence() const { return (keys + page - 1) / page; }
  std::int64_t pages() const { return batch * pages_per_sequence(); }
};

// From size.dims = {S, D, B, H, KV, page}.
CacheShape cache_shape(const lab::Size& size);

// (batch, pages_per_sequence): page j of sequence b. Every page of the pool belongs to one place,
// and neighbours lie anywhere, as after a long time of growing and freeing. The same in every run.
std::vector<std::int32_t> page_table(const CacheShape& shape);

}  // namespace aisp::ch11::kv
