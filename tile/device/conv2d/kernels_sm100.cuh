// Convolutions and their gradients as recipes for sm_100, as kernels_sm90.cuh has them for sm_90.
#pragma once

#include "tile/collective/epilogue/nodes.hpp"
#include "tile/collective/epilogue/umma_im2col_output.cuh"
#include "tile/collective/load/umma_im2col_loader.cuh"
#include "tile/collective/load/umma_im2col_weights_loader.cuh"
#include "tile/device/gemm/plan_sm100.cuh"

namespace aisp::tile::device {

template <UmmaConfig config, EpilogueNode Tree, class Schedule>
using UmmaConvolution = UmmaRecipe<config, Tree, Schedule, UmmaOperands<config>, Im2colMaps>;

template <UmmaConfig config>
using UmmaBackwardData =
    UmmaRecipe<config, Scaled<Accumulator>, Grouped, UmmaOperands<config>, Im2colMaps, PixelOutput>;

template <UmmaConfig config, class Schedule>
using UmmaBackwardWeights = UmmaRecipe<config, Scaled<Accumulator>, Schedule, UmmaOperands<config>,
                                       Im2colWeightMaps, FilterOutput>;

}  // namespace aisp::tile::device
