// The Hopper GEMM kernel without roles: every warpgroup multiplies, one thread among them loads.
// Recipes are those of the warp-specialised kernel with WgmmaSingleRole as their main loop.
#pragma once

#include "tile/arch/warp.cuh"
#include "tile/collective/mainloop/wgmma_single_role.cuh"
#include "tile/kernel/gemm_sm90.cuh"

namespace aisp::tile {

template <Sm90Config config, EpilogueNode Tree, TileSchedule Schedule>
using Sm90SingleRoleRecipe = Sm90Recipe<config, Tree, Schedule, WgmmaSingleRole<config>>;

template <Sm90Config config>
constexpr int single_role_threads = 128 * config.math_warpgroups;

// The schedule hands out whole tiles: there is no workspace for split-K slices.
template <class Recipe>
TILE_DEVICE void single_role_body(const GemmParams<Recipe>& params) {
  constexpr Sm90Config config = Recipe::config;
  extern __shared__ char raw[];
  auto& shared = *reinterpret_cast<Sm90Shared<Recipe>*>(
      (reinterpret_cast<std::uintptr_t>(raw) + 1023) & ~std::uintptr_t{1023});
  if (threadIdx.x == 0) {
    params.operands.prefetch();
    Sm90OperandRing<config>::init(shared.operands.ring);
  }
  __syncthreads();

  const int warpgroup = arch::warp_uniform(static_cast<int>(threadIdx.x) / 128);
  const int first_row = first_row_of<config>(warpgroup);
  typename Recipe::MainLoop loop(shared.operands, params.operands, first_row);
  typename Recipe::Epilogue epilogue(shared.epilogue, params.epilogue, warpgroup);
  typename Recipe::Schedule schedule(params.schedule, static_cast<int>(blockIdx.x),
                                     static_cast<int>(gridDim.x));
  Accumulators<config> accumulators;  // (MMA_M, (4, BLK_N / 8))
  for (WorkTile work; schedule.next(work);) {
    const BlockTile tile = block_tile<config>(work, {});
    loop.multiply(accumulators, tile);
    epilogue.store(accumulators, tile, first_row);
  }
  epilogue.finish();
}

template <class Recipe>
__global__ void __launch_bounds__(single_role_threads<Recipe::config>)
    gemm_sm90_single_role(const __grid_constant__ GemmParams<Recipe> params) {
  single_role_body<Recipe>(params);
}

}  // namespace aisp::tile
