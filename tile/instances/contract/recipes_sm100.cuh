// The shapes that contractions are compiled for on sm_100.
#pragma once

#include "tile/device/contract/plan_sm100.cuh"
#include "tile/instances/gemm_sm100/recipes.cuh"

namespace aisp::tile::device {

namespace shape {
inline constexpr Sm100Config tcgen05_128x256{.tile_n = 256};
}

// Large contractions: a block loads a quarter less for each element of D.
template <Types types>
struct Tcgen05Contract128x256
    : Sm100Contraction<shaped(types, shape::tcgen05_128x256), LaunchControl> {
  static constexpr const char* name = "tcgen05_128x256";
};
template <Types types>
struct Tcgen05Contract128x128
    : Sm100Contraction<shaped(types, shape::tcgen05_128x128), Persistent> {
  static constexpr const char* name = "tcgen05_128x128";
};

}  // namespace aisp::tile::device
