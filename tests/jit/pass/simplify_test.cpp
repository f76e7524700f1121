// Equal values once, what is known folded, what is unused gone; the meaning stays.
#include <gtest/gtest.h>

#include <cmath>

#include "jit/ir/interpret.hpp"
#include "jit/ir/print.hpp"
#include "jit/pass/simplify.hpp"
#include "tests/jit/support/programs.hpp"

namespace aisp::jit {

static int count(const Function& function, Opcode code) {
  int found = 0;
  for_each(function.body,
           [&](const Operation& operation) { found += operation.code == code ? 1 : 0; });
  return found;
}

TEST(Simplify, ComputesEqualValuesOnceAndDropsTheRest) {
  const auto lambda = [](Input<1> x, Output<1> y) {
    auto start = blocks(x.extent(0), 32) * 1 + 0;
    auto a = exp(x.load({start}, {32})), b = exp(x.load({start}, {32}));
    tanh(a);
    y.store({start}, a + b * 1.0);
  };
  const Function before =
      trace("p", lambda, samples::signature({{f32, {40}}, {f32, {40}}})).function;
  const Function after = simplify(before);
  verify(after);
  EXPECT_EQ(count(after, Opcode::load), 1) << print(after);
  EXPECT_EQ(count(after, Opcode::exp), 1);
  EXPECT_EQ(count(after, Opcode::tanh), 0);
  EXPECT_EQ(count(after, Opcode::mul), 0) << print(after);
  std::vector<HostTensor> one{{{40}, std::vector<double>(40, 0.5)},
                              {{40}, std::vector<double>(40)}},
      other = one;
  interpret(before, one);
  interpret(after, other);
  EXPECT_EQ(one[1].values, other[1].values);
  EXPECT_EQ(one[1].values[39], rounded(f32, 2 * std::exp(0.5)));
}

TEST(Simplify, KeepsNegativeZero) {
  const auto lambda = [](Input<1> x, Output<1> y) { y.store({0}, x.load({0}, {1}) + 0.0); };
  const Function after =
      simplify(trace("p", lambda, samples::signature({{f32, {1}}, {f32, {1}}})).function);
  EXPECT_EQ(count(after, Opcode::add), 1) << "-0 + 0 is 0";
}

// Constants are told apart by their bits: NaN is equivalent to every number by value, -0.0 to 0.0.
TEST(Simplify, KeepsConstantsThatDifferApart) {
  const auto lambda = [](Input<1> x, Output<1> y) {
    auto start = blocks(x.extent(0), 4);
    auto v = x.load({start}, {4});
    y.store({start}, where(v > 2.0, v, where(v > 1.0, NAN, where(v > 0.0, -0.0, 0.0))));
  };
  const Function before = trace("p", lambda, samples::signature({{f32, {4}}, {f32, {4}}})).function;
  const Function after = simplify(before);
  verify(after);
  EXPECT_EQ(count(after, Opcode::constant), 6) << "4, 2, 1, NaN, -0 and 0\n" << print(after);
  std::vector<HostTensor> tensors{{{4}, {3, 1.5, 0.5, -1}}, {{4}, std::vector<double>(4)}};
  interpret(after, tensors);
  const std::vector<double>& got = tensors[1].values;
  EXPECT_EQ(got[0], 3);
  EXPECT_TRUE(std::isnan(got[1]));
  EXPECT_TRUE(got[2] == 0 && std::signbit(got[2]));
  EXPECT_TRUE(got[3] == 0 && !std::signbit(got[3]));
  Attributes minus_zero, zero;
  minus_zero.number = -0.0;
  EXPECT_FALSE(minus_zero == zero);
  minus_zero.number = zero.number = NAN;
  EXPECT_TRUE(minus_zero == zero);
}

TEST(Simplify, KeepsStoresAndLoops) {
  const Function before =
      trace("gemm", samples::bias_silu,
            samples::signature({{bf16, {64, 48}}, {bf16, {64, 48}}, {f32, {64}}, {f32, {64, 64}}}))
          .function;
  const Function after = simplify(before);
  verify(after);
  EXPECT_EQ(count(after, Opcode::loop), 1);
  EXPECT_EQ(count(after, Opcode::store), 1);
  EXPECT_EQ(count(after, Opcode::dot), 1);
}

}  // namespace aisp::jit
