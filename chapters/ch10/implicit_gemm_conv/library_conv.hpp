// The convolution as the library states it, for both rungs.
#pragma once

#include "chapters/ch10/common/plan_workspace.hpp"
#include "lab/case/per_buffers.hpp"
#include "lab/judge/conv_problem.hpp"
#include "tile/device/conv2d/conv2d.hpp"

namespace aisp::ch10 {

inline lab::ConvShape conv_shape(const lab::Problem& problem) {
  return lab::conv_shape("implicit_gemm_conv", problem.size);
}

inline tile::device::Conv2dProblem library_conv(const lab::Problem& problem, const void* x,
                                                const void* filter, void* y) {
  const lab::ConvShape shape = conv_shape(problem);
  const auto both = [](std::int64_t value) {
    return tile::device::HeightWidth{static_cast<int>(value), static_cast<int>(value)};
  };
  return {.n = shape.n,
          .h = shape.h,
          .w = shape.w,
          .c = shape.c,
          .k = shape.k,
          .r = shape.r,
          .s = shape.r,
          .stride = both(shape.stride),
          .padding = both(shape.padding()),
          .dilation = both(shape.dilation),
          .x = x,
          .filter = filter,
          .y = y};
}

}  // namespace aisp::ch10
