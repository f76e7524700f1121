// The convolution as the library states it, for both rungs.
#pragma once

#include "chapters/ch10/matmul_recipes/library_run.hpp"
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

// Workspace of a plan, got before anything is timed; plans for other buffers share it, for they run
// one after another.
class Workspace {
 public:
  tile::device::Allocate from(lab::Setup& setup) {
    return [this, &setup](std::size_t bytes) {
      return parts_[bytes] = setup.kept(bytes, "flags of a plan, 0 between launches");
    };
  }
  tile::device::Allocate again() const {
    return [this](std::size_t bytes) { return parts_.at(bytes); };
  }

 private:
  std::map<std::size_t, void*> parts_;
};

}  // namespace aisp::ch10
