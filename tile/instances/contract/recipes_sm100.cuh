// The shapes that contractions are compiled for on sm_100.
#pragma once

#include "tile/device/contract/plan_sm100.cuh"
#include "tile/instances/gemm_sm100/recipes.cuh"

namespace aisp::tile::device {

template <Types types>
struct UmmaContract128x128 : UmmaContraction<shaped(types, shape::umma_128x128), Persistent> {
  static constexpr const char* name = "tcgen05_128x128";
};

}  // namespace aisp::tile::device
