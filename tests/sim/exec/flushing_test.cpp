// Results at the smallest normal number under .ftz. Rounded with an unbounded exponent they may
// reach it, and are kept then; a host that calls them subnormal before it rounds would lose them.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <random>
#include <vector>

#include "sim/exec/arithmetic/floating/flushing.hpp"
#include "sim/exec/arithmetic/floating/function.hpp"
#include "sim/exec/arithmetic/floating/rounding.hpp"
#include "tests/sim/exec/exact_number.hpp"

using namespace aisp;

namespace {

using exact::Real;
using probe::Probe;

constexpr std::uint64_t smallest_normal = 0x00800000;
const std::vector<std::string> directions = {"rn", "rz", "rm", "rp"};

std::uint64_t code_of(float x) { return std::bit_cast<std::uint32_t>(x); }
Real value_of(float x) { return exact::value(exact::f32, code_of(x)); }

struct Factors {
  float a, b;
};

// Products just below, at and above 2^-126: a in [1, 2), b as near to its reciprocal as f32 has it,
// or one of the neighbours.
std::vector<Factors> near_products() {
  std::mt19937 random(5);
  std::vector<Factors> pairs;
  for (int i = 0; i < 4096; ++i) {
    const float a =
        std::bit_cast<float>(0x3f800000u | static_cast<std::uint32_t>(random() & 0x7fffffu));
    float b = 1.0f / a;
    for (int step = static_cast<int>(random() % 3) - 1; step != 0; step = 0)
      b = std::nextafter(b, step < 0 ? 0.0f : 2.0f);
    const float sign = random() % 2 == 0 ? 1.0f : -1.0f;
    pairs.push_back({a * 0x1p-60f * sign, b * 0x1p-66f});
  }
  return pairs;
}

struct Tally {
  int kept = 0, flushed = 0;
};

// Runs one instruction on 32 lanes of operands at a time and compares with exact numbers.
template <class Compute>
Tally expect_exact(const std::string& name, const std::string& mode, int operands,
                   const std::vector<std::vector<float>>& inputs, Compute compute) {
  std::string text = name + "." + mode + ".ftz.f32";
  SCOPED_TRACE(text);
  for (int i = 0; i <= operands; ++i) text += (i == 0 ? " " : ", ") + exact::reg(32, i);
  Probe probe(text + ";");
  const sim::Ref sources[] = {probe.op().a, probe.op().b, probe.op().c};
  Tally tally;
  for (std::size_t first = 0; first + sim::lanes <= inputs.size(); first += sim::lanes) {
    for (int lane = 0; lane < sim::lanes; ++lane)
      for (int i = 0; i < operands; ++i)
        probe.put(sources[i], 32, lane, code_of(inputs[first + lane][i]));
    probe.run();
    for (int lane = 0; lane < sim::lanes; ++lane) {
      const std::vector<float>& in = inputs[first + lane];
      const Real exact = compute(in);
      const std::uint64_t expected = exact::rounded(exact::f32, exact, mode, true, false);
      const std::uint64_t got = probe.get(probe.op().dst, 32, lane);
      EXPECT_EQ(got, expected) << std::hexfloat << in[0] << " " << in[1];
      const bool below = exact < exact::power(-126) && -exact < exact::power(-126);
      if (below && (expected & 0x7fffffff) == smallest_normal) ++tally.kept;
      if ((expected & 0x7fffffff) == 0) ++tally.flushed;
    }
  }
  return tally;
}

// Rounding toward zero never reaches the smallest normal number from below.
void expect_both_sides(const Tally& tally, const std::string& mode) {
  EXPECT_GT(tally.flushed, 50) << mode;
  if (mode == "rz") {
    EXPECT_EQ(tally.kept, 0) << mode;
  } else {
    EXPECT_GT(tally.kept, 50) << mode;
  }
}

TEST(Flushing, ProductsThatRoundUpToTheSmallestNormalNumberAreKept) {
  std::vector<std::vector<float>> inputs;
  for (const Factors& pair : near_products()) inputs.push_back({pair.a, pair.b});
  for (const std::string& mode : directions)
    expect_both_sides(
        expect_exact("mul", mode, 2, inputs,
                     [](const auto& in) { return value_of(in[0]) * value_of(in[1]); }),
        mode);
}

TEST(Flushing, FusedSumsThatRoundUpToTheSmallestNormalNumberAreKept) {
  std::vector<std::vector<float>> inputs;
  for (const Factors& pair : near_products()) {
    const auto turn = inputs.size() % 3;  // a zero, a normal number, one that cancels
    const float sign = pair.a < 0 ? -1.0f : 1.0f;
    if (turn == 0) inputs.push_back({pair.a, pair.b, 0.0f});
    if (turn == 1) inputs.push_back({pair.a, pair.b * 0x1p-24f, sign * 0x1p-126f});
    if (turn == 2) inputs.push_back({pair.a * 2, pair.b, sign * -0x1p-126f});
  }
  for (const std::string& mode : directions)
    expect_both_sides(expect_exact("fma", mode, 3, inputs,
                                   [](const auto& in) {
                                     return value_of(in[0]) * value_of(in[1]) + value_of(in[2]);
                                   }),
                      mode);
}

// The largest quotient below 1 of two numbers of 24 bits is 1 - 2^-24: none rounds up to 1.
TEST(Flushing, QuotientsBelowTheSmallestNormalNumberAreZero) {
  std::vector<std::vector<float>> inputs;
  for (std::uint32_t i = 1; i <= 4096; ++i) {
    const float divisor = std::bit_cast<float>(0x3f800000u - i % 1024),
                dividend = std::bit_cast<float>(0x3f800000u - i % 1024 - i / 1024);
    inputs.push_back({dividend * 0x1p-60f, divisor * 0x1p66f});
  }
  for (const std::string& mode : directions) {
    const Tally tally = expect_exact(
        "div", mode, 2, inputs, [](const auto& in) { return value_of(in[0]) / value_of(in[1]); });
    EXPECT_GT(tally.flushed, 50) << mode;
    EXPECT_EQ(tally.kept, 0) << mode;
  }
}

TEST(Flushing, ConversionsThatRoundUpToTheSmallestNormalNumberAreKept) {
  for (const std::string& mode : directions) {
    Probe probe("cvt." + mode + ".ftz.f32.f64 %r0, %d0;");
    int kept = 0;
    for (int i = 1; i <= 64; ++i) {
      const double x = (i % 2 == 0 ? 1 : -1) * 0x1p-126 * (1 - i * 0x1p-27);
      probe.put(probe.op().a, 64, 3, std::bit_cast<std::uint64_t>(x));
      probe.run();
      const Real exact = exact::value(exact::f64, std::bit_cast<std::uint64_t>(x));
      const std::uint64_t expected = exact::rounded(exact::f32, exact, mode, true);
      EXPECT_EQ(probe.get(probe.op().dst, 32, 3), expected) << mode << std::hexfloat << x;
      kept += (expected & 0x7fffffff) == smallest_normal;
    }
    EXPECT_EQ(kept > 0, mode != "rz") << mode;
  }
}

// The way that hosts without x86's flushing take, on every host.
TEST(Flushing, WithoutTheHelpOfTheHostIsTheSame) {
  const auto check = [](auto calculate, const std::string& mode, auto compute, auto... in) {
    const float got = sim::Flushed<decltype(calculate)>{}(in...);
    const Real exact = compute(value_of(sim::without_subnormal(in))...);
    if (exact == 0) return;
    EXPECT_EQ(code_of(got), exact::rounded(exact::f32, exact, mode, true)) << mode;
  };
  const sim::Round rounds[] = {sim::Round::rn, sim::Round::rz, sim::Round::rm, sim::Round::rp};
  std::mt19937 random(6);
  for (int i = 0; i < 4; ++i) {
    const sim::ArithmeticScope scope(rounds[i], false);
    for (const Factors& pair : near_products()) {
      const auto product = [](Real a, Real b) { return a * b; };
      const auto sum = [](Real a, Real b, Real c) { return a * b + c; };
      check(sim::floating::Mul{}, directions[i], product, pair.a, pair.b);
      check(sim::floating::Fma{}, directions[i], sum, pair.a, pair.b, 0.0f);
      check(sim::floating::Fma{}, directions[i], sum, pair.a, pair.b * 0x1p-24f, 0x1p-126f);
      check(
          sim::floating::Add{}, directions[i], [](Real a, Real b) { return a + b; },
          pair.a * 0x1p-66f, pair.b * 0x1p-60f);
    }
  }
}

}  // namespace
