// The convolution as a user states it, and what of it the kernels take.
#pragma once

#include <cstdint>

#include "base/refuse.hpp"

namespace aisp::tile::device {

// Of one direction each.
struct HeightWidth {
  int h = 0, w = 0;

  constexpr bool operator==(const HeightWidth&) const = default;
};

// y (n, p, q, k) = the sum over r, s and c of x (n, h, w, c) and filter (k, r, s, c): the forward
// convolution without mirroring, as networks have it. bf16 with f32 accumulators, all tensors
// dense; what lies outside of x counts as zeros.
struct Conv2dProblem {
  std::int64_t n = 0, h = 0, w = 0, c = 0;
  std::int64_t k = 0, r = 0, s = 0;
  HeightWidth stride{1, 1}, padding{0, 0}, dilation{1, 1};
  const void* x = nullptr;
  const void* filter = nullptr;
  const void* bias = nullptr;  // (k), added to every pixel; may be null
  void* y = nullptr;

  // Pixels from the first tap of a filter to its last.
  constexpr std::int64_t reach_h() const { return (r - 1) * dilation.h; }
  constexpr std::int64_t reach_w() const { return (s - 1) * dilation.w; }
  // The output; 0 or less where the filter is larger than x with its padding.
  constexpr std::int64_t p() const { return outputs(h + 2 * padding.h, reach_h(), stride.h); }
  constexpr std::int64_t q() const { return outputs(w + 2 * padding.w, reach_w(), stride.w); }

  constexpr bool operator==(const Conv2dProblem&) const = default;

 private:
  static constexpr std::int64_t outputs(std::int64_t extent, std::int64_t reach, int stride) {
    return extent > reach ? (extent - 1 - reach) / stride + 1 : 0;
  }
};

namespace detail {

// The product, or `limit` + 1 where it is larger.
constexpr std::int64_t product_up_to(std::int64_t limit, std::int64_t a, std::int64_t b,
                                     std::int64_t c) {
  std::int64_t product = 1;
  for (const std::int64_t factor : {a, b, c}) {
    if (product > limit / factor) return limit + 1;
    product *= factor;
  }
  return product;
}

// One direction: what TMA's im2col mode takes of a filter.
inline void admit_side(const char* side, std::int64_t extent, std::int64_t taps,
                       std::int64_t outputs, int stride, int padding, int dilation) {
  const auto refused = [&](const auto&... why) {
    base::refuse(base::Exit::usage, "conv2d along ", side, ": ", why...);
  };
  const std::int64_t reach = (taps - 1) * dilation;
  if (stride < 1 || stride > 8) refused("TMA steps over 1 to 8 pixels: got a stride of ", stride);
  if (dilation < 1) refused("dilation must be at least 1: got ", dilation);
  if (padding < 0) refused("padding must be at least 0: got ", padding);
  if (reach > 255 || padding > 128 || padding - reach < -128 || padding - reach > 127)
    refused(
        "TMA takes a reach (dilation * (taps - 1)) up to 255, padding up to 128 and "
        "padding - reach of -128 to 127: got ",
        reach, ", ", padding, " and ", padding - reach);
  if (outputs < 1)
    refused("the filter covers ", reach + 1, " pixels and x with its padding has ",
            extent + 2 * padding, ": the output is empty");
}

}  // namespace detail

// Refuses, with the numbers, what the kernels do not take.
inline void admit(const Conv2dProblem& problem) {
  constexpr std::int64_t most = std::int64_t{1} << 30;
  const auto& p = problem;
  const auto refused = [](const auto&... why) {
    base::refuse(base::Exit::usage, "conv2d", why...);
  };
  for (const std::int64_t extent : {p.n, p.h, p.w, p.c, p.k, p.r, p.s})
    if (extent < 1 || extent > most)
      refused(" takes extents of 1 to ", most, ": got x ", p.n, 'x', p.h, 'x', p.w, 'x', p.c,
              " and filter ", p.k, 'x', p.r, 'x', p.s, 'x', p.c);
  detail::admit_side("h", p.h, p.r, p.p(), p.stride.h, p.padding.h, p.dilation.h);
  detail::admit_side("w", p.w, p.s, p.q(), p.stride.w, p.padding.w, p.dilation.w);
  for (const auto& [name, channels] : {std::pair{"c", p.c}, std::pair{"k", p.k}})
    if (channels % 8 != 0)
      refused(": ", name, " is ", channels, "; TMA moves 16 bytes, 8 channels: pad to ",
              (channels + 7) / 8 * 8);
  // Rows and the sum of the product are counted in int, an image's bytes by TMA.
  if (detail::product_up_to(most, p.n, p.p(), p.q()) > most)
    refused(" takes up to ", most, " pixels of output: got ", p.n, 'x', p.p(), 'x', p.q(),
            "; cut the batch");
  if (detail::product_up_to(most, p.r, p.s, (p.c + 63) / 64 * 64) > most)
    refused(" takes sums of up to ", most, " products: got ", p.r, 'x', p.s, 'x', p.c);
  constexpr std::int64_t image = std::int64_t{1} << 38;
  if (detail::product_up_to(image, p.h, p.w, p.c) > image)
    refused(" takes images of up to ", image, " elements: got ", p.h, 'x', p.w, 'x', p.c);
  for (const auto& [name, data] : {std::pair{"x", p.x}, std::pair{"filter", p.filter},
                                   std::pair<const char*, const void*>{"y", p.y}}) {
    if (!data) refused(": ", name, " has no data");
    if (reinterpret_cast<std::uintptr_t>(data) % 16 != 0)
      refused(": ", name, " starts at an address that is not a multiple of 16 bytes");
  }
}

}  // namespace aisp::tile::device
