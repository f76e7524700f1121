// What is said about many latencies.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <stdexcept>
#include <vector>

namespace aisp::ch11 {

// The smallest of the values that at least `share` of all values are not above (nearest rank): of
// 1000 the 990th for 0.99.
inline double percentile(std::vector<double> values, double share) {
  if (values.empty()) throw std::logic_error("a percentile of no values");
  const auto count = static_cast<double>(values.size());
  const double rank = std::clamp(std::ceil(share * count), 1.0, count);
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(rank) - 1;
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

}  // namespace aisp::ch11
