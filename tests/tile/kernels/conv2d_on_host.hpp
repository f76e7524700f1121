// A convolution on a device and, element by element against float64, what it must be.
#pragma once

#include "tests/tile/kernels/gemm_on_host.hpp"
#include "tile/device/conv2d/problem.hpp"

namespace aisp::conv2d_test {

using gemm_test::require;
using tile::Element;
using tile::device::Conv2dProblem;
using Rows = gemm_test::Matrix;

// Dense rows, and a hundred elements behind them that nobody may write.
inline Rows dense(std::int64_t rows, std::int64_t columns) {
  return {Element::bf16, 2, static_cast<int>(rows), static_cast<int>(columns),
          columns,       1, rows * columns + 100};
}

// A convolution's tensors in device memory, y poisoned; pointers of the shape are not looked at.
class Convolution {
 public:
  Convolution(const Conv2dProblem& shape, bool with_bias)
      : problem_(shape),
        x_(dense(shape.n * shape.h * shape.w, shape.c)),
        filter_(dense(shape.k, shape.r * shape.s * shape.c)),
        bias_(Element::bf16, 1, rows(), columns(), 0, 1, 0),  // the same for all rows
        y_(dense(rows(), shape.k)) {
    x_.fill(1, 1);
    filter_.fill(2, 1);
    bias_.fill(3, 1);
    for (Rows* tensor : {&x_, &filter_, &bias_, &y_}) tensor->upload();
    problem_.x = x_.data(), problem_.filter = filter_.data(), problem_.y = y_.data();
    if (with_bias) problem_.bias = bias_.data();
  }

  const Conv2dProblem& problem() const { return problem_; }

  void check(const std::string& recipe) {
    const auto& p = problem_;
    const std::string what =
        base::say(recipe, ": x ", p.n, 'x', p.h, 'x', p.w, 'x', p.c, ", filter ", p.k, 'x', p.r,
                  'x', p.s, ", stride ", p.stride.h, ' ', p.stride.w, ", padding ", p.padding.h,
                  ' ', p.padding.w, ", dilation ", p.dilation.h, ' ', p.dilation.w);
    require(cudaDeviceSynchronize(), what.c_str());
    y_.download();
    Rows patches = dense(rows(), p.r * p.s * p.c);
    fill_patches(patches);
    gemm_test::check(what.c_str(), {rows(), columns()}, patches, filter_, y_, 1, 1,
                     p.bias ? &bias_ : nullptr);
  }

 private:
  int rows() const { return static_cast<int>(problem_.n * problem_.p() * problem_.q()); }
  int columns() const { return static_cast<int>(problem_.k); }

  // What the filter sees at each pixel of y, by the definition.
  void fill_patches(Rows& all) const {
    const auto& p = problem_;
    int row = 0;
    for (std::int64_t n = 0; n < p.n; ++n)
      for (std::int64_t out_h = 0; out_h < p.p(); ++out_h)
        for (std::int64_t out_w = 0; out_w < p.q(); ++out_w, ++row) {
          int column = 0;
          for (std::int64_t r = 0; r < p.r; ++r)
            for (std::int64_t s = 0; s < p.s; ++s) {
              const std::int64_t h = out_h * p.stride.h - p.padding.h + r * p.dilation.h;
              const std::int64_t w = out_w * p.stride.w - p.padding.w + s * p.dilation.w;
              const bool inside = h >= 0 && h < p.h && w >= 0 && w < p.w;
              const auto pixel = static_cast<int>((n * p.h + h) * p.w + w);
              for (int c = 0; c < p.c; ++c)
                all.set(0, row, column++, inside ? x_.at(0, pixel, c) : 0.0);
            }
        }
  }

  Conv2dProblem problem_;
  Rows x_, filter_, bias_, y_;
};

}  // namespace aisp::conv2d_test
