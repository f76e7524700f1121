// The two recipes of this target for one pair of elements, and how a rung runs them. They differ in
// the main loop alone; each .cu beside this file compiles one family of types.
#pragma once

#include "chapters/ch09/tile_gemm/fma_operands.cuh"
#include "chapters/ch09/tile_gemm/products.hpp"
#include "lab/case/per_buffers.hpp"
#include "tile/device/gemm/plan_sm90.cuh"

namespace aisp::ch09 {

// A line of a tile has 128 bytes along k, whatever the element.
constexpr tile::Sm90Config tile_gemm_config(tile::Element in, tile::Element out) {
  return {.a = in, .b = in, .out = out, .tile_k = 128 / tile::bytes_of(in)};
}

template <tile::Sm90Config config>
struct FmaRecipe
    : tile::Sm90Recipe<config, tile::Accumulator, tile::Persistent, FmaOperands<config>> {};

template <tile::Sm90Config config>
struct WgmmaRecipe : tile::Sm90Recipe<config, tile::Accumulator, tile::Persistent> {};

inline tile::device::GemmProblem product_of(const lab::Launch& launch,
                                            const tile::Sm90Config& config) {
  const std::int64_t m = launch.dim(0), n = launch.dim(1), k = launch.dim(2);
  return {.m = m,
          .n = n,
          .k = k,
          .a = {.data = launch.in<void>(0), .element = config.a, .stride = k},
          .b = {.data = launch.in<void>(1), .element = config.b, .stride = k},
          .d = {.data = launch.out<void>(0), .element = config.out, .stride = n}};
}

template <class Recipe>
lab::Run run_recipe() {
  return lab::per_buffers([](const lab::Launch& launch) -> lab::Enqueue {
    return tile::device::plan<Recipe>(product_of(launch, Recipe::config));
  });
}

template <tile::Element in, tile::Element out>
lab::Run run_product(Atom atom) {
  constexpr tile::Sm90Config config = tile_gemm_config(in, out);
  return atom == Atom::fma ? run_recipe<FmaRecipe<config>>() : run_recipe<WgmmaRecipe<config>>();
}

}  // namespace aisp::ch09
