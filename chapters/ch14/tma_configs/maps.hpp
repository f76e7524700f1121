// Tensor maps for a copy, and how its boxes lie on them.
#pragma once

#include <cuda.h>

#include "chapters/ch14/tma_configs/config.hpp"

namespace aisp::ch14 {

inline constexpr int most_rank = 5;

// The boxes of a tensor, counted along each index.
struct BoxGrid {
  int rank = 0;
  int boxes[most_rank]{}, box[most_rank]{};  // box: elements
  std::int64_t count() const {
    std::int64_t product = 1;
    for (int i = 0; i < rank; ++i) product *= boxes[i];
    return product;
  }
};

struct CopyMaps {
  CUtensorMap from, to;
  BoxGrid grid;                 // of `to`
  int pixels[most_rank - 2]{};  // of an image along each direction; im2col mode
};

CopyMaps copy_maps(const CopyConfig& config, const CopyShape& shape, const void* from, void* to);

}  // namespace aisp::ch14
