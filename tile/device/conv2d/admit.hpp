// What of a convolution the kernels take.
#pragma once

#include <array>
#include <tuple>
#include <utility>

#include "base/refuse.hpp"
#include "tile/device/conv2d/problem.hpp"

namespace aisp::tile::device {

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

inline void admit_elements(const Conv2dProblem& p) {
  using enum Element;
  const auto refused = [&](const auto&... why) {
    base::refuse(base::Exit::usage, name_of(p.direction), why...);
  };
  const bool wide = p.element == bf16 || p.element == f16;
  if (p.direction == Conv2dDirection::forward) {
    if (!wide && p.element != e4m3 && p.element != s8)
      refused(" multiplies bf16, f16, e4m3 and s8: got ", name_of(p.element));
    const Element out = wide ? p.element : p.element == s8 ? s32 : bf16;
    if (p.out != out)
      refused(" of ", name_of(p.element), " writes ", name_of(out), ": got ", name_of(p.out));
    if (p.element == s8 && (p.alpha != 1 || p.bias))
      refused(" of s8 writes its exact s32 sums: got an alpha of ", p.alpha,
              p.bias ? " and a bias" : "", "; scale them behind it");
    return;
  }
  if (!wide)
    refused(" multiplies bf16 and f16: got ", name_of(p.element),
            "; gradients of networks in 8 bits are computed from 16-bit copies");
  const bool weights = p.direction == Conv2dDirection::backward_weights;
  if (p.out != p.element && !(weights && p.out == f32))
    refused(" of ", name_of(p.element), " writes ", name_of(p.element), weights ? " or f32" : "",
            ": got ", name_of(p.out));
  if (p.bias) refused(" has no bias: the gradient of one is a sum over dy");
}

inline void admit_channels(const Conv2dProblem& p) {
  const auto refused = [&](const auto&... why) {
    base::refuse(base::Exit::usage, name_of(p.direction), why...);
  };
  if (p.groups < 1 || p.c % p.groups != 0 || p.k % p.groups != 0)
    refused(" takes groups that divide c and k: got ", p.groups, " groups of ", p.c, " and ", p.k);
  // TMA moves 16 bytes: channels of what is read, and of what is written.
  const bool forward = p.direction == Conv2dDirection::forward;
  for (const auto& [name, channels, whole, element] :
       {std::tuple{"c", p.c, 16 / bytes_of(p.element), p.element},
        std::tuple{"k", p.k, 16 / bytes_of(forward ? p.out : p.element),
                   forward ? p.out : p.element}}) {
    const std::int64_t of_group = channels / p.groups;
    if (of_group % whole == 0) continue;
    if (p.groups == 1)
      refused(": ", name, " is ", channels, "; TMA moves 16 bytes, ", whole, " channels of ",
              name_of(element), ": pad to ", (channels + whole - 1) / whole * whole);
    refused(": ", name, " is ", channels, " in ", p.groups, " groups of ", of_group,
            "; TMA moves 16 bytes, ", whole, " channels of ", name_of(element),
            ": lay several groups together, with zeros in the filter between them, or pad each to ",
            (of_group + whole - 1) / whole * whole);
  }
}

inline void admit_data(const Conv2dProblem& p) {
  using enum Conv2dDirection;
  using Named = std::pair<const char*, const void*>;
  const Named x{"x", p.x}, filter{"filter", p.filter}, dy{"dy", p.dy};
  using Three = std::array<Named, 3>;
  const Three tensors = p.direction == forward         ? Three{x, filter, Named{"y", p.y}}
                        : p.direction == backward_data ? Three{dy, filter, Named{"dx", p.dx}}
                                                       : Three{dy, x, Named{"dw", p.dw}};
  for (const auto& [name, data] : tensors) {
    if (!data) base::refuse(base::Exit::usage, name_of(p.direction), ": ", name, " has no data");
    if (reinterpret_cast<std::uintptr_t>(data) % 16 != 0)
      base::refuse(base::Exit::usage, name_of(p.direction), ": ", name,
                   " starts at an address that is not a multiple of 16 bytes");
  }
}

}  // namespace detail

namespace detail {

inline void admit_shape(const Conv2dProblem& problem) {
  constexpr std::int64_t most = std::int64_t{1} << 30;
  const auto& p = problem;
  const auto refused = [&](const auto&... why) {
    base::refuse(base::Exit::usage, name_of(p.direction), why...);
  };
  for (const std::int64_t extent : {p.n, p.h, p.w, p.c, p.k, p.r, p.s})
    if (extent < 1 || extent > most)
      refused(" takes extents of 1 to ", most, ": got x ", p.n, 'x', p.h, 'x', p.w, 'x', p.c,
              " and filter ", p.k, 'x', p.r, 'x', p.s, 'x', p.c);
  admit_side("h", p.h, p.r, p.p(), p.stride.h, p.padding.h, p.dilation.h);
  admit_side("w", p.w, p.s, p.q(), p.stride.w, p.padding.w, p.dilation.w);
  admit_elements(p);
  admit_channels(p);
  // Rows and the sum of the product are counted in int, an image's bytes by TMA.
  if (product_up_to(most, p.n, p.p(), p.q()) > most)
    refused(" takes up to ", most, " pixels of output: got ", p.n, 'x', p.p(), 'x', p.q(),
            "; cut the batch");
  if (p.direction != Conv2dDirection::forward && product_up_to(most, p.n, p.h, p.w) > most)
    refused(" takes up to ", most, " pixels of x: got ", p.n, 'x', p.h, 'x', p.w,
            "; cut the batch");
  for (const std::int64_t channels : {p.c, p.k})
    if (product_up_to(most, p.r, p.s, (channels + 127) / 128 * 128) > most)
      refused(" takes sums of up to ", most, " products: got ", p.r, 'x', p.s, 'x', channels);
  constexpr std::int64_t image = std::int64_t{1} << 38;
  if (product_up_to(image, p.h, p.w, p.c) > image)
    refused(" takes images of up to ", image, " elements: got ", p.h, 'x', p.w, 'x', p.c);
}

}  // namespace detail

// Refuses, with the numbers, what the kernels do not take. False where there are no images: the
// output is empty then, and a gradient of the filter zeros.
inline bool admit(const Conv2dProblem& problem) {
  if (problem.n != 0) {
    detail::admit_shape(problem);
    detail::admit_data(problem);
    return true;
  }
  Conv2dProblem one = problem;
  one.n = 1;
  detail::admit_shape(one);
  if (problem.direction == Conv2dDirection::backward_weights && problem.dw == nullptr)
    base::refuse(base::Exit::usage, name_of(problem.direction), ": dw has no data");
  return false;
}

}  // namespace aisp::tile::device
