// The Hopper GEMM kernel whose operands have factors for blocks of them: one warp loads, two
// warpgroups multiply and share a tile, block by block of k.
#pragma once

#include "tile/collective/epilogue/nodes.hpp"
#include "tile/collective/mainloop/block_scaled_accumulators.cuh"
#include "tile/kernel/gemm_sm90.cuh"

namespace aisp::tile {

template <Sm90Config config_, EpilogueNode Tree_, TileSchedule Schedule_>
struct BlockScaledRecipe {
  static constexpr Sm90Config config = config_;
  static_assert(config.blocks() == 1 && config.roles == Roles::cooperative,
                "blocks on their own, whose warpgroups share a tile");
  using Tree = Tree_;
  using Schedule = Schedule_;
  using MainLoop = BlockScaledAccumulators<config>;
  using Maps = BatchMaps;
  using Workspace = SplitKWorkspace;
  using Epilogue = Sm90Epilogue<config, Tree, BatchOutput>;
};

// Factors and a bias for each column; data may be null.
template <Element out>
struct ColumnTerms {
  typename ColumnVector<Element::f32>::Params factors{};
  typename ColumnVector<out>::Params bias{};
};

template <class Recipe>
struct BlockScaledParams {
  GemmParams<Recipe> gemm;
  BlockFactors a, b;
  ColumnTerms<Recipe::config.out> columns;
};

// function(accumulator, number of its column), all numbers on their way at once: in the epilogue
// each fragment would wait for its own.
template <Element element, Sm90Config config, class Function>
TILE_DEVICE void each_with_column(Accumulators<config>& accumulators,
                                  const typename ColumnVector<element>::Params& numbers,
                                  const BlockTile& tile, Extent extent, Function function) {
  if (numbers.data == nullptr) return;
  const int first =
      tile.column +
      Wgmma<config.a, config.tile_n>::accumulator(static_cast<int>(threadIdx.x) % 128, 0).column;
#pragma unroll
  for (int fragment = 0; fragment < config.tile_n / 8; ++fragment) {
    typename ColumnVector<element>::State none{};
    const auto of = ColumnVector<element>::visit(numbers, none, EpilogueFragment<float>{},
                                                 {0, first + 8 * fragment, 0}, extent);
#pragma unroll
    for (int m = 0; m < Accumulators<config>::m_atoms; ++m)
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        float& accumulator = accumulators.of[m][4 * fragment + i];
        accumulator = function(accumulator, of.at[0][i % 2]);
      }
  }
}

template <class Recipe>
TILE_DEVICE void block_scaled_math_role(const BlockScaledParams<Recipe>& params,
                                        Sm90Shared<Recipe>& shared,
                                        typename Recipe::Schedule schedule, int warpgroup) {
  constexpr Sm90Config config = Recipe::config;
  const int first_row = first_row_of<config>(warpgroup);
  typename Recipe::MainLoop loop(shared.operands, {}, first_row);
  typename Recipe::Epilogue epilogue(shared.epilogue, params.gemm.epilogue, warpgroup);
  Accumulators<config> accumulators;  // (MMA_M, (4, BLK_N / 8))
  for (WorkTile work; schedule.next(work);) {
    const BlockTile tile = block_tile<config>(work, {});
    const Extent extent = params.gemm.epilogue.out.extent;
    loop.enter(params.a, params.b, tile, extent.rows);
    loop.multiply(accumulators, work.k_count);
    each_with_column<Element::f32>(accumulators, params.columns.factors, tile, extent,
                                   detail::Product{});
    each_with_column<config.out>(accumulators, params.columns.bias, tile, extent, detail::Sum{});
    epilogue.store(accumulators, tile, first_row);
  }
  epilogue.finish();
}

template <class Recipe>
__global__ void __launch_bounds__(Recipe::config.threads(), 1)
    gemm_block_scaled(const __grid_constant__ BlockScaledParams<Recipe> params) {
  constexpr Sm90Config config = Recipe::config;
  extern __shared__ char raw[];
  auto& shared = *reinterpret_cast<Sm90Shared<Recipe>*>(
      (reinterpret_cast<std::uintptr_t>(raw) + 1023) & ~std::uintptr_t{1023});
  const int warp = arch::warp_uniform(static_cast<int>(threadIdx.x) / 32);
  if (warp == 4) params.gemm.operands.prefetch();
  if (warp == 0 && arch::elect_one()) Sm90OperandRing<config>::init(shared.operands.ring);
  __syncthreads();
  const typename Recipe::Schedule schedule(params.gemm.schedule, static_cast<int>(blockIdx.x),
                                           static_cast<int>(gridDim.x));
  if (warp < 4) {
    arch::warpgroup_reg_dealloc<config.loader_registers>();
    if (warp == 0 && arch::elect_one())
      load_role<Recipe>(params.gemm, shared, schedule, ClusterCoord{});
  } else {
    arch::warpgroup_reg_alloc<config.math_registers>();
    block_scaled_math_role<Recipe>(params, shared, schedule, warp / 4 - 1);
  }
}

}  // namespace aisp::tile
