// What a block whose warps all multiply does: for every tile that the scheduler hands out, main
// loop and epilogue.
#pragma once

#include "tile/arch/target.cuh"
#include "tile/collective/epilogue/tree.hpp"
#include "tile/schedule/work.hpp"

namespace aisp::tile {

template <class Recipe, class Loop, class Params>
TILE_DEVICE void tile_scheduler_loop(Loop& loop, const Params& params) {
  constexpr auto config = Recipe::config;
  typename Recipe::Epilogue epilogue(params.epilogue);
  typename Recipe::Schedule schedule(params.schedule, static_cast<int>(blockIdx.x),
                                     static_cast<int>(gridDim.x));
  for (WorkTile work; schedule.next(work);) {
    const OutputCoord corner{work.m * config.tile_m, work.n * config.tile_n, work.batch};
    const int k = work.k_first * config.tile_k;
    typename Loop::Accumulators accumulators;  // (M_ATOMS, N_ATOMS, MMA_C)
    loop.multiply(accumulators, {params.a, corner.row, corner.batch, k},
                  {params.b, corner.column, corner.batch, k}, work.k_count);
    epilogue.store(accumulators, corner);
  }
  epilogue.finish();
}

}  // namespace aisp::tile
