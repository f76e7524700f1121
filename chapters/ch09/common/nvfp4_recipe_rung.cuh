// Turns a Blackwell recipe with block scales into a rung.
#pragma once

#include "chapters/ch09/common/nvfp4_rung.hpp"
#include "chapters/common/tcgen05_rung.cuh"

namespace aisp::ch09::nvfp4 {

// 128 x 64 of D for a block: the most blocks that few rows give. A k-block is 128 bytes of a row.
constexpr tile::Sm100Config few_rows(int stages, int accumulators) {
  using enum tile::Element;
  return {.a = e2m1,
          .b = e2m1,
          .tile_n = 64,
          .tile_k = 256,
          .stages = stages,
          .accumulators = accumulators,
          .scaling = tile::Scaling::nv};
}

template <class Recipe>
lab::Run run(lab::Setup& setup) {
  const auto shape = shape_of(setup.problem());
  chapters::say_what_a_block_holds<Recipe>(setup);
  return bound_run(shape, tile::device::shape_plan<Recipe>(shape, {}, chapters::row_by_row));
}

}  // namespace aisp::ch09::nvfp4
