// A contraction of two tensors as a user states it: each tensor with the names of its modes, their
// extents and strides.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/refuse.hpp"
#include "tile/atom/element.hpp"

namespace aisp::tile::device {

struct ContractionTensor {
  std::string modes{};  // a letter for each index, the outermost first
  std::vector<std::int64_t> extents{};
  std::vector<std::int64_t> strides{};  // in elements; none: dense, the last mode contiguous
  Element element = Element::bf16;
  const void* data = nullptr;

  bool operator==(const ContractionTensor&) const = default;
};

// D = alpha times the sum, over the modes that A and B share and D lacks, of A B. A and B both bf16
// or both f16, sums in f32, D as A or f32. A mode in A and D is a row of the product, one in B and
// D a column, one in all three a batch.
struct ContractionProblem {
  ContractionTensor a{}, b{}, d{};
  float alpha = 1;

  bool operator==(const ContractionProblem&) const = default;
};

inline std::vector<std::int64_t> dense_strides(const std::vector<std::int64_t>& extents) {
  std::vector<std::int64_t> strides(extents.size());
  std::int64_t step = 1;
  for (std::size_t i = extents.size(); i-- > 0; step *= std::max<std::int64_t>(1, extents[i]))
    strides[i] = step;
  return strides;
}

// contraction("bhsd,hde->bse", {{'b', 4}, ...}): dense tensors without data.
inline ContractionProblem contraction(std::string_view expression,
                                      const std::map<char, std::int64_t>& extents) {
  const std::size_t comma = expression.find(','), arrow = expression.find("->");
  if (comma == expression.npos || arrow == expression.npos || comma > arrow)
    base::refuse(base::Exit::usage, "contraction: '", expression,
                 "' is not of the form 'bhsd,hde->bse'");
  const auto tensor = [&](std::string_view modes) {
    ContractionTensor made{.modes = std::string(modes)};
    for (const char mode : modes) {
      const auto found = extents.find(mode);
      if (found == extents.end())
        base::refuse(base::Exit::usage, "contraction: mode '", mode, "' of '", expression,
                     "' has no extent");
      made.extents.push_back(found->second);
    }
    return made;
  };
  return {.a = tensor(expression.substr(0, comma)),
          .b = tensor(expression.substr(comma + 1, arrow - comma - 1)),
          .d = tensor(expression.substr(arrow + 2))};
}

}  // namespace aisp::tile::device
