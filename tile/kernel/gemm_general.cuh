// The kernel that takes every product: correct for any extents, strides, alignment and elements,
// and slower than the ones that ask for more.
#pragma once

#include "tile/collective/epilogue/fragment_epilogue.cuh"
#include "tile/collective/mainloop/general.cuh"
#include "tile/kernel/tile_scheduler_loop.cuh"
#include "tile/schedule/work.hpp"

namespace aisp::tile {

template <Element a, Element b, class Epilogue_, TileSchedule Schedule_>
struct GeneralRecipe {
  using MainLoop = General<a, b>;
  using Epilogue = Epilogue_;
  using Schedule = Schedule_;
  static_assert(WarpMainLoop<MainLoop>);
  static constexpr Sm80Config config = MainLoop::config;
};

template <class Recipe>
struct GeneralParams {
  GeneralMatrix a, b;
  typename Recipe::Epilogue::Params epilogue;
  typename Recipe::Schedule::Params schedule;  // of tiles tile_m x tile_n x tile_k, not shared
};

// Static shared memory: nothing to ask for at the launch.
template <class Recipe>
__global__ void __launch_bounds__(Recipe::config.threads(), Recipe::config.blocks_per_sm)
    gemm_general(const __grid_constant__ GeneralParams<Recipe> params) {
  using MainLoop = typename Recipe::MainLoop;
  __shared__ typename MainLoop::Shared shared;
  MainLoop loop(shared);
  tile_scheduler_loop<Recipe>(loop, params);
}

}  // namespace aisp::tile
