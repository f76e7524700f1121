// The Hopper GEMM kernel: one warp loads, the math warpgroups multiply and store. Which tile comes
// next, how operands are multiplied and what happens to the accumulators are parts that a recipe
// names.
#pragma once

#include "tile/arch/barrier.cuh"
#include "tile/arch/setmaxnreg.cuh"
#include "tile/arch/warp.cuh"
#include "tile/collective/epilogue/epilogue_sm90.cuh"
#include "tile/collective/mainloop/wgmma.cuh"
#include "tile/collective/split_k/reduce_scatter.cuh"
#include "tile/kernel/gemm_params.cuh"
#include "tile/schedule/grouped.hpp"
#include "tile/schedule/work.hpp"

namespace aisp::tile {

// What a kernel is built from: a type with these members. A recipe of its own name (derived from
// this) gives the kernel a name that a profile can show.
template <Sm90Config config_, EpilogueNode Tree_, TileSchedule Schedule_,
          class MainLoop_ = WgmmaOperands<config_>, class Maps_ = BatchMaps,
          class Output_ = BatchOutput>
requires MainLoop<MainLoop_, config_>
struct Sm90Recipe {
  static constexpr Sm90Config config = config_;
  using Tree = Tree_;
  using Schedule = Schedule_;
  using MainLoop = MainLoop_;
  using Maps = Maps_;
  using Workspace = SplitKWorkspace;
  using Epilogue = Sm90Epilogue<config, Tree, Output_>;
};

// GEMMs of different sizes in one launch.
template <Sm90Config config, EpilogueNode Tree>
using Sm90GroupedRecipe =
    Sm90Recipe<config, Tree, Grouped, WgmmaOperands<config>, GroupMaps, GroupOutput>;

template <class Recipe>
struct Sm90Shared {
  Sm90Buffers<Recipe::config> operands;
  typename Recipe::Epilogue::Shared epilogue;
  arch::MBarrier turn[2];
};

// Ping-pong: a warpgroup multiplies when it is its turn. Without it a warpgroup could wait for a
// parity of the ring that is several laps away.
template <bool takes_turns>
class Turns {
 public:
  TILE_DEVICE Turns(arch::MBarrier (&turn)[2], int warpgroup)
      : turn_(turn), warpgroup_(warpgroup), phase_(warpgroup == 0 ? 1 : 0) {}
  // Tiles go to the warpgroups in turn; called once for each.
  TILE_DEVICE bool mine() { return !takes_turns || tile_++ % 2 == warpgroup_; }
  TILE_DEVICE void wait() {
    if constexpr (takes_turns) arch::mbarrier_wait(&turn_[warpgroup_], phase_);
    phase_ ^= 1;
  }
  // By every warp: one that has not seen its own turn yet must not find the next one there. Sums of
  // few k-blocks leave nothing else between two turns to wait for it.
  TILE_DEVICE void pass() {
    if (takes_turns && threadIdx.x % 32 == 0) arch::mbarrier_arrive(&turn_[1 - warpgroup_]);
  }
  static constexpr int arrivals = 4;  // warps of a warpgroup

 private:
  arch::MBarrier (&turn_)[2];
  int warpgroup_, tile_ = 0;
  unsigned phase_;
};

// Where a math warpgroup's rows start in the tile.
template <Sm90Config config>
TILE_DEVICE int first_row_of(int warpgroup) {
  return config.roles == Roles::ping_pong ? 0 : warpgroup * config.rows_of_warpgroup();
}

template <Sm90Config config>
TILE_DEVICE BlockTile block_tile(const WorkTile& work, ClusterCoord coord) {
  return {(work.m * config.cluster_m + coord.m) * config.tile_m,
          (work.n * config.cluster_n + coord.n) * config.tile_n, work.batch, work.k_first,
          work.k_count};
}

template <class Recipe>
TILE_DEVICE void load_role(const GemmParams<Recipe>& params, Sm90Shared<Recipe>& shared,
                           typename Recipe::Schedule schedule, ClusterCoord coord) {
  Sm90Loader<Recipe::config, typename Recipe::Maps> loader(shared.operands, params.operands, coord);
  for (WorkTile work; schedule.next(work);) loader.load(block_tile<Recipe::config>(work, coord));
}

// The next tile that this warpgroup multiplies; the ring's slots of others' are passed over.
template <class Schedule, class Turns, class Loop>
TILE_DEVICE bool next_work(Schedule& schedule, Turns& turns, Loop& loop, WorkTile& work) {
  while (schedule.next(work)) {
    if (turns.mine()) return true;
    loop.skip(work.k_count);
  }
  return false;
}

// A split-K slice of a tile is multiplied: true where this block goes on to store the tile.
template <class Recipe, class Epilogue>
TILE_DEVICE bool reduce_slices(const GemmParams<Recipe>& params, const WorkTile& work,
                               Accumulators<Recipe::config>& accumulators, Epilogue& epilogue,
                               ClusterCoord coord, int warpgroup) {
  constexpr Sm90Config config = Recipe::config;
  if constexpr (Recipe::Schedule::kind == ScheduleKind::split_k_scatter) {
    const BlockTile tile = block_tile<config>(work, coord);
    const SplitKReduceScatter<config> reduce(params.workspace, coord, warpgroup);
    reduce.finish(accumulators, work.slot, work.slice, work.slices,
                  [&](int m_atom, int fragment, auto four) {
                    epilogue.store_fragment_of({{{four.x, four.y}, {four.z, four.w}}}, m_atom,
                                               fragment, tile, first_row_of<config>(warpgroup));
                  });
    return false;
  } else {
    const SplitKReduce<config> reduce(params.workspace, coord, warpgroup);
    if (work.slice == 0)
      reduce.add(accumulators, work.slot, work.slices - 1);
    else
      reduce.leave(accumulators, work.slot + work.slice - 1);
    return work.slice == 0;
  }
}

template <class Recipe>
TILE_DEVICE void math_role(const GemmParams<Recipe>& params, Sm90Shared<Recipe>& shared,
                           typename Recipe::Schedule schedule, ClusterCoord coord, int warpgroup) {
  constexpr Sm90Config config = Recipe::config;
  constexpr bool ping_pong = config.roles == Roles::ping_pong;
  const int first_row = first_row_of<config>(warpgroup);
  typename Recipe::MainLoop loop(shared.operands, coord, first_row);
  typename Recipe::Epilogue epilogue(shared.epilogue, params.epilogue, warpgroup);
  Turns<ping_pong> turns(shared.turn, warpgroup);
  Accumulators<config> accumulators;  // (MMA_M, (4, BLK_N / 8))
  WorkTile work;
  for (bool more = next_work(schedule, turns, loop, work); more;) {
    turns.wait();
    loop.multiply(accumulators, work.k_count);
    turns.pass();  // the other warpgroup's products queue behind the last of these
    const WorkTile done = work;
    // Worked out under the last products; in ping-pong, short of registers, under the other's.
    if constexpr (!ping_pong) more = next_work(schedule, turns, loop, work);
    loop.finish(accumulators);
    if (done.slices == 1 ||
        reduce_slices<Recipe>(params, done, accumulators, epilogue, coord, warpgroup))
      epilogue.store(accumulators, block_tile<config>(done, coord), first_row);
    if constexpr (ping_pong) more = next_work(schedule, turns, loop, work);
  }
  epilogue.finish();
}

// Barriers of the hardware: 1, 2, ... are the math warpgroups' own.
constexpr int start_barrier = 15;

template <class Recipe>
TILE_DEVICE void gemm_body(const GemmParams<Recipe>& params) {
  constexpr Sm90Config config = Recipe::config;
  extern __shared__ char raw[];
  auto& shared = *reinterpret_cast<Sm90Shared<Recipe>*>(
      (reinterpret_cast<std::uintptr_t>(raw) + 1023) & ~std::uintptr_t{1023});
  const int warp = arch::warp_uniform(static_cast<int>(threadIdx.x) / 32);
  if (warp == 4) params.operands.prefetch();
  if (warp == 0 && arch::elect_one()) {
    for (auto& turn : shared.turn) arch::mbarrier_init(&turn, Turns<true>::arrivals);
    Sm90OperandRing<config>::init(shared.operands.ring);
  }
  const ClusterCoord coord = cluster_coord<config.cluster_m, config.cluster_n>();
  const typename Recipe::Schedule schedule(params.schedule,
                                           static_cast<int>(blockIdx.x) / config.blocks(),
                                           static_cast<int>(gridDim.x) / config.blocks());
  // The loading warp made the barriers and need not wait for anybody, unless its copies land in
  // other blocks.
  constexpr int meeting = 32 + 128 * config.math_warpgroups;
  constexpr bool alone = config.blocks() == 1;
  if constexpr (!alone) arch::cluster_sync_relaxed();
  if (warp < 4) {
    if (alone && warp == 0) arch::barrier_arrive(start_barrier, meeting);
    arch::warpgroup_reg_dealloc<config.loader_registers>();
    if (warp == 0 && arch::elect_one()) load_role<Recipe>(params, shared, schedule, coord);
  } else {
    if constexpr (alone) arch::barrier_sync(start_barrier, meeting);
    arch::warpgroup_reg_alloc<config.math_registers>();
    math_role<Recipe>(params, shared, schedule, coord, warp / 4 - 1);
  }
  // Peers may still write to this block's barriers and buffers.
  if constexpr (!alone) arch::cluster_sync_relaxed();
}

template <class Recipe>
__global__ void __launch_bounds__(Recipe::config.threads(), 1)
    gemm_sm90(const __grid_constant__ GemmParams<Recipe> params) {
  gemm_body<Recipe>(params);
}

}  // namespace aisp::tile
