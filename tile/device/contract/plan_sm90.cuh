// Recipes of contractions for sm_90.
#pragma once

#include "tile/collective/epilogue/folded_epilogue_sm90.cuh"
#include "tile/collective/load/folded_loader_sm90.cuh"
#include "tile/device/contract/plan.cuh"
#include "tile/device/gemm/plan_sm90.cuh"

namespace aisp::tile::device {

template <Sm90Config config, class Schedule>
using Contraction = Sm90Recipe<config, Scaled<Accumulator>, Schedule, WgmmaOperands<config>,
                               FoldedMaps, FoldedOutput>;

}  // namespace aisp::tile::device
