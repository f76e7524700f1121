// Turns a Blackwell recipe of the tile library into a rung: C (M, N) = A (M, K) times the transpose
// of B (N, K), row-major, planned for the lab's problem and bound to its buffers.
#pragma once

#include "lab/case/per_buffers.hpp"
#include "lab/case/registry.hpp"
#include "tile/device/gemm/umma_plan.cuh"

namespace aisp::chapters {

// Row by row: what a rung walks that says nothing about the order of tiles.
inline constexpr tile::device::LaunchChoice umma_row_by_row{.raster = {.group = 1}};

// Tensor memory, and as many shared bytes, that a block of the recipe holds.
template <class Recipe>
void say_what_a_block_holds(lab::Setup& setup) {
  constexpr tile::UmmaConfig config = Recipe::config;
  setup.note(base::say("a block holds ", config.tmem().allocation(),
                       " columns of tensor memory and ", config.shared_bytes() / 1024,
                       " KiB of shared memory"));
}

template <class Recipe>
lab::Run run_umma(lab::Setup& setup, const tile::device::LaunchChoice& choice) {
  using tile::device::GemmProblem;
  constexpr tile::UmmaConfig config = Recipe::config;
  const auto& size = setup.problem().size.dims;
  GemmProblem shape{.m = size.at(0), .n = size.at(1), .k = size.at(2)};
  shape.a = {.element = config.a, .stride = shape.k};
  shape.b = {.element = config.b, .stride = shape.k};
  shape.d = {.element = config.out, .stride = shape.n};
  say_what_a_block_holds<Recipe>(setup);
  const auto bind = tile::device::umma_shape_plan<Recipe>(shape, {}, choice);
  return lab::per_buffers([shape, bind](const lab::Launch& launch) {
    GemmProblem problem = shape;
    problem.a.data = launch.in<void>(0);
    problem.b.data = launch.in<void>(1);
    problem.d.data = launch.out<void>(0);
    return bind(problem);
  });
}
template <class Recipe>
lab::Run run_umma_row_by_row(lab::Setup& setup) {
  return run_umma<Recipe>(setup, umma_row_by_row);
}

}  // namespace aisp::chapters
