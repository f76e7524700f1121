// Appends recipes to the table of a direction, whatever their architecture.
#pragma once

#include "tile/device/conv2d/backward_data.cuh"
#include "tile/device/conv2d/backward_weights.cuh"
#include "tile/device/conv2d/plan.cuh"
#include "tile/device/conv2d/recipes.hpp"

namespace aisp::tile::device {

template <class Named>
void add_named(ConvTable& table,
               PlannedRun (*plan)(const Conv2dProblem&, const LaunchChoice&, const Allocate&)) {
  table.push_back({description_of_recipe<Named>(Named::name), plan});
}

template <class... Named>
void add_convolutions(ConvTable& table) {
  (add_named<Named>(table, plan_convolution<Named>), ...);
}
template <class... Named>
void add_data(ConvTable& table) {
  (add_named<Named>(table, plan_backward_data<Named>), ...);
}
template <class... Named>
void add_weights(ConvTable& table) {
  (add_named<Named>(table, plan_backward_weights<Named>), ...);
}

}  // namespace aisp::tile::device
