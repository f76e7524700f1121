// The recipes of convolutions on Blackwell by their shape: pairs of blocks, and one block with few
// output channels where there are few pixels.
#pragma once

#include "tile/device/conv2d/kernels_sm100.cuh"
#include "tile/instances/conv2d/add_recipes.cuh"
#include "tile/instances/gemm_sm100/recipes.cuh"

namespace aisp::tile::device {

template <Types types>
struct Tcgen05Conv256x128 : Sm100Convolution<shaped(types, shape::tcgen05_256x128_pair),
                                             ProductTree<types.out>, LaunchControl> {
  static constexpr const char* name = "tcgen05_256x128_pair";
};
template <Types types>
struct Tcgen05Conv128x64
    : Sm100Convolution<shaped(types, shape::tcgen05_128x64), ProductTree<types.out>, Persistent> {
  static constexpr const char* name = "tcgen05_128x64";
};

}  // namespace aisp::tile::device
