// Recipes of contractions for sm_100: one block for a tile.
#pragma once

#include "tile/collective/epilogue/umma_folded_epilogue.cuh"
#include "tile/collective/load/umma_folded_loader.cuh"
#include "tile/device/contract/plan.cuh"
#include "tile/device/gemm/plan_sm100.cuh"

namespace aisp::tile::device {

template <UmmaConfig config, class Schedule>
using UmmaContraction = UmmaRecipe<config, Scaled<Accumulator>, Schedule, UmmaOperands<config>,
                                   FoldedMaps, FoldedOutput>;

}  // namespace aisp::tile::device
