// The programs that the tests of jit look at.
#pragma once

#include "jit/trace/trace.hpp"

namespace aisp::jit::samples {

inline const auto softmax = [](Input<2> x, Output<2> y) {
  x.named("x"), y.named("y");
  auto row = blocks(x.extent(0), 1);
  auto v = x.load({row, 0}, {1, whole}).named("v");
  auto e = exp(v - max(v, axis(1))).named("e");
  y.store({row, 0}, e / sum(e, axis(1)));
};

inline const auto layernorm = [](Input<2> x, Input<1> gain, Input<1> shift, Output<2> y) {
  x.named("x"), gain.named("gain"), shift.named("shift"), y.named("y");
  auto row = blocks(x.extent(0), 1);
  auto v = x.load({row, 0}, {1, whole}).named("v");
  auto count = to(Arg(x.extent(1)), f32);
  auto centred = (v - sum(v, axis(1)) / count).named("centred");
  auto variance = (sum(centred * centred, axis(1)) / count).named("variance");
  auto scaled = centred * rsqrt(variance + 1e-5) * gain.load({0}, {whole});
  y.store({row, 0}, scaled + shift.load({0}, {whole}));
};

// The loss of each row: log of the sum of exponentials, less the score of its label.
inline auto cross_entropy(const Array<int>& labels) {
  return [&labels](Input<2> scores, Output<1> loss) {
    scores.named("scores"), loss.named("loss");
    auto row = blocks(scores.extent(0), 1);
    auto v = scores.load({row, 0}, {1, whole}).named("v");
    auto most = max(v, axis(1)).named("most");
    auto total = sum(exp(v - most), axis(1)).named("total");
    auto column = iota({1, v.extents()[1]}, axis(1));
    auto mine = sum(where(column == labels[row], v, 0.0), axis(1)).named("mine");
    loss.store({row}, log(total) + most - mine);
  };
}

inline const auto vector_add = [](Input<1> a, Input<1> b, Output<1> c) {
  a.named("a"), b.named("b"), c.named("c");
  auto first = blocks(c.extent(0), 1024);
  c.store({first}, a.load({first}, {1024}) + b.load({first}, {1024}));
};

inline const auto bias_gelu = [](Input<2> x, Input<1> bias, Output<2> y) {
  x.named("x"), bias.named("bias"), y.named("y");
  auto [row, column] = blocks({x.extent(0), x.extent(1)}, {4, 256});
  auto v = (x.load({row, column}, {4, 256}) + bias.load({column}, {256})).named("v");
  y.store({row, column}, 0.5 * v * (1.0 + erf(v * 0.70710678118654752)));
};

inline const auto bias_silu = [](Input<2> a, Input<2> b, Input<1> bias, Output<2> d) {
  a.named("a"), b.named("b"), bias.named("bias"), d.named("d");
  auto tm = choice("tile_m", {32}), tn = choice("tile_n", {32}), tk = choice("tile_k", {16});
  auto [m, n] = blocks({d.extent(0), d.extent(1)}, {tm, tn});
  auto sums = loop(a.extent(1), tk, zeros({tm, tn}).named("sums"), [&](Index k, Tile sums) {
    return dot(a.at({m, k}, {tm, tk}), transpose(b.at({n, k}, {tn, tk})), sums);
  });
  auto v = (sums + bias.load({n}, {tn})).named("v");
  d.store({m, n}, v * sigmoid(v));
};

inline Signature signature(std::vector<TensorFacts> tensors) { return {std::move(tensors), {}}; }

}  // namespace aisp::jit::samples
