// One element's arithmetic at its edges: NaN, infinities, the two zeros, integers that end.
#include "jit/ir/apply.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "jit/ir/interpret.hpp"
#include "jit/ir/print.hpp"
#include "jit/trace/number.hpp"
#include "tests/jit/support/programs.hpp"

namespace aisp::jit {

static bool is_minus_zero(double number) { return number == 0 && std::signbit(number); }
static bool is_plus_zero(double number) { return number == 0 && !std::signbit(number); }

// As max.NaN.f32 and its negative: -0 is less than +0, whichever comes first.
TEST(Apply, SmallerAndLargerZero) {
  for (const bool first : {false, true}) {
    const double a = first ? -0.0 : 0.0, b = first ? 0.0 : -0.0;
    EXPECT_TRUE(is_minus_zero(apply(Opcode::min, f32, {a, b})));
    EXPECT_TRUE(is_plus_zero(apply(Opcode::max, f32, {a, b})));
  }
  EXPECT_TRUE(is_minus_zero(apply(Opcode::max, f32, {-0.0, -0.0})));
  for (const Opcode code : {Opcode::min, Opcode::max}) {
    EXPECT_TRUE(std::isnan(apply(code, f32, {NAN, 1})));
    EXPECT_TRUE(std::isnan(apply(code, f32, {-INFINITY, NAN})));
  }
}

TEST(Apply, IntegersHaveOneZero) {
  EXPECT_TRUE(is_plus_zero(apply(Opcode::mul, s32, {0, -3})));
  EXPECT_TRUE(is_plus_zero(apply(Opcode::div, s32, {-1, 2})));
  EXPECT_TRUE(is_plus_zero(apply(Opcode::neg, s32, {0})));
  EXPECT_TRUE(is_plus_zero(converted(s32, -0.5)));
  EXPECT_TRUE(is_plus_zero(converted(s8, -0.25)));
  EXPECT_TRUE(is_plus_zero((Number(0) * -3).value()));
  EXPECT_TRUE(is_plus_zero(to(Number(-0.5), s32).value()));
}

// As cvt.rzi.s32.f32: C++ leaves the last three undefined.
TEST(Apply, FloatsBecomeIntegers) {
  EXPECT_EQ(converted(s32, 2.75), 2);
  EXPECT_EQ(converted(s32, -2.75), -2);
  EXPECT_EQ(converted(s32, NAN), 0);
  EXPECT_EQ(converted(s32, INFINITY), 0x1p31 - 1);
  EXPECT_EQ(converted(s32, -1e30), -0x1p31);
  EXPECT_EQ(to(Number(2.75), s32).value(), 2) << "a function's own reference";
}

TEST(Apply, PrintsConstantsApart) {
  EXPECT_EQ(print_number(-0.0), "-0");
  EXPECT_EQ(print_number(0.0), "0");
  EXPECT_EQ(print_number(NAN), "nan");
  EXPECT_EQ(print_number(-INFINITY), "-inf");
  EXPECT_EQ(print_number(0x1p-149), "1.401298464324817e-45");
}

// A constant is converted as a value is.
TEST(Interpret, ConvertsConstants) {
  const auto lambda = [](Input<1> x, Output<1> y) {
    auto v = x.load({0}, {1});
    y.store({0}, v * 0.0 + to(to(Arg(2.75), s32), f32) + to(Arg(0.1), bf16));
  };
  std::vector<HostTensor> tensors{{{1}, {1}}, {{1}, {0}}};
  interpret(trace("p", lambda, samples::signature({{f32, {1}}, {f32, {1}}})).function, tensors);
  EXPECT_EQ(tensors[1].values[0], rounded(f32, 2 + rounded(bf16, 0.1)));
}

// The first element that counts, not the first of the tile: that one is outside.
TEST(Interpret, LargestOfMinusInfinities) {
  const auto lambda = [](Input<1> x, Output<1> y) {
    y.store({0}, to(argmax(x.load({-2}, {5}), axis(0)), f32));
  };
  std::vector<HostTensor> tensors{{{3}, {-INFINITY, -INFINITY, -INFINITY}}, {{1}, {9}}};
  interpret(trace("p", lambda, samples::signature({{f32, {3}}, {f32, {1}}})).function, tensors);
  EXPECT_EQ(tensors[1].values[0], 2);
}

}  // namespace aisp::jit
