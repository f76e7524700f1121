// The convolution as a user states it, forward or one of its two gradients.
#pragma once

#include <cstdint>

#include "tile/atom/element.hpp"

namespace aisp::tile::device {

// Of one direction each.
struct HeightWidth {
  int h = 0, w = 0;

  constexpr bool operator==(const HeightWidth&) const = default;
};

enum class Conv2dDirection {
  forward,           // x and filter -> y
  backward_data,     // dy and filter -> dx
  backward_weights,  // dy and x -> dw
};

// y (n, p, q, k) = alpha * the sum over r, s and c of x (n, h, w, c) and filter (k, r, s, c /
// groups): the convolution without mirroring, as networks have it, and its gradients dx and dw,
// which have the shapes of x and of the filter. Of `groups` equal parts of c and of k, each part of
// k sees its own of c. All tensors dense; what lies outside of x counts as zeros. Accumulators are
// f32, of s8 they are s32 and exact.
struct Conv2dProblem {
  std::int64_t n = 0, h = 0, w = 0, c = 0;
  std::int64_t k = 0, r = 0, s = 0;
  HeightWidth stride{1, 1}, padding{0, 0}, dilation{1, 1};
  std::int64_t groups = 1;
  Conv2dDirection direction = Conv2dDirection::forward;
  Element element = Element::bf16;  // of what is read
  // Of what is written: that of bf16 and f16; bf16 of e4m3, s32 of s8. dw may be f32.
  Element out = Element::bf16;
  float alpha = 1;  // the product of both scales where x and filter have one
  const void* x = nullptr;
  const void* filter = nullptr;
  const void* bias = nullptr;  // (k) of out's element, added to every pixel of y; may be null
  void* y = nullptr;
  const void* dy = nullptr;
  void* dx = nullptr;
  void* dw = nullptr;

  // Pixels from the first tap of a filter to its last.
  constexpr std::int64_t reach_h() const { return (r - 1) * dilation.h; }
  constexpr std::int64_t reach_w() const { return (s - 1) * dilation.w; }
  // The output; 0 or less where the filter is larger than x with its padding.
  constexpr std::int64_t p() const { return outputs(h + 2 * padding.h, reach_h(), stride.h); }
  constexpr std::int64_t q() const { return outputs(w + 2 * padding.w, reach_w(), stride.w); }
  constexpr std::int64_t pixels() const { return n * p() * q(); }  // of y
  // Of one group.
  constexpr std::int64_t group_c() const { return c / groups; }
  constexpr std::int64_t group_k() const { return k / groups; }

  constexpr bool operator==(const Conv2dProblem&) const = default;

 private:
  static constexpr std::int64_t outputs(std::int64_t extent, std::int64_t reach, int stride) {
    return extent > reach ? (extent - 1 - reach) / stride + 1 : 0;
  }
};

constexpr const char* name_of(Conv2dDirection direction) {
  constexpr const char* names[] = {"conv2d", "conv2d backward_data", "conv2d backward_weights"};
  return names[static_cast<int>(direction)];
}

}  // namespace aisp::tile::device
