// The kernel that takes every product: correct for any extents, strides, alignment and elements,
// and slower than the ones that ask for more.
#pragma once

#include "tile/collective/general.cuh"
#include "tile/collective/patch_epilogue.cuh"
#include "tile/schedule/work.hpp"

namespace tile {

template <Element a, Element b, class Epilogue_, TileSchedule Schedule_>
struct GeneralRecipe {
  using MainLoop = General<a, b>;
  using Epilogue = Epilogue_;
  using Schedule = Schedule_;
  static constexpr MultistageConfig config = MainLoop::config;
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
  constexpr MultistageConfig config = Recipe::config;
  __shared__ typename MainLoop::Shared shared;
  const MainLoop loop(shared);
  typename Recipe::Epilogue epilogue(params.epilogue);
  typename Recipe::Schedule schedule(params.schedule, static_cast<int>(blockIdx.x),
                                     static_cast<int>(gridDim.x));
  for (WorkTile work; schedule.next(work);) {
    const Place corner{work.m * config.tile_m, work.n * config.tile_n, work.batch};
    const int k = work.k_first * config.tile_k;
    typename MainLoop::Sums sums;
    loop.multiply(sums, {params.a, corner.row, corner.batch, k},
                  {params.b, corner.column, corner.batch, k}, work.k_count);
    epilogue.store(sums, corner);
  }
  epilogue.finish();
}

}  // namespace tile
