// Floating-point arithmetic against exact numbers: every type, rounding direction and .ftz, on
// ranges around one, at overflow and in the subnormals, with all lanes and with some.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "tests/sim/exec/exact_number.hpp"

using namespace aisp;

namespace {

using exact::Codes;
using exact::Real;
using exact::Shape;
using probe::Probe;

constexpr sim::Mask some_lanes = 0x8421c3a5;
const std::vector<std::string> directions = {"rn", "rz", "rm", "rp"};

struct Type {
  std::string name;
  Shape shape;
  int significant;  // bits of an operand, so that a sum of products is exact in 113
};
const Type f32{"f32", exact::f32, 23}, f64{"f64", exact::f64, 36}, f16{"f16", exact::f16, 10},
    bf16{"bf16", exact::bf16, 7};

// The exponents of operands: around one, where products or sums overflow or are subnormal.
struct Range {
  int middle, spread;
};
std::vector<Range> ranges(const Type& type, bool sums) {
  const int bias = type.shape.bias(), half = bias / 2;
  if (sums) return {{0, 3}, {0, 12}, {bias - 1, 1}, {-bias, 2}};
  return {{0, 3}, {0, half < 12 ? half : 12}, {half + 1, 2}, {-half - 1, 3}};
}

using Values = std::vector<Real>;

struct Operation {
  std::string name;
  int operands;
  Real (*compute)(const Values&);
};
const Operation add{"add", 2, [](const Values& v) { return v[0] + v[1]; }};
const Operation sub{"sub", 2, [](const Values& v) { return v[0] - v[1]; }};
const Operation mul{"mul", 2, [](const Values& v) { return v[0] * v[1]; }};
const Operation fma{"fma", 3, [](const Values& v) { return v[0] * v[1] + v[2]; }};

// A sum that cancels exactly is -0 when rounding down; products have the sign of their factors.
bool zero_is_negative(const Operation& operation, const Shape& shape, const std::string& mode,
                      const std::vector<std::uint64_t>& codes) {
  const auto sign = [&](std::size_t i) { return (codes[i] & shape.sign()) != 0; };
  if (operation.name == "mul") return sign(0) != sign(1);
  const bool first = operation.name == "fma" ? sign(0) != sign(1) : sign(0);
  const bool second = sign(codes.size() - 1) != (operation.name == "sub");
  return first == second ? first : mode == "rm";
}

std::uint64_t flushed(const Shape& shape, std::uint64_t code) {
  return (code & shape.nan()) >> shape.fraction_bits == 0 ? code & shape.sign() : code;
}

void expect_exact(const Type& type, const Operation& operation, const std::string& mode, bool ftz) {
  const int bits = type.shape.bits();
  std::string text = operation.name + "." + mode + (ftz ? ".ftz." : ".") + type.name;
  SCOPED_TRACE(text);
  for (int i = 0; i <= operation.operands; ++i) text += (i == 0 ? " " : ", ") + exact::reg(bits, i);
  Probe probe(text + ";", 90);
  const sim::Ref sources[] = {probe.op().a, probe.op().b, probe.op().c};
  for (const Range& range : ranges(type, operation.name == "add" || operation.name == "sub")) {
    Codes numbers(type.shape, range.middle, range.spread, type.significant);
    // The addend of fma is about as large as the product, or the sum would not fit a Real.
    const int product = std::clamp(2 * range.middle, -type.shape.bias(), type.shape.bias() - 2);
    Codes addends(type.shape, product, 2, type.significant);
    for (int round = 0; round < 12; ++round) {
      const sim::Mask mask = round % 3 == 2 ? some_lanes : sim::all_lanes;
      std::vector<std::vector<std::uint64_t>> in(sim::lanes);
      for (int lane = 0; lane < sim::lanes; ++lane)
        for (int i = 0; i < operation.operands; ++i) {
          in[lane].push_back(i == 2 ? addends.next() : numbers.next());
          probe.put(sources[i], bits, lane, in[lane].back());
        }
      probe.run(mask);
      for (int lane = 0; lane < sim::lanes; ++lane) {
        if ((mask >> lane & 1) == 0) continue;
        Values values;
        for (auto& code : in[lane]) {
          if (ftz) code = flushed(type.shape, code);
          values.push_back(exact::value(type.shape, code));
        }
        const Real result = operation.compute(values);
        const std::uint64_t expected = exact::rounded(
            type.shape, result, mode, ftz, zero_is_negative(operation, type.shape, mode, in[lane]));
        ASSERT_EQ(probe.get(probe.op().dst, bits, lane), expected)
            << std::hex << in[lane][0] << " " << in[lane][1] << " " << in[lane].back();
      }
    }
  }
}

TEST(Floating, F32IsRoundedExactlyInEveryDirection) {
  for (const Operation& operation : {add, sub, mul, fma})
    for (const std::string& mode : directions)
      for (bool ftz : {false, true}) expect_exact(f32, operation, mode, ftz);
}

TEST(Floating, F64IsRoundedExactlyInEveryDirection) {
  for (const Operation& operation : {add, sub, mul, fma})
    for (const std::string& mode : directions) expect_exact(f64, operation, mode, false);
}

TEST(Floating, HalvesAreRoundedOnce) {
  for (const Operation& operation : {add, sub, mul, fma}) {
    expect_exact(f16, operation, "rn", false);
    expect_exact(f16, operation, "rn", true);
    expect_exact(bf16, operation, "rn", false);
  }
}

// A product that is a tie of bf16, and an addend far below the last bit of a double.
TEST(Floating, ATinyAddendDecidesATie) {
  Probe probe("fma.rn.bf16 %h0, %h1, %h2, %h3;");
  const auto run = [&](std::uint64_t addend) {
    probe.put(probe.op().a, 16, 0, 0x3f82);  // 1 + 2^-6
    probe.put(probe.op().b, 16, 0, 0x3fa0);  // 1.25: the product is 1.26953125, 1.2656 + half
    probe.put(probe.op().c, 16, 0, addend);
    probe.run();
    return probe.get(probe.op().dst, 16, 0);
  };
  EXPECT_EQ(run(0x0001), 0x3fa3u);  // 2^-133
  EXPECT_EQ(run(0x0000), 0x3fa2u);
  EXPECT_EQ(run(0x8001), 0x3fa2u);
}

TEST(Floating, PairsAreTwoScalars) {
  for (const std::string type : {"f16", "bf16"}) {
    Probe pair("fma.rn." + type + "x2 %r0, %r1, %r2, %r3;");
    Probe scalar("fma.rn." + type + " %h0, %h1, %h2, %h3;");
    Codes numbers(type == "f16" ? exact::f16 : exact::bf16, 0, 5, 10);
    for (int lane = 0; lane < sim::lanes; ++lane) {
      std::uint64_t expected = 0, packed[3] = {};
      for (int half = 0; half < 2; ++half) {
        const sim::Ref refs[] = {scalar.op().a, scalar.op().b, scalar.op().c};
        for (int i = 0; i < 3; ++i) {
          const std::uint64_t code = numbers.next();
          scalar.put(refs[i], 16, lane, code);
          packed[i] |= code << 16 * half;
        }
        scalar.run();
        expected |= scalar.get(scalar.op().dst, 16, lane) << 16 * half;
      }
      const sim::Ref refs[] = {pair.op().a, pair.op().b, pair.op().c};
      for (int i = 0; i < 3; ++i) pair.put(refs[i], 32, lane, packed[i]);
      pair.run();
      ASSERT_EQ(pair.get(pair.op().dst, 32, lane), expected);
    }
  }
}

TEST(Floating, ScalarHalvesLeaveTheUpperHalfZero) {
  for (const std::string text :
       {"neg.f16 %h0, %h1;", "sub.bf16 %h0, %h1, %h2;", "abs.f16 %h0, %h1;"}) {
    Probe probe(text);
    for (int lane = 0; lane < sim::lanes; ++lane) {
      probe.put(probe.op().a, 16, lane, 0x3c00);
      if (probe.op().b != sim::no_ref) probe.put(probe.op().b, 16, lane, 0x3c00);
    }
    probe.run();
    for (int lane = 0; lane < sim::lanes; ++lane)
      EXPECT_LE(probe.get(probe.op().dst, 32, lane), 0xffffu) << text;
  }
}

TEST(Floating, RefusesWhatPtxRefuses) {
  for (const std::string text :
       {"add.rn.bf16.ftz %h0, %h1, %h2;", "fma.f32 %r0, %r1, %r2, %r3;",
        "add.sat.f64 %d0, %d1, %d2;", "add.rz.f16 %h0, %h1, %h2;", "min.sat.f32 %r0, %r1, %r2;",
        "div.f32 %r0, %r1, %r2;", "fma.rn.sat.relu.f16 %h0, %h1, %h2, %h3;",
        "add.f32x2 %d0, %d1, %d2;", "min.f32 %r0, %r1, %r2, %r3;", "setp.lo.f32 %p0, %r1, %r2;",
        "setp.lt.f16x2 %p0, %r1, %r2;", "set.lt.f32.f16 %r0, %h1, %h2;"})
    EXPECT_THROW(probe::program_of(text, 90), sim::ptx::Refused) << text;
  EXPECT_NO_THROW(probe::program_of("add.f32x2 %d0, %d1, %d2;", 100));
  EXPECT_THROW(probe::program_of("add.bf16 %h0, %h1, %h2;", 80), sim::ptx::Refused);
}

}  // namespace
