#include "lab/judge/attention_shape.hpp"

#include <algorithm>

namespace aisp::lab {

SeenKeys seen_keys(const AttentionShape& shape, std::int64_t query) {
  const std::int64_t beside = query + shape.keys - shape.queries;
  const std::int64_t first = shape.left < 0 ? 0 : beside - shape.left;
  const std::int64_t last = shape.right < 0 ? shape.keys : beside + shape.right + 1;
  return {std::max<std::int64_t>(first, 0), std::min(last, shape.keys)};
}

double AttentionShape::pairs() const {
  double count = 0;
  for (std::int64_t query = 0; query < queries; ++query) {
    const SeenKeys seen = seen_keys(*this, query);
    count += static_cast<double>(std::max<std::int64_t>(seen.last - seen.first, 0));
  }
  return count;
}

}  // namespace aisp::lab
