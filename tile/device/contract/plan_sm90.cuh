// Recipes of contractions for sm_90.
#pragma once

#include "tile/collective/epilogue/folded_epilogue.cuh"
#include "tile/collective/load/folded_loader.cuh"
#include "tile/device/contract/plan.cuh"
#include "tile/device/gemm/plan_sm90.cuh"

namespace aisp::tile::device {

template <GemmConfig config, class Schedule>
using Contraction = GemmRecipe<config, Scaled<Accumulator>, Schedule, SharedOperands<config>,
                               FoldedMaps, FoldedOutput>;

}  // namespace aisp::tile::device
