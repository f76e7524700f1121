// The shapes that contractions are compiled for on sm_90.
#pragma once

#include "tile/device/contract/plan_sm90.cuh"
#include "tile/instances/gemm_sm90/recipes.cuh"

namespace aisp::tile::device {

template <Types types>
struct Contract128x256 : Contraction<shaped(types, shape::cooperative_128x256_pair), Persistent> {
  static constexpr const char* name = "cooperative_128x256_pair";
};
template <Types types>
struct Contract128x128 : Contraction<shaped(types, shape::ping_pong_128x128_pair), Persistent> {
  static constexpr const char* name = "ping_pong_128x128_pair";
};

}  // namespace aisp::tile::device
