// The convolution as the library states it, for the rungs that call it.
#pragma once

#include "chapters/ch10/common/plan_workspace.hpp"
#include "lab/case/per_buffers.hpp"
#include "lab/judge/conv_problem.hpp"
#include "tile/device/conv2d/conv2d.hpp"

namespace aisp::ch10 {

inline lab::ConvShape conv_shape(const lab::Problem& problem) {
  return lab::conv_shape("implicit_gemm_conv", problem.size);
}

inline tile::Element element_of(lab::Dtype dtype) {
  switch (dtype) {
    case lab::Dtype::f16:
      return tile::Element::f16;
    case lab::Dtype::e4m3:
      return tile::Element::e4m3;
    case lab::Dtype::i8:
      return tile::Element::s8;
    case lab::Dtype::i32:
      return tile::Element::s32;
    case lab::Dtype::f32:
      return tile::Element::f32;
    default:
      return tile::Element::bf16;
  }
}

// `in` and `out` are in the order of lab::conv_problem.
inline tile::device::Conv2dProblem library_conv(const lab::Problem& problem, const void* first,
                                                const void* second, void* out) {
  const lab::ConvShape shape = conv_shape(problem);
  const lab::ConvVariant variant = lab::conv_variant(problem.size.variant);
  const auto both = [](std::int64_t value) {
    return tile::device::HeightWidth{static_cast<int>(value), static_cast<int>(value)};
  };
  tile::device::Conv2dProblem conv{
      .n = shape.n,
      .h = shape.h,
      .w = shape.w,
      .c = shape.c,
      .k = shape.k,
      .r = shape.r,
      .s = shape.r,
      .stride = both(shape.stride),
      .padding = both(shape.padding()),
      .dilation = both(shape.dilation),
      .groups = shape.groups,
      .direction = static_cast<tile::device::Conv2dDirection>(variant.direction),
      .element = element_of(variant.types.in),
      .out = element_of(variant.types.out)};
  switch (variant.direction) {
    case lab::ConvDirection::forward:
      conv.x = first, conv.filter = second, conv.y = out;
      break;
    case lab::ConvDirection::backward_data:
      conv.dy = first, conv.filter = second, conv.dx = out;
      break;
    case lab::ConvDirection::backward_weights:
      conv.dy = first, conv.x = second, conv.dw = out;
      break;
  }
  return conv;
}

}  // namespace aisp::ch10
