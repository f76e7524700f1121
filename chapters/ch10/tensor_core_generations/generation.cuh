// The same tiled kernel on any generation's instruction: tile, ring, copies and epilogue are fixed,
// the atom is the parameter.
#pragma once

#include "chapters/ch10/common/recipe_rung.cuh"
#include "tile/schedule/single.hpp"

namespace aisp::ch10 {

// What a product of such elements is stored as.
constexpr tile::Element result_of(tile::Element element) {
  return tile::bytes_of(element) == 2 ? element : tile::accumulator_of(element);
}

// 8 warps of 64 x 32 accumulators; a line of a tile has 64 bytes along k.
constexpr tile::Sm80Config generation_config(tile::Element element) {
  return {.tile_m = 128, .tile_n = 128, .tile_k = 64 / tile::bytes_of(element)};
}

template <class Atom>
struct GenerationRecipe
    : tile::Sm80Recipe<Atom, generation_config(Atom::element),
                       tile::FragmentEpilogue<tile::Accumulator, result_of(Atom::element)>,
                       tile::SingleTile> {};

template <class Atom>
lab::Run run_generation(lab::Setup& setup) {
  constexpr tile::Element element = Atom::element;
  const GemmProblem shape = product_shape(setup.problem(), {element, element, result_of(element)});
  return bound_run(shape, tile::device::multistage_plan<GenerationRecipe<Atom>>(shape, {}, {}));
}

}  // namespace aisp::ch10
