// What a block whose warps all multiply does: tile after tile of the schedule, main loop, epilogue.
#pragma once

#include "tile/arch/device.cuh"
#include "tile/collective/epilogue_tree.hpp"
#include "tile/schedule/work.hpp"

namespace tile {

template <class Recipe, class MainLoop, class Params>
TILE_DEVICE void walk_tiles(MainLoop& loop, const Params& params) {
  constexpr auto config = Recipe::config;
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
