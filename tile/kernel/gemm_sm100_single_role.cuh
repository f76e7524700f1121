// The Blackwell GEMM kernel without roles: one thread of the first warp loads and multiplies, then
// all four warps store. Recipes are those of the kernel with roles with Tcgen05SingleRole as their
// main loop.
#pragma once

#include "tile/collective/mainloop/tcgen05_single_role.cuh"
#include "tile/kernel/gemm_sm100.cuh"

namespace aisp::tile {

template <Sm100Config config, EpilogueNode Tree, TileSchedule Schedule>
using Sm100SingleRoleRecipe = Sm100Recipe<config, Tree, Schedule, Tcgen05SingleRole<config>>;

constexpr int sm100_single_role_threads = 128;

template <class Recipe>
TILE_DEVICE void sm100_single_role_body(const GemmParams<Recipe>& params) {
  constexpr Sm100Config config = Recipe::config;
  using Accumulators = typename Recipe::Accumulators;
  auto& shared = sm100_shared<Recipe>();
  const int warp = arch::warp_uniform(static_cast<int>(threadIdx.x) / 32);
  sm100_begin(params, shared, warp == 0, warp == 0);

  typename Recipe::MainLoop loop(shared.operands, params.operands, shared.tmem);
  typename Recipe::Epilogue epilogue(shared.epilogue, params.epilogue, warp);
  typename Recipe::Schedule schedule(params.schedule, static_cast<int>(blockIdx.x),
                                     static_cast<int>(gridDim.x));
  Accumulators ring = Sm100Roles<Recipe>{params, shared, {}}.accumulators();
  auto filled = Accumulators::State::writer();
  auto stored = Accumulators::State::reader();
  for (WorkTile work; schedule.next(work); ++filled, ++stored) {
    const BlockTile tile = sm100_tile<config>(work, {});
    if (warp == 0 && arch::elect_one()) {
      ring.acquire(filled);                          // its last tile has been stored
      loop.multiply(ring.columns_of(filled), tile);  // (BLK_M, BLK_N)
      ring.commit(filled);                           // when the products are done
    }
    __syncwarp();
    ring.wait(stored);
    epilogue.store(ring.columns_of(stored), {tile.row, tile.column, tile.batch});
    ring.release(stored);
  }
  epilogue.finish();
  sm100_end(shared, warp == 0);
}

template <class Recipe>
__global__ void __launch_bounds__(sm100_single_role_threads, Recipe::config.residents)
    gemm_sm100_single_role(const __grid_constant__ GemmParams<Recipe> params) {
  sm100_single_role_body<Recipe>(params);
}

}  // namespace aisp::tile
