#include "lab/judge/conv_problem.hpp"

#include <algorithm>

#include "base/refuse.hpp"
#include "lab/judge/conv_reference.hpp"

namespace aisp::lab {
namespace {

void refuse_channels(const std::string& target, const ConvShape& shape, const GemmTypes& types) {
  const std::int64_t whole = 16 / bytes_of(types.in) * shape.groups;
  if (shape.c % whole == 0 && shape.k % whole == 0) return;
  const auto padded = [&](std::int64_t channels) { return (channels + whole - 1) / whole * whole; };
  base::refuse(base::Exit::usage, target, " in ", name_of(types.in),
               shape.groups > 1 ? " and groups" : "", " needs C and K divisible by ", whole,
               " (16-byte rows of channels): got ", shape.c, " and ", shape.k, "; pad to ",
               padded(shape.c), " and ", padded(shape.k));
}

}  // namespace

ConvVariant conv_variant(const std::string& name) {
  if (name.empty()) return {gemm_types("bf16")};
  if (name == "f16") return {gemm_types("fp16")};
  if (name == "e4m3") return {gemm_types("fp8")};
  if (name == "s8") return {gemm_types("int8")};
  if (name == "groups") return {.types = gemm_types("bf16"), .groups = 4};
  if (name == "backward_data") return {gemm_types("bf16"), ConvDirection::backward_data};
  if (name == "backward_weights") return {gemm_types("bf16"), ConvDirection::backward_weights};
  base::refuse(base::Exit::usage, "no convolution '", name,
               "'; it is f16, e4m3, s8, groups, backward_data or backward_weights, or nothing for "
               "forward in bf16");
}

ConvShape conv_shape(const std::string& target, const Size& size) {
  const auto& dims = size.dims;
  const ConvVariant variant = conv_variant(size.variant);
  const ConvShape shape{dims.at(0), dims.at(1), dims.at(2), dims.at(3),    dims.at(4),
                        dims.at(5), dims.at(6), dims.at(7), variant.groups};
  const auto refused = [&](const auto&... why) {
    base::refuse(base::Exit::usage, target, " ", why...);
  };
  constexpr std::int64_t most = 1 << 19, reach = 127;
  if (*std::max_element(dims.begin(), dims.end()) > most)
    refused("takes extents up to ", most, ": got ", size.label());
  refuse_channels(target, shape, variant.types);
  if (shape.stride > 8) refused("takes strides up to 8: got ", shape.stride);
  if (shape.dilation * (shape.r - 1) > reach)
    refused("takes filters that reach over up to ", reach, " pixels: dilation ", shape.dilation,
            " times R - 1 is ", shape.dilation * (shape.r - 1));
  const std::int64_t covered = shape.dilation * (shape.r - 1) + 1;
  if (std::min(shape.h, shape.w) + 2 * shape.padding() < covered)
    refused("needs images that hold the filter once: it covers ", covered,
            " pixels, the padded image is ", shape.h + 2 * shape.padding(), 'x',
            shape.w + 2 * shape.padding());
  if (std::max(shape.pixels(), shape.n * shape.h * shape.w) > 1 << 30)
    refused("takes up to ", 1 << 30, " pixels: got ", shape.n * shape.h * shape.w, " and ",
            shape.pixels(), " of output");
  if (variant.types.out == Dtype::i32) refuse_i32_overflow(target, shape.depth());
  return shape;
}

Problem conv_problem(const std::string& target, const Size& size) {
  using enum ConvDirection;
  const ConvShape shape = conv_shape(target, size);
  const auto [types, direction, groups] = conv_variant(size.variant);
  const auto tensor = [](const char* name, Dtype dtype, std::vector<std::int64_t> extents) {
    return Tensor{
        .name = name, .dtype = dtype, .shape = std::move(extents), .values = product_values(dtype)};
  };
  const bool forwards = direction == forward, data = direction == backward_data;
  const Dtype out = types.out;
  const Tensor x =
      tensor(data ? "dx" : "x", data ? out : types.in, {shape.n, shape.h, shape.w, shape.c});
  const Tensor w = tensor(direction == backward_weights ? "dw" : "w",
                          direction == backward_weights ? out : types.in,
                          {shape.k, shape.r, shape.r, shape.group_c()});
  const Tensor y = tensor(forwards ? "y" : "dy", forwards ? out : types.in,
                          {shape.n, shape.p(), shape.q(), shape.k});
  Problem problem;
  problem.size = size;
  problem.inputs = forwards ? std::vector{x, w} : data ? std::vector{y, w} : std::vector{y, x};
  // The zeros of the padding, and taps that meet a pixel of dx nowhere, only make sums shorter.
  const std::int64_t length = forwards ? shape.depth()
                              : data   ? shape.taps() * shape.group_k()
                                       : shape.pixels();
  problem.outputs = {{.tensor = forwards ? y
                                : data   ? x
                                         : w,
                      .tolerance = product_tolerance(types, types.in, length)}};
  problem.flops = 2.0 * static_cast<double>(shape.pixels()) * static_cast<double>(shape.k) *
                  static_cast<double>(shape.depth());
  problem.bytes = bytes_once(problem);
  problem.unit = types.unit;
  problem.reference = [shape, direction](const Inputs& inputs,
                                         std::vector<std::vector<double>>& expected) {
    const auto reference = direction == forward         ? conv_reference
                           : direction == backward_data ? conv_data_reference
                                                        : conv_weights_reference;
    reference(shape, inputs, expected[0]);
  };
  return problem;
}

}  // namespace aisp::lab
