// Reciprocals, roots and elementary functions: exact forms against exact numbers, approximations
// against the host's library in double precision.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <vector>

#include "tests/sim/exec/exact_number.hpp"

using namespace aisp;

namespace {

using exact::Codes;
using exact::Real;
using probe::Probe;

std::uint64_t run(Probe& probe, int bits, std::uint64_t in) {
  probe.put(probe.op().a, bits, 5, in);
  probe.run(1u << 5);
  return probe.get(probe.op().dst, bits, 5);
}

// A quotient has infinitely many bits: what counts is on which side of it a candidate lies.
// Checks that `code` is the correctly rounded value of a number x given by sign(candidate - x).
template <class Compare>
void expect_rounded(const exact::Shape& shape, std::uint64_t code, const std::string& mode,
                    Compare compare) {
  ASSERT_TRUE(exact::is_finite(shape, code));
  const Real result = exact::value(shape, code);
  const Real step = exact::value(shape, code + 1) - result;  // one code away from zero
  const Real below = step > 0 ? -step : step, above = -below;
  const int side = compare(result);
  if (side == 0) return;
  if (mode == "rm" || (mode == "rz" && result > 0)) {
    EXPECT_LT(side, 0);
    EXPECT_GT(compare(result + above), 0);
  } else if (mode == "rp" || mode == "rz") {
    EXPECT_GT(side, 0);
    EXPECT_LT(compare(result + below), 0);
  } else {
    EXPECT_LE(compare(result + below / 2), 0);
    EXPECT_GE(compare(result + above / 2), 0);
  }
}

int sign_of(Real x) { return x < 0 ? -1 : x > 0 ? 1 : 0; }

TEST(Special, ReciprocalsAndRootsAreRoundedExactly) {
  const struct {
    std::string name;
    exact::Shape shape;
  } types[] = {{"f32", exact::f32}, {"f64", exact::f64}};
  for (const auto& type : types)
    for (const std::string mode : {"rn", "rz", "rm", "rp"}) {
      const int bits = type.shape.bits();
      const std::string operands = "." + mode + "." + type.name + " " + exact::reg(bits, 0) + ", " +
                                   exact::reg(bits, 1) + ";";
      Probe rcp("rcp" + operands), sqrt("sqrt" + operands);
      Codes codes(type.shape, 0, 20, type.shape.fraction_bits);
      for (int i = 0; i < 500; ++i) {
        const std::uint64_t code = codes.next();
        const Real x = exact::value(type.shape, code);
        SCOPED_TRACE(mode + " of " + std::to_string(static_cast<double>(x)));
        expect_rounded(type.shape, run(rcp, bits, code), mode,
                       [&](Real candidate) { return sign_of(candidate * x - 1) * sign_of(x); });
        const Real positive = x < 0 ? -x : x;
        expect_rounded(type.shape, run(sqrt, bits, code & type.shape.nan()), mode,
                       [&](Real candidate) { return sign_of(candidate * candidate - positive); });
      }
    }
}

struct Approximation {
  std::string name;
  double (*function)(double);
  int middle, spread;
};

// Correctly rounded but for rare near-ties: at most one ulp, and seldom.
TEST(Special, ApproximationsAreTheFunctionsRounded) {
  for (const Approximation& f :
       {Approximation{"ex2", [](double x) { return std::exp2(x); }, 0, 6},
        Approximation{"lg2", [](double x) { return std::log2(std::fabs(x)); }, 0, 60},
        Approximation{"rcp", [](double x) { return 1 / x; }, 0, 60},
        Approximation{"sqrt", [](double x) { return std::sqrt(std::fabs(x)); }, 0, 60},
        Approximation{"rsqrt", [](double x) { return 1 / std::sqrt(std::fabs(x)); }, 0, 60},
        Approximation{"tanh", [](double x) { return std::tanh(x); }, -4, 7}}) {
    Probe probe(f.name + ".approx.f32 %r0, %r1;");
    Codes codes(exact::f32, f.middle, f.spread, 23);
    int different = 0;
    for (int i = 0; i < 5000; ++i) {
      auto code = static_cast<std::uint32_t>(codes.next());
      if (f.name == "lg2" || f.name.ends_with("sqrt")) code &= 0x7fffffff;
      const auto x = std::bit_cast<float>(code);
      const auto got = static_cast<std::int64_t>(run(probe, 32, code));
      const auto want = std::bit_cast<std::uint32_t>(static_cast<float>(f.function(x)));
      ASSERT_LE(std::abs(got - static_cast<std::int64_t>(want)), 1) << f.name << " " << x;
      different += got != want;
    }
    EXPECT_LE(different, 2) << f.name;
  }
}

TEST(Special, AnglesAreGoodToTwoToTheMinusTwenty) {
  Probe sine("sin.approx.f32 %r0, %r1;"), cosine("cos.approx.f32 %r0, %r1;");
  for (float x = -3.14f; x < 3.14f; x += 0.0137f) {
    const auto code = std::bit_cast<std::uint32_t>(x);
    const auto result = [&](Probe& probe) {
      return std::bit_cast<float>(static_cast<std::uint32_t>(run(probe, 32, code)));
    };
    EXPECT_NEAR(result(sine), std::sin(double{x}), 0x1p-20) << x;
    EXPECT_NEAR(result(cosine), std::cos(double{x}), 0x1p-20) << x;
  }
  EXPECT_EQ(run(cosine, 32, 0x7f7fffff), 0x3f800000u);  // whole turns
  EXPECT_EQ(run(sine, 32, 0xff7fffff), 0x80000000u);
}

// All 65536 codes of the halves, within one ulp of the rounded function.
TEST(Special, HalvesOfEveryCode) {
  const struct {
    std::string name;
    exact::Shape shape;
    double (*function)(double);
  } cases[] = {{"ex2.approx.f16", exact::f16, [](double x) { return std::exp2(x); }},
               {"ex2.approx.ftz.bf16", exact::bf16, [](double x) { return std::exp2(x); }},
               {"tanh.approx.f16", exact::f16, [](double x) { return std::tanh(x); }},
               {"tanh.approx.bf16", exact::bf16, [](double x) { return std::tanh(x); }}};
  for (const auto& c : cases) {
    Probe probe(c.name + " %h0, %h1;");
    for (std::uint64_t code = 0; code < 0x10000; ++code) {
      const std::uint64_t got = run(probe, 16, code);
      if (exact::is_nan(c.shape, code)) {
        ASSERT_EQ(got, c.shape.nan());
        continue;
      }
      if (!exact::is_finite(c.shape, code)) continue;
      const double x = static_cast<double>(exact::value(c.shape, code));
      const double y = c.function(x);
      if (y == 0 || (y < 0x1p-126 && c.name == "ex2.approx.ftz.bf16")) continue;
      const std::uint64_t want = exact::rounded(c.shape, std::isinf(y) ? 0x1p200 : y, "rn");
      ASSERT_LE(got > want ? got - want : want - got, 1u) << c.name << " " << code;
    }
  }
}

TEST(Special, RefusesWhatPtxRefuses) {
  for (const std::string text :
       {"rcp.f32 %r0, %r1;", "rcp.approx.f64 %d0, %d1;", "sqrt.approx.f64 %d0, %d1;",
        "sin.rn.f32 %r0, %r1;", "ex2.approx.ftz.f16 %h0, %h1;", "ex2.approx.bf16 %h0, %h1;",
        "tanh.approx.ftz.f32 %r0, %r1;", "testp.odd.f32 %p0, %r1;", "copysign.f16 %h0, %h1, %h2;"})
    EXPECT_THROW(probe::program_of(text, 90), sim::ptx::Refused) << text;
}

}  // namespace
