// A convolution and its gradients in float64. The blocked product does the work, on as many patches
// at a time as 64 MiB hold. Inputs are those of conv_problem.
#pragma once

#include "lab/case/case.hpp"
#include "lab/judge/conv_shape.hpp"

namespace aisp::lab {

void conv_reference(const ConvShape& shape, const Inputs& inputs, std::vector<double>& y);
void conv_data_reference(const ConvShape& shape, const Inputs& inputs, std::vector<double>& dx);
void conv_weights_reference(const ConvShape& shape, const Inputs& inputs, std::vector<double>& dw);

}  // namespace aisp::lab
