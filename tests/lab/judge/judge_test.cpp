#include "lab/judge/judge.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>

#include "lab/judge/tolerance.hpp"

namespace aisp::lab {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

struct Sample {
  Tensor what;
  std::vector<std::byte> got;
  std::vector<double> want;

  Judgement judged(const Tolerance& tolerance = {}) const {
    return judge(what, got, want, tolerance);
  }
  void write(std::int64_t index, double value) {
    write_element(what.dtype, got.data(), index, value);
  }
};

// Outputs equal to a reference that the type can hold: 0.25 everywhere, integers 7.
Sample sample(Dtype dtype, std::vector<std::int64_t> shape) {
  Sample made{
      .what = {.name = "y", .dtype = dtype, .shape = std::move(shape)}, .got = {}, .want = {}};
  made.got.resize(static_cast<std::size_t>(made.what.bytes()));
  const double value = fraction_bits(dtype) == 0 ? 7.0 : 0.25;
  made.want.assign(static_cast<std::size_t>(made.what.count()), value);
  for (std::int64_t i = 0; i < made.what.count(); ++i) made.write(i, value);
  return made;
}

Judgement judge_one(Dtype dtype, double got, double want, const Tolerance& tolerance = {}) {
  Sample made = sample(dtype, {1});
  made.write(0, got);
  made.want[0] = want;
  return made.judged(tolerance);
}

class EveryType : public testing::TestWithParam<Dtype> {};
class EveryFloat : public testing::TestWithParam<Dtype> {};

TEST_P(EveryType, EqualIsRightWithoutAnyTolerance) {
  const Judgement judged = sample(GetParam(), {3, 5}).judged();
  EXPECT_TRUE(judged.right);
  EXPECT_EQ(judged.elements, 15);
  EXPECT_EQ(judged.wrong, 0);
  EXPECT_EQ(judged.worst_ulp, 0.0);
  EXPECT_EQ(judged.report, "y: 15 right; worst 0 ulp, relative norm 0.0e+00");
}

TEST_P(EveryType, OneWrongElementAnywhereIsFound) {
  for (std::int64_t at = 0; at < 15; ++at) {
    Sample made = sample(GetParam(), {3, 5});
    made.write(at, 1.0);
    const Judgement judged = made.judged();
    EXPECT_FALSE(judged.right);
    EXPECT_EQ(judged.wrong, 1);
    const std::string where = "first at " + coordinate({3, 5}, at) + ": got 1, want";
    EXPECT_NE(judged.report.find(where), std::string::npos) << judged.report;
  }
}

TEST_P(EveryFloat, PoisonLeftInAnElementIsWrong) {
  Sample made = sample(GetParam(), {64});
  for (std::int64_t byte = 0; byte < 2 * bytes_of(GetParam()); ++byte)
    made.got[static_cast<std::size_t>(byte + 8 * bytes_of(GetParam()))] = std::byte{poison_byte};
  // No tolerance lets a NaN pass.
  const Judgement judged = made.judged({.relative = 1e30, .absolute = 1e30});
  EXPECT_EQ(judged.wrong, 2);
  EXPECT_NE(judged.report.find("y: 2 of 64 wrong, first at (8): got"), std::string::npos);
  EXPECT_NE(judged.report.find("2 are NaN (never written?)"), std::string::npos) << judged.report;
}

TEST_P(EveryFloat, NanIsDemandedWhereTheReferenceIsNan) {
  EXPECT_TRUE(judge_one(GetParam(), nan, nan).right);
  const Judgement judged = judge_one(GetParam(), 1.0, nan, {.relative = 1.0, .absolute = 1.0});
  EXPECT_FALSE(judged.right);
  EXPECT_EQ(judged.report.find("NaN (never"), std::string::npos) << judged.report;
}

// The error may be anything up to the tolerance, not a step of the type more.
TEST_P(EveryFloat, ToleranceIsTheBorder) {
  const double ulp = ulp_at(GetParam(), 1.0);
  EXPECT_TRUE(judge_one(GetParam(), 1.0 + 2 * ulp, 1.0, {.absolute = 2 * ulp}).right);
  EXPECT_FALSE(judge_one(GetParam(), 1.0 + 2 * ulp, 1.0, {.absolute = 1.99 * ulp}).right);
  EXPECT_TRUE(judge_one(GetParam(), -1.0 - ulp, -1.0, {.relative = ulp}).right);
  EXPECT_FALSE(judge_one(GetParam(), -1.0 - ulp, -1.0, {.relative = 0.99 * ulp}).right);
  EXPECT_EQ(judge_one(GetParam(), 1.0 + ulp, 1.0).worst_ulp, 1.0);
}

const auto type_name = [](const auto& info) { return std::string(name_of(info.param)); };
INSTANTIATE_TEST_SUITE_P(Types, EveryFloat,
                         testing::Values(Dtype::f64, Dtype::f32, Dtype::f16, Dtype::bf16,
                                         Dtype::e4m3, Dtype::e5m2),
                         type_name);
INSTANTIATE_TEST_SUITE_P(Types, EveryType,
                         testing::Values(Dtype::f64, Dtype::f32, Dtype::f16, Dtype::bf16,
                                         Dtype::e4m3, Dtype::e5m2, Dtype::i32, Dtype::i8,
                                         Dtype::u8),
                         type_name);

TEST(Judge, ReportsCountPlaceValuesAndErrors) {
  Sample made = sample(Dtype::f32, {64, 64});
  for (const std::int64_t at : {67, 100, 4095}) made.write(at, 0.5);
  // Three errors of 0.25 against 4096 values of 0.25.
  EXPECT_EQ(made.judged().report,
            "y: 3 of 4096 wrong, first at (1, 3): got 0.5, want 0.25 (+8388608 ulp); "
            "worst 8.4e+06 ulp, relative norm 2.7e-02");
}

TEST(Judge, UlpIsMeasuredAtTheReference) {
  EXPECT_EQ(judge_one(Dtype::f32, 1.0, std::nextafter(1.0f, 2.0f)).worst_ulp, 1.0);
  // One step below 1 is half an ulp of the binade above it.
  EXPECT_EQ(judge_one(Dtype::f32, std::nextafter(1.0f, 0.0f), 1.0).worst_ulp, 0.5);
  EXPECT_EQ(judge_one(Dtype::bf16, 1.0, 1.0 + 0x1p-9).worst_ulp, 0.25);
  EXPECT_EQ(judge_one(Dtype::f32, 0x1p-149, 0.0).worst_ulp, 1.0);
  EXPECT_EQ(judge_one(Dtype::i32, 10, 7).worst_ulp, 3.0);
  EXPECT_NE(judge_one(Dtype::f32, 0.75, 1.0).report.find("(-2097152 ulp)"), std::string::npos);
  EXPECT_NE(judge_one(Dtype::bf16, 1.0, 1.001).report.find("(-0.128 ulp)"), std::string::npos);
}

TEST(Judge, InfinityHasToBeTheReferences) {
  const Tolerance loose{.relative = 0.5, .absolute = 100.0};
  EXPECT_TRUE(judge_one(Dtype::f32, infinity, infinity).right);
  EXPECT_FALSE(judge_one(Dtype::f32, -infinity, infinity, loose).right);
  EXPECT_FALSE(judge_one(Dtype::f32, 3e38, infinity, loose).right);
  EXPECT_FALSE(judge_one(Dtype::f32, infinity, 1.0, loose).right);
  EXPECT_FALSE(judge_one(Dtype::f32, infinity, nan, loose).right);
  EXPECT_EQ(judge_one(Dtype::f32, infinity, 1.0).report,
            "y: 1 of 1 wrong, first at (0): got inf, want 1; worst 0 ulp, relative norm 0.0e+00");
}

TEST(Judge, OverflowOfTheOutputType) {
  const Tolerance once = rounding(Dtype::f16);
  EXPECT_TRUE(judge_one(Dtype::f16, infinity, 70000.0, once).right);
  EXPECT_FALSE(judge_one(Dtype::f16, -infinity, 70000.0, once).right);
  EXPECT_FALSE(judge_one(Dtype::f16, 65504.0, 70000.0, once).right);
  EXPECT_FALSE(judge_one(Dtype::f16, infinity, 65000.0, once).right);
  EXPECT_TRUE(judge_one(Dtype::f16, 65504.0, 65519.0, once).right);
  EXPECT_TRUE(judge_one(Dtype::e4m3, 448.0, 1e6).right);
  EXPECT_TRUE(judge_one(Dtype::e4m3, -448.0, -infinity).right);
  EXPECT_FALSE(judge_one(Dtype::e4m3, 416.0, 1e6).right);
  EXPECT_TRUE(judge_one(Dtype::e5m2, 57344.0, 1e6).right);
}

TEST(Judge, ResultsStayFiniteForExtremeDoubles) {
  const Judgement judged = judge_one(Dtype::f64, 1e308, 1e-308);
  EXPECT_FALSE(judged.right);
  EXPECT_TRUE(std::isfinite(judged.worst_ulp));
  EXPECT_TRUE(std::isfinite(judged.relative_norm));
  EXPECT_FALSE(judge_one(Dtype::f64, 1.7e308, -1.7e308).right);
  Sample large = sample(Dtype::f64, {2});
  large.want = {1e300, 1e300};
  large.write(0, 1e300);
  large.write(1, 1.5e300);
  EXPECT_NEAR(large.judged().relative_norm, 0.5 / std::sqrt(2.0), 1e-15);
}

TEST(Judge, RelativeNormOfAnAllZeroReferenceIsTheErrorsNorm) {
  Sample made = sample(Dtype::f32, {2});
  made.want = {0.0, 0.0};
  made.write(0, 3.0);
  made.write(1, 4.0);
  EXPECT_EQ(made.judged().relative_norm, 5.0);
}

TEST(Judge, FindsSingleErrorsInALargeTensor) {
  const std::int64_t count = (1 << 22) + 3;
  Sample made = sample(Dtype::bf16, {count});
  EXPECT_TRUE(made.judged().right);
  for (const std::int64_t at : {std::int64_t{12345}, std::int64_t{1} << 21, count - 1}) {
    made.write(at, 0.5);
    EXPECT_FALSE(made.judged().right) << at;
    made.write(at, 0.25);
  }
  made.write(count - 1, nan);
  made.write(1 << 20, -1.0);
  const Judgement judged = made.judged();
  EXPECT_EQ(judged.wrong, 2);
  EXPECT_NE(judged.report.find("first at (1048576)"), std::string::npos) << judged.report;
  EXPECT_NE(judged.report.find("1 is NaN"), std::string::npos) << judged.report;
}

TEST(Judge, EmptyAndScalarTensors) {
  EXPECT_TRUE(sample(Dtype::f32, {0, 4}).judged().right);
  Sample scalar = sample(Dtype::f32, {});
  scalar.write(0, 9.0);
  EXPECT_NE(scalar.judged().report.find("1 of 1 wrong, first at ()"), std::string::npos);
}

TEST(Judge, RefusesBuffersOfAnotherLength) {
  Sample made = sample(Dtype::f32, {4});
  made.want.pop_back();
  EXPECT_THROW(made.judged(), std::logic_error);
  made = sample(Dtype::f32, {4});
  made.got.pop_back();
  EXPECT_THROW(made.judged(), std::logic_error);
}

TEST(Judge, TakesABoundForEveryElement) {
  Sample made = sample(Dtype::f32, {4});
  const std::vector<double> allowed{0.0, 0.5, 0.125, nan};
  const auto judged = [&] {
    return judge(made.what, made.got, made.want, std::span<const double>(allowed));
  };
  EXPECT_EQ(judged().wrong, 1) << "what may be off by NaN is never right";
  made.write(1, 0.75);
  EXPECT_EQ(judged().wrong, 1);
  made.write(2, 0.5);
  EXPECT_EQ(judged().wrong, 2);
  made.write(1, nan);
  EXPECT_EQ(judged().wrong, 3);
  EXPECT_THROW(judge(made.what, made.got, made.want, std::span(allowed).first(3)),
               std::logic_error);
}

TEST(JudgeAll, AddsCountsAndKeepsTheWrongReports) {
  const Judgement good{
      .right = true, .elements = 4, .worst_ulp = 3, .relative_norm = 0.1, .report = "a: fine"};
  const Judgement bad{.right = false,
                      .elements = 2,
                      .wrong = 1,
                      .worst_ulp = 2,
                      .relative_norm = 0.2,
                      .report = "b: bad"};
  const std::vector<Judgement> both{good, bad}, fine{good, good};
  const Judgement all = judge_all(both);
  EXPECT_FALSE(all.right);
  EXPECT_EQ(all.elements, 6);
  EXPECT_EQ(all.wrong, 1);
  EXPECT_EQ(all.worst_ulp, 3);
  EXPECT_EQ(all.relative_norm, 0.2);
  EXPECT_EQ(all.report, "b: bad");
  EXPECT_TRUE(judge_all(fine).right);
  EXPECT_EQ(judge_all(fine).report, "a: fine; a: fine");
}

TEST(Poison, IsNanInEveryFloatAndAKnownIntegerElsewhere) {
  const std::vector<std::byte> poisoned(8, std::byte{poison_byte});
  for (const Dtype dtype :
       {Dtype::f64, Dtype::f32, Dtype::f16, Dtype::bf16, Dtype::e4m3, Dtype::e5m2})
    EXPECT_TRUE(std::isnan(read_element(dtype, poisoned.data(), 0))) << name_of(dtype);
  EXPECT_EQ(read_element(Dtype::i32, poisoned.data(), 0), -1.0);
  EXPECT_EQ(read_element(Dtype::u8, poisoned.data(), 0), 255.0);
}

}  // namespace
}  // namespace aisp::lab
