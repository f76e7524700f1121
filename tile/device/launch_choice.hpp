// What a plan is made with besides the problem, and what it becomes.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <functional>

#include "tile/schedule/tile_order.hpp"

namespace tile::device {

// What is decided at run time: the order of tiles, and shares of the sum over K.
struct LaunchChoice {
  Raster raster{.along = Raster::Along::m, .group = 8};
  int splits = 1;
};

// Gives device memory that outlives the plan.
using Allocate = std::function<void*(std::size_t bytes)>;
using GemmRun = std::function<void(cudaStream_t)>;

}  // namespace tile::device
