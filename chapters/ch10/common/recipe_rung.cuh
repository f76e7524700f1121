// Turns a recipe of the tile library into a rung: C (M, N) = A (M, K) times the transpose of
// B (N, K), row-major, planned for the lab's problem and bound to its buffers.
#pragma once

#include "chapters/common/product_rung.hpp"
#include "tile/device/gemm/plan_sm80.cuh"
#include "tile/device/gemm/plan_sm90.cuh"

namespace aisp::ch10 {

using chapters::bound_run;
using chapters::product_shape;
using chapters::row_by_row;
using tile::device::GemmProblem;

// A recipe of the Hopper kernels, with roles or without.
template <class Recipe>
lab::Run run_recipe(lab::Setup& setup, const tile::device::LaunchChoice& choice) {
  constexpr tile::Sm90Config config = Recipe::config;
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
