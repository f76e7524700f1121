// Appends recipes to a table: their descriptions, and the functions that plan them.
#pragma once

#include "tile/device/gemm/plan.cuh"
#include "tile/device/gemm/recipe_table.hpp"

namespace aisp::tile::device {

template <class... Named>
void add(GemmTable& table) {
  (table.push_back({description_of_recipe<Named>(Named::name), plan_recipe<Named>}), ...);
}

}  // namespace aisp::tile::device
