// The forward convolution as a problem, for size.dims = {N, H, W, C, K, R, stride, dilation}:
// square filters, the same stride and dilation in both directions, padding that keeps the extent
// where the stride is 1.
#pragma once

#include <string>

#include "lab/case/case.hpp"

namespace aisp::lab {

// The extents of such a problem, and what follows from them.
struct ConvShape {
  std::int64_t n, h, w, c;  // x
  std::int64_t k, r;        // filters (k, r, r, c)
  std::int64_t stride, dilation;

  std::int64_t padding() const { return dilation * (r - 1) / 2; }
  std::int64_t p() const { return outputs(h); }
  std::int64_t q() const { return outputs(w); }
  std::int64_t pixels() const { return n * p() * q(); }  // of y
  std::int64_t depth() const { return r * r * c; }       // products in one sum

 private:
  std::int64_t outputs(std::int64_t extent) const {
    return (extent + 2 * padding() - dilation * (r - 1) - 1) / stride + 1;
  }
};

// Refuses (Exit::usage) what conv_problem does.
ConvShape conv_shape(const std::string& target, const Size& size);

// y (n, p, q, k) = sum over r, s, c of x (n, h, w, c) * w (k, r, s, c), all bf16, in f32 sums; x is
// zero outside. Refuses channels that are no multiple of 8, a stride over 8, filters that reach
// further than 127 pixels, filters larger than the padded image, and extents over 2^19.
Problem conv_problem(const std::string& target, const Size& size);

}  // namespace aisp::lab
