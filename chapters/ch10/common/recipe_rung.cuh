// Turns a recipe of the tile library into a rung: C (M, N) = A (M, K) times the transpose of
// B (N, K), row-major, planned for the lab's problem and bound to its buffers.
#pragma once

#include "lab/case/per_buffers.hpp"
#include "lab/case/registry.hpp"
#include "tile/device/gemm/multistage_plan.cuh"

namespace aisp::ch10 {

using tile::device::GemmProblem;

struct Elements {
  tile::Element a = tile::Element::bf16, b = tile::Element::bf16, out = tile::Element::bf16;
};

// Without data: what is known before there are buffers.
inline GemmProblem product_shape(const lab::Problem& problem, Elements elements) {
  const auto& size = problem.size.dims;
  GemmProblem shape{.m = size.at(0), .n = size.at(1), .k = size.at(2)};
  shape.a = {.element = elements.a, .stride = shape.k};
  shape.b = {.element = elements.b, .stride = shape.k};
  shape.d = {.element = elements.out, .stride = shape.n};
  return shape;
}

inline lab::Run bound_run(const GemmProblem& shape, tile::device::GemmBind bind) {
  return lab::per_buffers([shape, bind = std::move(bind)](const lab::Launch& launch) {
    GemmProblem problem = shape;
    problem.a.data = launch.in<void>(0);
    problem.b.data = launch.in<void>(1);
    problem.d.data = launch.out<void>(0);
    return bind(problem);
  });
}

// Row by row: what a rung walks that says nothing about the order of tiles.
inline constexpr tile::device::LaunchChoice row_by_row{.raster = {.group = 1}};

// A recipe of the Hopper kernels, with roles or without.
template <class Recipe>
lab::Run run_recipe(lab::Setup& setup, const tile::device::LaunchChoice& choice) {
  constexpr tile::GemmConfig config = Recipe::config;
  const GemmProblem shape = product_shape(setup.problem(), {config.a, config.b, config.out});
  return bound_run(shape,
                   tile::device::shape_plan<Recipe>(shape, {}, choice, [&](std::size_t bytes) {
                     return setup.kept(bytes, "flags of a plan, 0 between launches");
                   }));
}
template <class Recipe>
lab::Run run_row_by_row(lab::Setup& setup) {
  return run_recipe<Recipe>(setup, row_by_row);
}

// A recipe of the kernel whose warps multiply for themselves.
template <class Recipe>
lab::Run run_multistage(lab::Setup& setup) {
  constexpr tile::Element element = Recipe::Atom::element;
  const GemmProblem shape = product_shape(setup.problem(), {element, element});
  return bound_run(shape, tile::device::multistage_plan<Recipe>(shape, {}, row_by_row));
}

}  // namespace aisp::ch10
