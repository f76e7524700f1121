// How the tiles come: in batches, of which a launch takes one.
#pragma once

#include <cstdint>
#include <vector>

#include "lab/case/rung.hpp"

namespace aisp::ch11 {

// A tile is (192, 128): matrices of 72 and 32 KiB from the left and the right, 48 KiB of its own.
inline constexpr int batch_tile_rows = 192;

struct Batch {
  int first, count;  // tiles
};

// As equal as they can be; those without tiles are left out.
inline std::vector<Batch> batches_of(const lab::Problem& problem) {
  const std::int64_t tiles = problem.size.dims.at(0), batches = problem.size.dims.at(1);
  std::vector<Batch> all;
  for (std::int64_t i = 0; i < batches; ++i) {
    const auto first = static_cast<int>(tiles * i / batches);
    const auto end = static_cast<int>(tiles * (i + 1) / batches);
    if (end > first) all.push_back({first, end - first});
  }
  return all;
}

}  // namespace aisp::ch11
