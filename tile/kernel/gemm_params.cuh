// What a GEMM kernel of any architecture is launched with: operands, epilogue, schedule, and the
// workspace of split-K slices where its recipes have one.
#pragma once

#include <type_traits>

#include "tile/layout/target.hpp"

namespace aisp::tile {

struct NoWorkspace {};  // Recipe::Workspace of recipes that compute whole tiles

template <class Recipe, bool slices = !std::is_same_v<typename Recipe::Workspace, NoWorkspace>>
struct GemmParams {
  typename Recipe::Maps operands;
  typename Recipe::Epilogue::Params epilogue;
  typename Recipe::Schedule::Params schedule;
  typename Recipe::Workspace workspace{};
};

// No empty member: nvcc lays one out as if it had a size.
template <class Recipe>
struct GemmParams<Recipe, false> {
  typename Recipe::Maps operands;
  typename Recipe::Epilogue::Params epilogue;
  typename Recipe::Schedule::Params schedule;
};

}  // namespace aisp::tile
