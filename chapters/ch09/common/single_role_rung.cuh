// Turns a recipe of the kernel without roles into a rung: C (M, N) = A (M, K) times the transpose
// of B (N, K), bf16, row-major.
#pragma once

#include "chapters/common/product_rung.hpp"
#include "tile/collective/epilogue/nodes.hpp"
#include "tile/device/gemm/plan.cuh"
#include "tile/schedule/single.hpp"

namespace aisp::ch09 {

// The same tile on all rungs: two warpgroups, 64x128 accumulators each.
constexpr tile::GemmConfig ring_of(int stages) {
  return {.tile_m = 128, .tile_n = 128, .stages = stages, .store = tile::Store::direct};
}
template <int stages>
using RingRecipe = tile::SingleRoleRecipe<ring_of(stages), tile::Accumulator, tile::SingleTile>;

template <class Recipe>
lab::Run run_single_role(lab::Setup& setup) {
  const auto shape = chapters::product_shape(setup.problem(), {});
  return chapters::bound_run(
      shape, tile::device::shape_plan<Recipe>(shape, {}, {}, [&](std::size_t bytes) {
        return setup.kept(bytes, "flags of a plan, 0 between launches");
      }));
}

}  // namespace aisp::ch09
