// The Blackwell GEMM kernel: one warp loads, one thread issues products for its block or a pair of
// blocks, four warps store, one asks for further tiles where the launch control hands them out.
// Which tile comes next and what happens to the accumulators are parts that a recipe names, the
// same ones as on Hopper.
#pragma once

#include "tile/collective/epilogue/epilogue_sm100.cuh"
#include "tile/collective/mainloop/tcgen05.cuh"
#include "tile/kernel/gemm_params.cuh"
#include "tile/kernel/role_tiles.cuh"
#include "tile/pipeline/tmem_ring.cuh"
#include "tile/schedule/grouped.hpp"
#include "tile/schedule/work.hpp"

namespace aisp::tile {

// What a kernel is built from: a type with these members. A recipe of its own name (derived from
// this) gives the kernel a name that a profile can show.
template <Sm100Config config_, EpilogueNode Tree_, TileSchedule Schedule_,
          class MainLoop_ = Tcgen05Operands<config_>, class Maps_ = Sm100Maps<config_>,
          class Output_ = Sm100Output<config_>>
requires(Schedule_::kind == ScheduleKind::whole_tiles &&
         Sm100MainLoop<MainLoop_, config_>) struct Sm100Recipe {
  static_assert(sm100_admitted<config_>);
  static constexpr Sm100Config config = config_;
  using Tree = Tree_;
  using Schedule = Schedule_;
  using MainLoop = MainLoop_;
  using Maps = Maps_;
  using Workspace = NoWorkspace;
  using Epilogue = Sm100Epilogue<config, Tree, Output_>;
  using Accumulators =
      TmemRing<config.accumulators, config.accumulator_columns(), config.cta_group>;
};

// GEMMs of different sizes in one launch.
template <Sm100Config config, EpilogueNode Tree>
using Sm100GroupedRecipe =
    Sm100Recipe<config, Tree, Grouped, Tcgen05Operands<config>, GroupMaps, GroupOutput>;

template <class Recipe>
struct Sm100Shared {
  Sm100Buffers<Recipe::config> operands;
  typename Recipe::Epilogue::Shared epilogue;
  typename TileAnswers<Recipe>::Shared tiles;
  typename Recipe::Accumulators::Barriers accumulators;
  arch::TmemAddress tmem;
};

// The tile of this block, or of its pair.
template <Sm100Config config>
TILE_DEVICE BlockTile sm100_tile(const WorkTile& work, TileCluster at) {
  return {(work.m * config.cluster_m + at.tile.m) * config.tile_m,
          (work.n * config.cluster_n + at.tile.n) * config.tile_n, work.batch, work.k_first,
          work.k_count};
}

// One block's view of the kernel; its functions are the roles.
template <class Recipe>
struct Sm100Roles {
  static constexpr Sm100Config config = Recipe::config;
  using Accumulators = typename Recipe::Accumulators;
  using Masks = ClusterMasks<config.cta_group, config.cluster_m, config.cluster_n>;

  const GemmParams<Recipe>& params;
  Sm100Shared<Recipe>& shared;
  TileCluster at;

  TILE_DEVICE Accumulators accumulators() {
    constexpr int first = config.tmem().first("accumulators");
    return {shared.accumulators, arch::tmem_at(shared.tmem, 0, first), Masks::of_tile(at.tile)};
  }

  TILE_DEVICE void load() {
    Sm100Loader<config, typename Recipe::Maps> loader(shared.operands, params.operands, at);
    RoleTiles<Recipe, 1> tiles(params.schedule, shared.tiles);
    for (WorkTile work; tiles.next(work);) loader.load(sm100_tile<config>(work, at));
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
      loop.multiply(ring.columns_of(slot), sm100_tile<config>(work, at));  // (BLK_M, BLK_N)
      ring.commit(slot);  // when the products are done
    }
  }

  TILE_DEVICE void store(int warp) {
    typename Recipe::Epilogue epilogue(shared.epilogue, params.epilogue, warp);
    RoleTiles<Recipe, 32> tiles(params.schedule, shared.tiles);
    Accumulators ring = accumulators();
    auto slot = Accumulators::State::reader();
    for (WorkTile work; tiles.next(work); ++slot) {
      const BlockTile tile = sm100_tile<config>(work, at);
      ring.wait(slot);
      epilogue.store(ring.columns_of(slot),
                     {tile.row + at.half * config.block_m(), tile.column, tile.batch});
      ring.release(slot);
    }
    epilogue.finish();
  }
};

// All threads of the block, or of the cluster.
template <Sm100Config config>
TILE_DEVICE void sm100_meet() {
  arch::tcgen05_fence_before_sync();
  if constexpr (config.blocks() == 1)
    __syncthreads();
  else
    arch::cluster_sync();
  arch::tcgen05_fence_after_sync();
}

template <class Recipe>
TILE_DEVICE Sm100Shared<Recipe>& sm100_shared() {
  extern __shared__ char raw[];
  return *reinterpret_cast<Sm100Shared<Recipe>*>((reinterpret_cast<std::uintptr_t>(raw) + 1023) &
                                                 ~std::uintptr_t{1023});
}

// Barriers and columns of tensor memory are there when it returns: one warp makes them, one
// allocates.
template <class Recipe>
TILE_DEVICE void sm100_begin(const GemmParams<Recipe>& params, Sm100Shared<Recipe>& shared,
                             bool makes_barriers, bool allocates) {
  constexpr Sm100Config config = Recipe::config;
  static_assert(admitted_tmem<config.tmem()>);
  if (makes_barriers && arch::elect_one()) {
    params.operands.prefetch();
    Sm100OperandRing<config>::init(shared.operands.ring);
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
  sm100_meet<config>();
}

// Peers may still write to this block's barriers and buffers, and to its tensor memory.
template <class Recipe>
TILE_DEVICE void sm100_end(Sm100Shared<Recipe>& shared, bool allocated) {
  constexpr Sm100Config config = Recipe::config;
  __syncwarp();
  sm100_meet<config>();
  if (allocated) arch::tmem_dealloc<config.cta_group>(shared.tmem, config.tmem().allocation());
  if constexpr (config.cta_group == 2) arch::cluster_sync();  // both are there to deallocate
}

template <class Recipe>
TILE_DEVICE void sm100_body(const GemmParams<Recipe>& params) {
  constexpr Sm100Config config = Recipe::config;
  auto& shared = sm100_shared<Recipe>();
  const int warp = arch::warp_uniform(static_cast<int>(threadIdx.x) / 32);
  sm100_begin(params, shared, warp == config.load_warp, warp == config.issue_warp);
  Sm100Roles<Recipe> roles{params, shared,
                           tile_cluster<config.cta_group, config.cluster_m, config.cluster_n>()};
  if (warp < 4)
    roles.store(warp);
  else if (warp == config.load_warp && arch::elect_one())
    roles.load();
  else if (warp == config.issue_warp && roles.at.leads() && arch::elect_one())
    roles.issue();
  else if (warp == config.ask_warp && arch::elect_one())
    ask_role<Recipe>(shared.tiles);
  sm100_end(shared, warp == config.issue_warp);
}

template <class Recipe>
__global__ void __launch_bounds__(Recipe::config.threads(), Recipe::config.residents)
    gemm_sm100(const __grid_constant__ GemmParams<Recipe> params) {
  sm100_body<Recipe>(params);
}

}  // namespace aisp::tile
