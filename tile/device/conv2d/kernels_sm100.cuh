// Convolutions and their gradients as recipes for sm_100, as kernels_sm90.cuh has them for sm_90.
#pragma once

#include "tile/collective/epilogue/im2col_output_sm100.cuh"
#include "tile/collective/epilogue/nodes.hpp"
#include "tile/collective/load/im2col_loader_sm100.cuh"
#include "tile/collective/load/im2col_weights_loader_sm100.cuh"
#include "tile/device/gemm/plan_sm100.cuh"

namespace aisp::tile::device {

template <Sm100Config config, EpilogueNode Tree, class Schedule>
using Sm100Convolution = Sm100Recipe<config, Tree, Schedule, Tcgen05Operands<config>, Im2colMaps>;

template <Sm100Config config>
using Tcgen05BackwardData = Sm100Recipe<config, Scaled<Accumulator>, Grouped,
                                        Tcgen05Operands<config>, Im2colMaps, PixelOutput>;

template <Sm100Config config, class Schedule>
using Tcgen05BackwardWeights = Sm100Recipe<config, Scaled<Accumulator>, Schedule,
                                           Tcgen05Operands<config>, Im2colWeightMaps, FilterOutput>;

}  // namespace aisp::tile::device
