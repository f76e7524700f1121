// The compiled kernels behind conv2d(): what each takes and how it is planned. An instance is a .cu
// file, tile/instances/conv2d/*.cu, that appends its recipes.
#pragma once

#include "tile/device/conv2d/problem.hpp"
#include "tile/device/gemm/recipe_table.hpp"

namespace aisp::tile::device {

// One table for each direction.
using ConvTable = RecipeTable<Conv2dProblem>;
const ConvTable& conv2d_table(Conv2dDirection direction);

void add_conv2d_bf16(ConvTable& table);
void add_conv2d_f16(ConvTable& table);
void add_conv2d_narrow(ConvTable& table);
void add_conv2d_backward_data(ConvTable& table);
void add_conv2d_backward_weights(ConvTable& table);
void add_conv2d_sm100(ConvTable& table);
void add_conv2d_backward_data_sm100(ConvTable& table);
void add_conv2d_backward_weights_sm100(ConvTable& table);

}  // namespace aisp::tile::device
