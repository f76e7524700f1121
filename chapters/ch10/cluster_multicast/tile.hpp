// What the rungs have in common: the tile, the ring and the stores. Clusters of 2x2 blocks then
// cover 256x256 of the output.
#pragma once

#include "tile/collective/gemm_config_sm90.hpp"

namespace aisp::ch10 {

constexpr tile::Sm90Config multicast_config(int cluster_m, int cluster_n) {
  return {.tile_m = 128,
          .tile_n = 128,
          .tile_k = 64,
          .stages = 6,
          .cluster_m = cluster_m,
          .cluster_n = cluster_n,
          .store = tile::Store::direct};
}

}  // namespace aisp::ch10
