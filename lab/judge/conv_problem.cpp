#include "lab/judge/conv_problem.hpp"

#include <algorithm>
#include <cstring>

#include "base/parallel.hpp"
#include "base/refuse.hpp"
#include "lab/case/references.hpp"
#include "lab/judge/gemm_problem.hpp"
#include "lab/judge/tolerance.hpp"

namespace aisp::lab {
namespace {

Tensor bf16_image(const char* name, std::vector<std::int64_t> shape) {
  return {.name = name, .dtype = Dtype::bf16, .shape = std::move(shape)};
}

// What the filter sees at one pixel of y, (r, s, c); `row` is all zeros.
void gather_patch(const ConvShape& shape, const std::byte* x, std::int64_t pixel, std::byte* row) {
  const std::int64_t q = pixel % shape.q(), line = pixel / shape.q();
  const std::int64_t p = line % shape.p(), image = line / shape.p();
  const auto bytes = static_cast<std::size_t>(shape.c * bytes_of(Dtype::bf16));
  for (std::int64_t r = 0; r < shape.r; ++r)
    for (std::int64_t s = 0; s < shape.r; ++s, row += bytes) {
      const std::int64_t h = p * shape.stride - shape.padding() + r * shape.dilation;
      const std::int64_t w = q * shape.stride - shape.padding() + s * shape.dilation;
      if (h < 0 || h >= shape.h || w < 0 || w >= shape.w) continue;
      const std::int64_t at = (image * shape.h + h) * shape.w + w;
      std::memcpy(row, x + static_cast<std::size_t>(at) * bytes, bytes);
    }
}

HostTensor gather_patches(const ConvShape& shape, const HostTensor& x, std::int64_t first,
                          std::int64_t count) {
  HostTensor patches{bf16_image("patches", {count, shape.depth()}), {}};
  patches.data.resize(static_cast<std::size_t>(patches.what.bytes()));
  const std::int64_t line = shape.depth() * bytes_of(Dtype::bf16);
  base::parallel_ranges(
      count,
      [&](std::int64_t from, std::int64_t to) {
        for (std::int64_t i = from; i < to; ++i)
          gather_patch(shape, x.data.data(), first + i, patches.data.data() + i * line);
      },
      64);
  return patches;
}

// The blocked float64 product does the work, on as many patches at a time as 64 MiB hold.
void conv_reference(const ConvShape& shape, const Inputs& inputs, std::vector<double>& y) {
  const std::int64_t at_once =
      std::max<std::int64_t>(256, (64 << 20) / (shape.depth() * bytes_of(Dtype::bf16)));
  std::vector<double> part;
  for (std::int64_t first = 0; first < shape.pixels(); first += at_once) {
    const std::int64_t count = std::min(at_once, shape.pixels() - first);
    gemm_reference(gather_patches(shape, inputs[0], first, count), inputs[1], true, count, shape.k,
                   shape.depth(), part);
    std::copy(part.begin(), part.end(), y.begin() + first * shape.k);
  }
}

}  // namespace

ConvShape conv_shape(const std::string& target, const Size& size) {
  const auto& dims = size.dims;
  const ConvShape shape{dims.at(0), dims.at(1), dims.at(2), dims.at(3),
                        dims.at(4), dims.at(5), dims.at(6), dims.at(7)};
  const auto refused = [&](const auto&... why) {
    base::refuse(base::Exit::usage, target, " ", why...);
  };
  constexpr std::int64_t most = 1 << 19, reach = 127;
  if (*std::max_element(dims.begin(), dims.end()) > most)
    refused("takes extents up to ", most, ": got ", size.label());
  if (shape.c % 8 != 0 || shape.k % 8 != 0)
    refused("needs C and K divisible by 8 (16-byte rows of channels): got ", shape.c, " and ",
            shape.k, "; pad to ", (shape.c + 7) / 8 * 8, " and ", (shape.k + 7) / 8 * 8);
  if (shape.stride > 8) refused("takes strides up to 8: got ", shape.stride);
  if (shape.dilation * (shape.r - 1) > reach)
    refused("takes filters that reach over up to ", reach, " pixels: dilation ", shape.dilation,
            " times R - 1 is ", shape.dilation * (shape.r - 1));
  const std::int64_t covered = shape.dilation * (shape.r - 1) + 1;
  if (std::min(shape.h, shape.w) + 2 * shape.padding() < covered)
    refused("needs images that hold the filter once: it covers ", covered,
            " pixels, the padded image is ", shape.h + 2 * shape.padding(), 'x',
            shape.w + 2 * shape.padding());
  if (shape.pixels() > 1 << 30)
    refused("takes up to ", 1 << 30, " pixels of output: got ", shape.pixels());
  return shape;
}

Problem conv_problem(const std::string& target, const Size& size) {
  const ConvShape shape = conv_shape(target, size);
  Problem problem;
  problem.size = size;
  problem.inputs = {bf16_image("x", {shape.n, shape.h, shape.w, shape.c}),
                    bf16_image("w", {shape.k, shape.r, shape.r, shape.c})};
  // Products of two numbers uniform in [-1, 1]; the zeros of the padding only make sums shorter.
  problem.outputs = {{.tensor = bf16_image("y", {shape.n, shape.p(), shape.q(), shape.k}),
                      .tolerance = accumulation(Dtype::bf16, shape.depth(), 1.0 / 3, matrix_f32)}};
  problem.flops = 2.0 * static_cast<double>(shape.pixels()) * static_cast<double>(shape.k) *
                  static_cast<double>(shape.depth());
  problem.bytes = bytes_once(problem);
  problem.unit = Unit::matrix_bf16;
  problem.reference = [shape](const Inputs& inputs, std::vector<std::vector<double>>& expected) {
    conv_reference(shape, inputs, expected[0]);
  };
  return problem;
}

}  // namespace aisp::lab
