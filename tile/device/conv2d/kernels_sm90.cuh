// Convolutions and their gradients as recipes for sm_90: the kernel of a GEMM with another loader
// and, for the gradients, another output.
#pragma once

#include "tile/collective/epilogue/im2col_output_sm90.cuh"
#include "tile/collective/epilogue/nodes.hpp"
#include "tile/collective/load/im2col_loader_sm90.cuh"
#include "tile/collective/load/im2col_weights_loader_sm90.cuh"
#include "tile/device/gemm/plan_sm90.cuh"

namespace aisp::tile::device {

template <Sm90Config config, EpilogueNode Tree, class Schedule>
using Convolution = Sm90Recipe<config, Tree, Schedule, WgmmaOperands<config>, Im2colMaps>;

template <Sm90Config config>
using BackwardData = Sm90Recipe<config, Scaled<Accumulator>, Grouped, WgmmaOperands<config>,
                                Im2colMaps, PixelOutput>;

template <Sm90Config config, class Schedule>
using BackwardWeights = Sm90Recipe<config, Scaled<Accumulator>, Schedule, WgmmaOperands<config>,
                                   Im2colWeightMaps, FilterOutput>;

}  // namespace aisp::tile::device
