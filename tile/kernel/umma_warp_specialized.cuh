// The Blackwell GEMM kernel: one warp loads, one thread issues products for its block or a pair of
// blocks, four warps store, one asks for further tiles where the launch control hands them out.
// Which tile comes next and what happens to the accumulators are parts that a recipe names, the
// same ones as on Hopper.
#pragma once

#include "tile/collective/epilogue/tmem_epilogue.cuh"
#include "tile/collective/mainloop/umma_operands.cuh"
#include "tile/kernel/gemm_params.cuh"
#include "tile/kernel/role_tiles.cuh"
#include "tile/pipeline/tmem_ring.cuh"
#include "tile/schedule/grouped.hpp"
#include "tile/schedule/work.hpp"

namespace aisp::tile {

// What a kernel is built from: a type with these members. A recipe of its own name (derived from
// this) gives the kernel a name that a profile can show.
template <UmmaConfig config_, EpilogueNode Tree_, TileSchedule Schedule_,
          class MainLoop_ = UmmaOperands<config_>, class Maps_ = UmmaMaps<config_>,
          class Output_ = UmmaOutput<config_>>
requires(Schedule_::kind == ScheduleKind::whole_tiles &&
         UmmaMainLoop<MainLoop_, config_>) struct UmmaRecipe {
  static_assert(umma_admitted<config_>);
  static constexpr UmmaConfig config = config_;
  using Tree = Tree_;
  using Schedule = Schedule_;
  using MainLoop = MainLoop_;
  using Maps = Maps_;
  using Workspace = NoWorkspace;
  using Epilogue = TmemEpilogue<config, Tree, Output_>;
  using Accumulators =
      TmemRing<config.accumulators, config.accumulator_columns(), config.cta_group>;
};

// GEMMs of different sizes in one launch.
template <UmmaConfig config, EpilogueNode Tree>
using UmmaGroupedRecipe =
    UmmaRecipe<config, Tree, Grouped, UmmaOperands<config>, GroupMaps, GroupOutput>;

template <class Recipe>
struct UmmaShared {
  UmmaBuffers<Recipe::config> operands;
  typename Recipe::Epilogue::Shared epilogue;
  typename TileAnswers<Recipe>::Shared tiles;
  typename Recipe::Accumulators::Barriers accumulators;
  arch::TmemAddress tmem;
};

// The tile of this block, or of its pair.
template <UmmaConfig config>
TILE_DEVICE BlockTile umma_tile(const WorkTile& work, TileCluster at) {
  return {(work.m * config.cluster_m + at.tile.m) * config.tile_m,
          (work.n * config.cluster_n + at.tile.n) * config.tile_n, work.batch, work.k_first,
          work.k_count};
}

// One block's view of the kernel; its functions are the roles.
template <class Recipe>
struct UmmaRoles {
  static constexpr UmmaConfig config = Recipe::config;
  using Accumulators = typename Recipe::Accumulators;
  using Masks = ClusterMasks<config.cta_group, config.cluster_m, config.cluster_n>;

  const GemmParams<Recipe>& params;
  UmmaShared<Recipe>& shared;
  TileCluster at;

  TILE_DEVICE Accumulators accumulators() {
    constexpr int first = config.tmem().first("accumulators");
    return {shared.accumulators, arch::tmem_at(shared.tmem, 0, first), Masks::of_tile(at.tile)};
  }

  TILE_DEVICE void load() {
    UmmaLoader<config, typename Recipe::Maps> loader(shared.operands, params.operands, at);
    RoleTiles<Recipe, 1> tiles(params.schedule, shared.tiles);
    for (WorkTile work; tiles.next(work);) loader.load(umma_tile<config>(work, at));
    loader.drain();
  }

  // One thread of the pair's leader.
  TILE_DEVICE void issue() {
    typename Recipe::MainLoop loop(shared.operands, at, shared.tmem);
    RoleTiles<Recipe, 1> tiles(params.schedule, shared.tiles);
    Accumulators ring = accumulators();
    auto slot = Accumulators::State::writer();
    for (WorkTile work; tiles.next(work); ++slot) {
      ring.acquire(slot);  // its last tile has been stored
      loop.multiply(ring.columns_of(slot), umma_tile<config>(work, at));  // (BLK_M, BLK_N)
      ring.commit(slot);  // when the products are done
    }
  }

  TILE_DEVICE void store(int warp) {
    typename Recipe::Epilogue epilogue(shared.epilogue, params.epilogue, warp);
    RoleTiles<Recipe, 32> tiles(params.schedule, shared.tiles);
    Accumulators ring = accumulators();
    auto slot = Accumulators::State::reader();
    for (WorkTile work; tiles.next(work); ++slot) {
      const BlockTile tile = umma_tile<config>(work, at);
      ring.wait(slot);
      epilogue.store(ring.columns_of(slot),
                     {tile.row + at.half * config.block_m(), tile.column, tile.batch});
      ring.release(slot);
    }
    epilogue.finish();
  }
};

// All threads of the block, or of the cluster.
template <UmmaConfig config>
TILE_DEVICE void umma_meet() {
  arch::tcgen05_fence_before_sync();
  if constexpr (config.blocks() == 1)
    __syncthreads();
  else
    arch::cluster_sync();
  arch::tcgen05_fence_after_sync();
}

template <class Recipe>
TILE_DEVICE UmmaShared<Recipe>& umma_shared() {
  extern __shared__ char raw[];
  return *reinterpret_cast<UmmaShared<Recipe>*>((reinterpret_cast<std::uintptr_t>(raw) + 1023) &
                                                ~std::uintptr_t{1023});
}

// Barriers and columns of tensor memory are there when it returns: one warp makes them, one
// allocates.
template <class Recipe>
TILE_DEVICE void umma_begin(const GemmParams<Recipe>& params, UmmaShared<Recipe>& shared,
                            bool makes_barriers, bool allocates) {
  constexpr UmmaConfig config = Recipe::config;
  static_assert(admitted_tmem<config.tmem()>);
  if (makes_barriers && arch::elect_one()) {
    params.operands.prefetch();
    UmmaOperandRing<config>::init(shared.operands.ring);
    Recipe::Accumulators::init(shared.accumulators);
    if constexpr (takes_over<typename Recipe::Schedule>)
      TileAnswers<Recipe>::Ring::init(shared.tiles);
    arch::fence_mbarrier_init();
  }
  __syncwarp();
  if constexpr (config.cta_group == 2) arch::cluster_sync();  // the peer runs: both allocate
  if (allocates) {
    arch::tmem_alloc<config.cta_group>(&shared.tmem, config.tmem().allocation());
    arch::tmem_relinquish<config.cta_group>();
  }
  umma_meet<config>();
}

// Peers may still write to this block's barriers and buffers, and to its tensor memory.
template <class Recipe>
TILE_DEVICE void umma_end(UmmaShared<Recipe>& shared, bool allocated) {
  constexpr UmmaConfig config = Recipe::config;
  __syncwarp();
  umma_meet<config>();
  if (allocated) arch::tmem_dealloc<config.cta_group>(shared.tmem, config.tmem().allocation());
  if constexpr (config.cta_group == 2) arch::cluster_sync();  // both are there to deallocate
}

template <class Recipe>
TILE_DEVICE void umma_body(const GemmParams<Recipe>& params) {
  constexpr UmmaConfig config = Recipe::config;
  auto& shared = umma_shared<Recipe>();
  const int warp = arch::warp_uniform(static_cast<int>(threadIdx.x) / 32);
  umma_begin(params, shared, warp == config.load_warp, warp == config.issue_warp);
  UmmaRoles<Recipe> roles{params, shared,
                          tile_cluster<config.cta_group, config.cluster_m, config.cluster_n>()};
  if (warp < 4)
    roles.store(warp);
  else if (warp == config.load_warp && arch::elect_one())
    roles.load();
  else if (warp == config.issue_warp && roles.at.leads() && arch::elect_one())
    roles.issue();
  else if (warp == config.ask_warp && arch::elect_one())
    ask_role<Recipe>(shared.tiles);
  umma_end(shared, warp == config.issue_warp);
}

template <class Recipe>
__global__ void __launch_bounds__(Recipe::config.threads(), Recipe::config.residents)
    gemm_umma(const __grid_constant__ GemmParams<Recipe> params) {
  umma_body<Recipe>(params);
}

}  // namespace aisp::tile
