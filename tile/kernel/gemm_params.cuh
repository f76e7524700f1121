// What a GEMM kernel of any architecture is launched with: operands, epilogue, schedule, and the
// workspace of split-K slices where its recipes have one.
#pragma once

#include "tile/layout/target.hpp"

namespace aisp::tile {

struct NoWorkspace {};  // of recipes that compute whole tiles

template <class Recipe>
struct GemmParams {
  typename Recipe::Maps operands;
  typename Recipe::Epilogue::Params epilogue;
  typename Recipe::Schedule::Params schedule;
  [[no_unique_address]] typename Recipe::Workspace workspace{};
};

}  // namespace aisp::tile
