// What the rungs have in common: one tile of 128x128 for a block, one accumulator, one thread that
// loads and multiplies.
#pragma once

#include "tile/kernel/gemm_sm100_single_role.cuh"
#include "tile/schedule/single.hpp"

namespace aisp::ch09 {

constexpr tile::Sm100Config tcgen05_ring(int stages, int residents = 1) {
  return {
      .stages = stages, .accumulators = 1, .store = tile::Store::direct, .residents = residents};
}
template <int stages, int residents = 1>
using Tcgen05Ring = tile::Sm100SingleRoleRecipe<tcgen05_ring(stages, residents), tile::Accumulator,
                                                tile::SingleTile>;

}  // namespace aisp::ch09
