// The extents of an attention and which keys a query of it sees.
#pragma once

#include <cstdint>

namespace aisp::lab {

struct AttentionShape {
  std::int64_t batch = 0, heads = 0, kv_heads = 0, queries = 0, keys = 0, head_size = 0;
  // Query i sees key j when i + keys - queries - left <= j <= i + keys - queries + right; -1: no
  // bound. causal: right = 0.
  std::int64_t left = -1, right = -1;

  // Pairs of a query and a key it sees, in one head.
  double pairs() const;
};

// The keys [first, last) that a query sees; none where last <= first.
struct SeenKeys {
  std::int64_t first = 0, last = 0;
};
SeenKeys seen_keys(const AttentionShape& shape, std::int64_t query);

}  // namespace aisp::lab
