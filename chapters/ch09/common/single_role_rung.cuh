// Turns a recipe of the kernel without roles into a rung: C (M, N) = A (M, K) times the transpose
// of B (N, K), bf16, row-major.
#pragma once

#include "chapters/common/product_rung.hpp"
#include "tile/collective/epilogue/nodes.hpp"
#include "tile/device/gemm/plan_sm90.cuh"
#include "tile/schedule/single.hpp"

namespace aisp::ch09 {

// The same tile on all rungs: two warpgroups, 64x128 accumulators each.
constexpr tile::Sm90Config ring_of(int stages) {
  return {.tile_m = 128, .tile_n = 128, .stages = stages, .store = tile::Store::direct};
}
template <int stages>
using RingRecipe = tile::Sm90SingleRoleRecipe<ring_of(stages), tile::Accumulator, tile::SingleTile>;

// So many blocks of it share a multiprocessor: what threads, registers and shared memory allow, as
// the device counts them.
template <class Recipe>
int blocks_per_multiprocessor(const lab::Setup& setup) {
  return resident_clusters(tile::device::kernel_of<Recipe>()) / setup.multiprocessors();
}

// Refuses where the rung's idea is a number of blocks that do not share a multiprocessor.
template <class Recipe, int needed_blocks = 1>
lab::Run run_single_role(lab::Setup& setup) {
  const int blocks = blocks_per_multiprocessor<Recipe>(setup);
  if (blocks < needed_blocks)
    base::refuse(base::Exit::environment, "needs ", needed_blocks,
                 " blocks on a multiprocessor: this device has room for ", blocks, " with ",
                 tile::device::shared_bytes<Recipe>, " bytes of shared memory each");
  setup.figure("blocks per multiprocessor", "", [blocks] { return blocks; });
  const auto shape = chapters::product_shape(setup.problem(), {});
  return chapters::bound_run(
      shape, tile::device::shape_plan<Recipe>(shape, {}, {}, [&](std::size_t bytes) {
        return setup.kept(bytes, "flags of a plan, 0 between launches");
      }));
}

}  // namespace aisp::ch09
