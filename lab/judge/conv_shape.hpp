// The extents of a convolution with square filters, and what follows from them.
#pragma once

#include <cstdint>

namespace aisp::lab {

// The same stride and dilation in both directions; padding that keeps the extent where the stride
// is 1.
struct ConvShape {
  std::int64_t n, h, w, c;  // x
  std::int64_t k, r;        // filters (k, r, r, c / groups)
  std::int64_t stride, dilation, groups;

  std::int64_t padding() const { return dilation * (r - 1) / 2; }
  std::int64_t p() const { return outputs(h); }
  std::int64_t q() const { return outputs(w); }
  std::int64_t pixels() const { return n * p() * q(); }  // of y
  std::int64_t taps() const { return r * r; }
  // Of one group: its channels, its filters, products in one sum.
  std::int64_t group_c() const { return c / groups; }
  std::int64_t group_k() const { return k / groups; }
  std::int64_t depth() const { return taps() * group_c(); }

 private:
  std::int64_t outputs(std::int64_t extent) const {
    return (extent + 2 * padding() - dilation * (r - 1) - 1) / stride + 1;
  }
};

}  // namespace aisp::lab
