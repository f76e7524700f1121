// programmatic_launch: a chain of small kernels, each of which needs all that the one before it has
// computed. Layers of a network at a small batch: reading a layer's weights takes about as long as
// getting its kernel started.
#include <algorithm>
#include <bit>
#include <cmath>

#include "base/parallel.hpp"
#include "base/refuse.hpp"
#include "chapters/ch11/programmatic_launch/chain.hpp"
#include "lab/case/registry.hpp"
#include "lab/judge/gemm_problem.hpp"

using namespace aisp;

namespace {

namespace chain = ch11::chain;

// An f32 number is a bf16 one with 16 more bits.
double from_bf16(std::uint16_t code) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(code) << 16);
}

void reference(const lab::Inputs& inputs, std::vector<std::vector<double>>& expected,
               std::int64_t layers, std::int64_t width) {
  const auto x = inputs.at(0).as<float>();
  const auto weights = inputs.at(1).as<std::uint16_t>();
  auto& y = expected.at(0);
  y.assign(x.begin(), x.end());
  std::vector<double> next(y.size());
  for (std::int64_t layer = 0; layer < layers; ++layer) {
    base::parallel_ranges(
        width,
        [&](std::int64_t row, std::int64_t last) {
          for (; row < last; ++row) {
            const auto* w = weights.data() + (layer * width + row) * width;
            double sums[chain::batch] = {};
            for (std::int64_t k = 0; k < width; ++k)
              for (int b = 0; b < chain::batch; ++b) sums[b] += from_bf16(w[k]) * y[b * width + k];
            for (int b = 0; b < chain::batch; ++b)
              next[b * width + row] =
                  y[b * width + row] + chain::share * std::clamp(sums[b], -1.0, 1.0);
          }
        },
        64);
    std::swap(y, next);
  }
}

// Weights have an rms of 1 / sqrt(width), so that W x has the rms of x, and the factors that a
// vector is multiplied by stay near 1.
double weight_range(std::int64_t width) {
  return std::sqrt(3.0) / std::sqrt(static_cast<double>(width));
}

// A layer's own error d: `share` times that of a sum of `width` products in f32, and one rounding
// of the new x. With s = share: x begins with a variance of 1/3, and what a layer adds has one of
// at most s^2 and a random sign; no x exceeds 1 + layers * s.
//
// The layers after it carry an error e on as e + s D W e, D being 1 or 0 where clamp() is slanted
// or flat. The weights' signs are random and sqrt(width) of them have an rms of 1: the variance
// grows by 1 + s^2 at most. Errors of different layers are independent and add as squares:
// d^2 times the sum of (1 + s^2)^i, i < layers. With 64 layers that is 10.5 d.
lab::Tolerance tolerance_of(std::int64_t layers, std::int64_t width) {
  const double s = chain::share, count = static_cast<double>(layers);
  const double product_rms = std::sqrt((1.0 / 3 + count * s * s) / static_cast<double>(width));
  const double of_sum = lab::accumulation(lab::Dtype::f32, width, product_rms).absolute;
  const double d = s * of_sum + 0x1p-24 * (1 + count * s);
  const double growth = (std::pow(1 + s * s, count) - 1) / (s * s);
  return {.relative = 0.0, .absolute = d * std::sqrt(growth)};
}

lab::Problem problem(const lab::Size& size) {
  const std::int64_t layers = size.dims.at(0), width = size.dims.at(1);
  constexpr std::int64_t most_layers = 256, most_width = 8192;
  if (layers < 1 || layers > most_layers)
    base::refuse(base::Exit::usage, "programmatic_launch takes 1 to ", most_layers, " layers: got ",
                 layers);
  if (width < 1 || width > most_width || width % chain::rows_per_block != 0)
    base::refuse(base::Exit::usage, "programmatic_launch: the width must be a multiple of ",
                 chain::rows_per_block, ", the rows of a block, and at most ", most_width,
                 ", so that they fit into shared memory: got ", width, "; use ",
                 std::clamp<std::int64_t>((width + 7) / 8 * 8, 8, most_width));
  lab::Problem problem;
  problem.size = size;
  const double range = weight_range(width);
  problem.inputs = {{"x", lab::Dtype::f32, {chain::batch, width}, {-1.0, 1.0}},
                    {"weights", lab::Dtype::bf16, {layers, width, width}, {-range, range}}};
  problem.outputs = {
      {{"y", lab::Dtype::f32, {chain::batch, width}, {}}, tolerance_of(layers, width)}};
  problem.flops =
      2.0 * chain::batch * static_cast<double>(layers) * static_cast<double>(width * width);
  problem.bytes = lab::bytes_once(problem);
  problem.unit = lab::Unit::fma_f32;
  problem.reference = [=](const lab::Inputs& inputs, std::vector<std::vector<double>>& expected) {
    reference(inputs, expected, layers, width);
  };
  return problem;
}

lab::Target target() {
  lab::Target target;
  target.chapter = "ch11";
  target.name = "programmatic_launch";
  target.idea = "a chain of small kernels: the next one's prologue under the tail of this one";
  target.shows_in = lab::Count::overlap;
  target.axes = {"layers", "width"};
  target.variants = {""};
  target.full = {{"", {64, 1024}}, {"", {64, 2048}}};
  // Threads without work, an odd number of layers; more than one turn for some threads; one layer.
  target.quick = {{"", {5, 72}}, {"", {2, 1032}}, {"", {1, 8}}};
  target.problem = problem;
  return target;
}

const lab::TargetEntry entry{target()};

}  // namespace
