// Recipes of contractions for sm_100: one block for a tile.
#pragma once

#include "tile/collective/epilogue/folded_epilogue_sm100.cuh"
#include "tile/collective/load/folded_loader_sm100.cuh"
#include "tile/device/contract/plan.cuh"
#include "tile/device/gemm/plan_sm100.cuh"

namespace aisp::tile::device {

template <Sm100Config config, class Schedule>
using Sm100Contraction = Sm100Recipe<config, Scaled<Accumulator>, Schedule, Tcgen05Operands<config>,
                                     FoldedMaps, FoldedOutput>;

}  // namespace aisp::tile::device
