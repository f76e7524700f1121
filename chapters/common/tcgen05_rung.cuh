// Turns a Blackwell recipe of the tile library into a rung.
#pragma once

#include "chapters/common/product_rung.hpp"
#include "tile/device/gemm/plan_sm100.cuh"

namespace aisp::chapters {

// Tensor memory, and as many shared bytes, that a block of the recipe holds.
template <class Recipe>
void say_what_a_block_holds(lab::Setup& setup) {
  constexpr tile::Sm100Config config = Recipe::config;
  setup.note(base::say("a block holds ", config.tmem().allocation(),
                       " columns of tensor memory and ", config.shared_bytes() / 1024,
                       " KiB of shared memory"));
}

template <class Recipe>
lab::Run run_tcgen05(lab::Setup& setup, const tile::device::LaunchChoice& choice) {
  constexpr tile::Sm100Config config = Recipe::config;
  const GemmProblem shape = product_shape(setup.problem(), {config.a, config.b, config.out});
  say_what_a_block_holds<Recipe>(setup);
  return bound_run(shape, tile::device::shape_plan<Recipe>(shape, {}, choice));
}
template <class Recipe>
lab::Run run_tcgen05_row_by_row(lab::Setup& setup) {
  return run_tcgen05<Recipe>(setup, row_by_row);
}

}  // namespace aisp::chapters
