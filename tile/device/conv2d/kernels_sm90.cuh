// Convolutions and their gradients as recipes for sm_90: the kernel of a GEMM with another loader
// and, for the gradients, another output.
#pragma once

#include "tile/collective/epilogue/im2col_output.cuh"
#include "tile/collective/epilogue/nodes.hpp"
#include "tile/collective/load/im2col_weights_loader.cuh"
#include "tile/device/gemm/plan_sm90.cuh"

namespace aisp::tile::device {

template <GemmConfig config, EpilogueNode Tree, class Schedule>
using Convolution = GemmRecipe<config, Tree, Schedule, SharedOperands<config>, Im2colMaps>;

template <GemmConfig config>
using BackwardData = GemmRecipe<config, Scaled<Accumulator>, Grouped, SharedOperands<config>,
                                Im2colMaps, PixelOutput>;

template <GemmConfig config, class Schedule>
using BackwardWeights = GemmRecipe<config, Scaled<Accumulator>, Schedule, SharedOperands<config>,
                                   Im2colWeightMaps, FilterOutput>;

}  // namespace aisp::tile::device
