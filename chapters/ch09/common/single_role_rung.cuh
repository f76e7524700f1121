// Turns a recipe of the kernel without roles into a rung: C (M, N) = A (M, K) times the transpose
// of B (N, K), bf16, row-major.
#pragma once

#include "lab/case/per_buffers.hpp"
#include "lab/case/registry.hpp"
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
  using tile::device::GemmProblem;
  const auto product = [](const lab::Problem& problem, const void* a, const void* b, void* d) {
    const auto& size = problem.size.dims;
    return GemmProblem{.m = size.at(0),
                       .n = size.at(1),
                       .k = size.at(2),
                       .a = {.data = a, .stride = size.at(2)},
                       .b = {.data = b, .stride = size.at(2)},
                       .d = {.data = d, .stride = size.at(1)}};
  };
  const auto bind = tile::device::shape_plan<Recipe>(
      product(setup.problem(), nullptr, nullptr, nullptr), {}, {},
      [&](std::size_t bytes) { return setup.kept(bytes, "flags of a plan, 0 between launches"); });
  return lab::per_buffers([bind, product](const lab::Launch& launch) {
    return bind(
        product(launch.problem, launch.in<void>(0), launch.in<void>(1), launch.out<void>(0)));
  });
}

}  // namespace aisp::ch09
