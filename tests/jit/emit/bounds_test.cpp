// The ranges that kernels are held to: as wide as roundings and documented errors make them, and
// no wider.
#include "tests/jit/support/bounds.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/number/format.hpp"
#include "jit/program.hpp"
#include "tests/jit/support/memory.hpp"
#include "tests/jit/support/programs.hpp"

namespace aisp::jit {

using testing::bounds;
using testing::first_outside;
using testing::Range;
using testing::RangeTensor;

namespace {

struct Case {
  RangeTensor range;
  std::vector<double> right;  // of float64
};

// The last tensor of a program.
template <class Lambda>
Case last(const Lambda& lambda, const std::vector<Element>& elements,
          std::vector<HostTensor> tensors) {
  Signature signature;
  for (std::size_t at = 0; at < elements.size(); ++at)
    signature.tensors.push_back({elements[at], tensors[at].extents});
  const Variant variant = Program("bounds", lambda).variant(signature);
  Case result{bounds(variant, tensors).at(elements.size() - 1), {}};
  interpret(variant.traced, tensors);
  result.right = tensors[elements.size() - 1].values;
  return result;
}

HostTensor numbers(std::vector<double> values) {
  for (double& value : values) value = rounded(f32, value);
  return {{static_cast<std::int64_t>(values.size())}, std::move(values)};
}
HostTensor poisoned(std::vector<std::int64_t> extents) {
  std::int64_t size = 1;
  for (const std::int64_t extent : extents) size *= extent;
  return {std::move(extents), std::vector<double>(static_cast<std::size_t>(size), NAN)};
}

// One function of each element, in f32.
template <class F>
Case each(F f, const std::vector<double>& values) {
  const auto lambda = [=](Input<1> x, Output<1> y) {
    auto first = blocks(y.extent(0), 64);
    y.store({first}, f(x.load({first}, {64})));
  };
  const HostTensor x = numbers(values);
  return last(lambda, {f32, f32}, {x, poisoned(x.extents)});
}

const std::vector<double> some{-1.9, -1.1, -0.3, -0.001, 0.0007, 0.4, 0.9, 1.3, 1.7};

double step(double number, int direction) {  // to the next f32
  return std::nextafter(static_cast<float>(number), static_cast<float>(direction) * INFINITY);
}

bool accepted(const Range& range, double number) {
  return first_outside({number}, {{1}, {range}}).empty();
}

// So many f32 numbers on both sides of the correctly rounded one, and no more.
template <class F>
void expect_ulps(F f, double (*truth)(double), const std::vector<double>& values, int ulps) {
  const Case of = each(f, values);
  for (std::size_t at = 0; at < values.size(); ++at) {
    const double right = rounded(f32, truth(rounded(f32, values[at])));
    const double ulp = base::ulp(base::f32, right);
    for (const int side : {-1, 1}) {
      EXPECT_TRUE(accepted(of.range.values[at], right + side * ulps * ulp)) << at << ' ' << side;
      EXPECT_FALSE(accepted(of.range.values[at], right + side * (ulps + 1) * ulp))
          << at << ' ' << side;
    }
  }
}

// What the tests of kernels have once let pass, whatever the program was.
bool fixed_tolerance_passes(const Case& of, const std::vector<double>& got) {
  for (std::size_t at = 0; at < got.size(); ++at)
    if (std::fabs(got[at] - of.right[at]) > 2e-5 * (1 + std::fabs(of.right[at]))) return false;
  return true;
}

TEST(Bounds, OneRoundingIsExactlyThat) {
  for (const Case& one :
       {each([](Tile x) { return x + 0.1; }, some), each([](Tile x) { return x * 0.7; }, some),
        each([](Tile x) { return 3.0 - x; }, some)})
    for (std::size_t at = 0; at < some.size(); ++at) {
      const Range& range = one.range.values[at];
      EXPECT_TRUE(accepted(range, one.right[at]));
      EXPECT_LE(range.high - range.low, 2 * base::ulp(base::f32, one.right[at]))
          << "the constant's rounding and the operation's";
    }
  const Case doubled = each([](Tile x) { return x + x; }, some);
  const Case quarter = each([](Tile x) { return x / 4.0; }, some);
  for (const Case& one : {doubled, quarter})
    for (std::size_t at = 0; at < some.size(); ++at) {
      EXPECT_TRUE(accepted(one.range.values[at], one.right[at]));
      EXPECT_FALSE(accepted(one.range.values[at], step(one.right[at], 1))) << "exact, and no other";
      EXPECT_FALSE(accepted(one.range.values[at], NAN));
    }
}

TEST(Bounds, FunctionsErrByTheirDocumentedUlpAndNoMore) {
  const std::vector<double> positive{0.0003, 0.11, 0.7, 1.3, 1.9, 77.0};
  const auto inverse_root = [](double x) { return 1 / std::sqrt(x); };
  expect_ulps([](Tile x) { return tanh(x); }, std::tanh, some, 2);
  expect_ulps([](Tile x) { return erf(x); }, std::erf, some, 2);
  expect_ulps([](Tile x) { return log(x); }, std::log, positive, 1);
  expect_ulps([](Tile x) { return rsqrt(x); }, inverse_root, positive, 2);
  expect_ulps([](Tile x) { return sqrt(x); }, std::sqrt, positive, 0);
  const Case powers = each([](Tile x) { return exp2(x); }, some);
  for (std::size_t at = 0; at < some.size(); ++at)
    for (const int side : {-1, 1}) {
      const double end = std::exp2(rounded(f32, some[at])) * (1 + side * 0x1p-22);
      EXPECT_TRUE(accepted(powers.range.values[at], step(end, -side))) << at << ' ' << side;
      EXPECT_FALSE(accepted(powers.range.values[at], step(step(end, side), side)));
    }
}

TEST(Bounds, AWrongExponentialIsFound) {
  const auto right = [](Tile x) { return exp(x - 6.0); };
  const auto wrong = [](Tile x) { return exp(x - 6.0) * (1 + 0x1p-12); };
  const Case of = each(right, some);
  const std::vector<double> got = each(wrong, some).right;
  EXPECT_EQ(first_outside(of.right, of.range), "");
  EXPECT_TRUE(fixed_tolerance_passes(of, got));
  for (std::size_t at = 0; at < some.size(); ++at)
    EXPECT_FALSE(accepted(of.range.values[at], got[at])) << at;
}

TEST(Bounds, ASumOfALongRowThatLeavesOutOneIsFound) {
  const auto mean_of = [](int left_out) {
    return [=](Input<2> x, Output<1> y) {
      auto row = blocks(x.extent(0), 1);
      auto v = x.load({row, 0}, {1, whole});
      auto column = iota({1, v.extents()[1]}, axis(1));
      y.store({row}, sum(where(column == left_out, 0.0, v), axis(1)) / 1500.0);
    };
  };
  HostTensor x = testing::random_tensor(f32, {2, 1500}, 5);
  x.values[1200] = 0.015;  // a small one of two rows of [-2, 2)
  x.values[2700] = -0.015;
  const Case right = last(mean_of(-1), {f32, f32}, {x, poisoned({2})});
  const Case wrong = last(mean_of(1200), {f32, f32}, {x, poisoned({2})});
  EXPECT_EQ(first_outside(right.right, right.range), "");
  EXPECT_TRUE(fixed_tolerance_passes(right, wrong.right));
  EXPECT_FALSE(accepted(right.range.values[0], wrong.right[0]));
  EXPECT_FALSE(accepted(right.range.values[1], wrong.right[1]));
}

TEST(Bounds, SumsAreAsWideAsTheirOrderIsDeep) {
  const auto sums = [](Input<2> x, Output<1> y) {
    auto row = blocks(x.extent(0), 1);
    y.store({row}, sum(x.load({row, 0}, {1, whole}), axis(1)));
  };
  const HostTensor x = testing::random_tensor(f32, {1, 1000}, 6);
  const Variant variant =
      Program("sums", sums).variant(samples::signature({{f32, {1, 1000}}, {f32, {1}}}));
  const int depth = testing::additions(variant.plan, 1000);
  EXPECT_LT(depth, 40);
  double size = 0, total = 0;
  for (const double one : x.values) size += std::fabs(one), total += one;
  const Range range = bounds(variant, {x, poisoned({1})})[1].values[0];
  const double error = depth * 0x1p-24 * size;
  EXPECT_TRUE(accepted(range, rounded(f32, total + 0.99 * error)));
  EXPECT_TRUE(accepted(range, rounded(f32, total - 0.99 * error)));
  EXPECT_FALSE(accepted(range, rounded(f32, total + 1.01 * error)));
  EXPECT_FALSE(accepted(range, rounded(f32, total - 1.01 * error)));
  // Zeros add nothing, and no rounding.
  HostTensor one = x;
  std::fill(one.values.begin(), one.values.end(), 0.0);
  one.values[77] = 0.3f;
  const Range alone = bounds(variant, {one, poisoned({1})})[1].values[0];
  EXPECT_TRUE(alone.point());
  EXPECT_EQ(alone.low, static_cast<double>(0.3f));
}

TEST(Bounds, ProductsAreAsWideAsTheirFusedAdditions) {
  const std::int64_t k = 40;
  const HostTensor a = testing::random_tensor(bf16, {1, k}, 1),
                   b = testing::random_tensor(bf16, {1, k}, 2);
  const auto product = [](Input<2> left, Input<2> right, Output<2> d) {
    auto [m, n] = blocks({d.extent(0), d.extent(1)}, {8, 8});
    d.store({m, n},
            dot(left.at({m, 0}, {8, 64}), transpose(right.at({n, 0}, {8, 64})), zeros({8, 8})));
  };
  const Case of = last(product, {bf16, bf16, f32}, {a, b, poisoned({1, 1})});
  double size = 0, total = 0;
  for (std::size_t at = 0; at < k; ++at) {
    size += std::fabs(a.values[at] * b.values[at]);
    total += a.values[at] * b.values[at];
  }
  const double error = static_cast<double>(k) * 0x1p-24 * size;
  EXPECT_TRUE(accepted(of.range.values[0], rounded(f32, total + 0.98 * error)));
  EXPECT_FALSE(accepted(of.range.values[0], rounded(f32, total + 1.02 * error)));
  EXPECT_FALSE(accepted(of.range.values[0], rounded(f32, total - 1.02 * error)));
}

TEST(Bounds, AConditionNearATieTakesBothSides) {
  const double tie = std::exp(rounded(f32, 0.4));
  const Case of =
      each([=](Tile x) { return where(exp(x) > tie, x + 10.0, -x); }, {0.39, 0.4, 0.41});
  EXPECT_EQ(first_outside(of.right, of.range), "");
  const double near = rounded(f32, 0.4);
  EXPECT_TRUE(accepted(of.range.values[1], -near));
  EXPECT_TRUE(accepted(of.range.values[1], rounded(f32, near + 10)));
  EXPECT_FALSE(accepted(of.range.values[1], rounded(f32, near + 10.1)));
  EXPECT_FALSE(accepted(of.range.values[0], rounded(f32, rounded(f32, 0.39) + 10)));
  EXPECT_FALSE(accepted(of.range.values[2], -rounded(f32, 0.41)));
  // A comparison of exact numbers is decided, a tie too.
  const Case exact = each([](Tile x) { return where(x >= 0.5, 1.0, 2.0) + x; }, {0.5});
  EXPECT_TRUE(exact.range.values[0].point());
  EXPECT_EQ(exact.range.values[0].low, 1.5);
}

TEST(Bounds, TheLargestIsOneOfThoseThatMayBe) {
  const auto first_largest = [](Input<2> x, Output<1> y) {
    auto row = blocks(x.extent(0), 1);
    y.store({row}, to(argmax(tanh(x.load({row, 0}, {1, whole})), axis(1)), f32));
  };
  const double near = 0.5, next = step(0.5, 1);  // tanh of both may be the same, or reversed
  const HostTensor x{{2, 4}, {near, 0.1, next, 0.2, 0.3, 0.9, 0.1, 0.9}};
  const Case of = last(first_largest, {f32, f32}, {x, poisoned({2})});
  EXPECT_EQ(of.range.values[0].low, 0);
  EXPECT_EQ(of.range.values[0].high, 2);
  EXPECT_EQ(of.right, (std::vector<double>{2, 1}));
  EXPECT_FALSE(accepted(of.range.values[1], 0));
  EXPECT_TRUE(accepted(of.range.values[1], 1));
  const auto of_inputs = [](Input<2> in, Output<1> y) {
    auto row = blocks(in.extent(0), 1);
    y.store({row}, to(argmax(in.load({row, 0}, {1, whole}), axis(1)), f32));
  };
  const Case exact = last(of_inputs, {f32, f32}, {x, poisoned({2})});
  EXPECT_FALSE(accepted(exact.range.values[0], 0)) << "what is exact is decided";
  EXPECT_FALSE(accepted(exact.range.values[1], 3)) << "and the first of equal ones is taken";
  EXPECT_EQ(first_outside(exact.right, exact.range), "");
}

TEST(Bounds, BlocksAddToMemoryInAnyOrder) {
  const auto total = [](Input<1> x, Output<1> y) {
    auto first = blocks(x.extent(0), 1);
    y.add({0}, x.load({first}, {1}));
  };
  // In this order no addition is rounded; in others 0.25 is lost beside 2^25, once or twice.
  const HostTensor x = numbers({0x1p25, -0x1p25, 0.25, 0.25});
  const Case of = last(total, {f32, f32}, {x, {{1}, {0.0}}});
  EXPECT_EQ(of.right[0], 0.5);
  for (const double sum : {0.0, 0.25, 0.5}) EXPECT_TRUE(accepted(of.range.values[0], sum)) << sum;
  const double error = 3 * 0x1p-24 * (0x1p26 + 0.5);
  EXPECT_TRUE(accepted(of.range.values[0], 0.5 + 0.99 * error));
  EXPECT_FALSE(accepted(of.range.values[0], 0.5 + 1.01 * error));
}

TEST(Bounds, ConversionsRoundOnceAndIntegersAreExact) {
  const auto to_bf16 = [](Input<1> x, Output<1> y) {
    auto first = blocks(y.extent(0), 64);
    y.store({first}, tanh(x.load({first}, {64})));
  };
  const Case half = last(to_bf16, {f32, bf16}, {numbers(some), poisoned({9})});
  for (std::size_t at = 0; at < some.size(); ++at) {
    const Range& range = half.range.values[at];
    EXPECT_TRUE(accepted(range, half.right[at]));
    EXPECT_FALSE(accepted(range, half.right[at] + base::ulp(base::bf16, half.right[at])));
  }
  const Case whole_numbers =
      each([](Tile x) { return to(to(x * 100.0, s32) % 7 * 3, f32); }, {0.5, 0.25, 1.75, -0.75});
  for (std::size_t at = 0; at < 4; ++at) {
    EXPECT_TRUE(whole_numbers.range.values[at].point());
    EXPECT_EQ(whole_numbers.range.values[at].low, whole_numbers.right[at]);
  }
}

TEST(Bounds, NanIsRightWhereItMustBeAndNowhereElse) {
  const Case of = each([](Tile x) { return sqrt(x) + log(x); }, {-1.0, 2.0});
  EXPECT_TRUE(accepted(of.range.values[0], NAN));
  EXPECT_FALSE(accepted(of.range.values[0], 0.5));
  EXPECT_FALSE(accepted(of.range.values[1], NAN));
  EXPECT_EQ(first_outside({0.5, of.right[1]}, of.range), "element 0: 0.5, right is NaN");
}

}  // namespace
}  // namespace aisp::jit
