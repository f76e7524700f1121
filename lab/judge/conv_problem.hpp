// Convolutions and their gradients as problems, for size.dims = {N, H, W, C, K, R, stride,
// dilation}: square filters, the same stride and dilation in both directions, padding that keeps
// the extent where the stride is 1.
#pragma once

#include <string>

#include "lab/judge/conv_shape.hpp"
#include "lab/judge/gemm_problem.hpp"

namespace aisp::lab {

enum class ConvDirection { forward, backward_data, backward_weights };

// By name; "" is the forward convolution of bf16:
//   f16, e4m3, s8      forward in other types: f16 out, bf16 out, exact i32 out
//   groups             forward in bf16, the channels in four groups
//   backward_data      dx from dy and w, bf16
//   backward_weights   dw from dy and x, bf16
struct ConvVariant {
  GemmTypes types{};
  ConvDirection direction = ConvDirection::forward;
  std::int64_t groups = 1;
};
ConvVariant conv_variant(const std::string& name);

// Refuses (Exit::usage) what conv_problem does.
ConvShape conv_shape(const std::string& target, const Size& size);

// y (n, p, q, k) = sum over r, s, c of x (n, h, w, c) * w (k, r, s, c / groups), x zero outside, or
// one of its gradients. Inputs and output are x, w -> y; dy, w -> dx; dy, x -> dw. Refuses groups
// of channels that are no multiple of 16 bytes, a stride over 8, filters that reach further than
// 127 pixels, filters larger than the padded image, extents over 2^19, and sums that i32 may not
// hold.
Problem conv_problem(const std::string& target, const Size& size);

}  // namespace aisp::lab
