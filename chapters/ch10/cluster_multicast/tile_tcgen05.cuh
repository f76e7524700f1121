// What the rungs for Blackwell have in common: the tile of the others, and two accumulators.
#pragma once

#include "chapters/common/tcgen05_rung.cuh"
#include "tile/schedule/persistent.hpp"

namespace aisp::ch10 {

constexpr tile::Sm100Config tcgen05_multicast_config(int cta_group, int cluster_m, int cluster_n) {
  return {.tile_m = 128 * cta_group,
          .tile_n = 128,
          .stages = 6,
          .cta_group = cta_group,
          .cluster_m = cluster_m,
          .cluster_n = cluster_n,
          .store = tile::Store::direct};
}

}  // namespace aisp::ch10
