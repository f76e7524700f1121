// cvt against exact numbers: every pair of types in every direction, saturation, and the small
// formats code by code.
#include <gtest/gtest.h>

#include <functional>
#include <vector>

#include "base/number/format.hpp"
#include "tests/sim/exec/exact_number.hpp"

using namespace aisp;

namespace {

using exact::Codes;
using exact::Real;
using exact::Shape;
using probe::Numbers;
using probe::Probe;

constexpr sim::Mask some_lanes = 0x8421c3a5;
const std::vector<std::string> directions = {"rn", "rz", "rm", "rp"};

struct Floating {
  std::string name;
  Shape shape;
};
const std::vector<Floating> floats = {
    {"f16", exact::f16}, {"bf16", exact::bf16}, {"f32", exact::f32}, {"f64", exact::f64}};

struct Integer {
  std::string name;
  int bits;
  bool is_signed;
};
const std::vector<Integer> integers = {{"u16", 16, false}, {"s16", 16, true},  {"u32", 32, false},
                                       {"s32", 32, true},  {"u64", 64, false}, {"s64", 64, true}};

using Draw = std::function<std::uint64_t()>;
using Expect = std::function<std::uint64_t(std::uint64_t)>;

// d = cvt(a) on many lanes.
void expect_conversion(const std::string& name, int to_bits, int from_bits, const Draw& draw,
                       const Expect& expect) {
  SCOPED_TRACE(name);
  Probe probe(name + " " + exact::reg(to_bits, 0) + ", " + exact::reg(from_bits, 1) + ";");
  for (int round = 0; round < 12; ++round) {
    const sim::Mask mask = round % 3 == 2 ? some_lanes : sim::all_lanes;
    std::vector<std::uint64_t> in(sim::lanes);
    for (int lane = 0; lane < sim::lanes; ++lane) {
      in[lane] = draw() & (~std::uint64_t{0} >> (64 - from_bits));
      probe.put(probe.op().a, from_bits, lane, in[lane]);
    }
    probe.run(mask);
    for (int lane = 0; lane < sim::lanes; ++lane) {
      if ((mask >> lane & 1) == 0) continue;
      ASSERT_EQ(probe.get(probe.op().dst, to_bits, lane), expect(in[lane])) << std::hex << in[lane];
    }
  }
}

TEST(Convert, FloatsAreRoundedOnceInEveryDirection) {
  for (const Floating& from : floats)
    for (const Floating& to : floats) {
      if (from.shape.bits() <= to.shape.bits()) continue;
      for (const std::string& mode : directions)
        for (int middle : {0, 1 - to.shape.bias(), to.shape.bias()}) {
          Codes codes(from.shape, middle, 3, from.shape.fraction_bits);
          expect_conversion(
              "cvt." + mode + "." + to.name + "." + from.name, to.shape.bits(), from.shape.bits(),
              [&] { return codes.next(); },
              [&](std::uint64_t code) {
                return exact::rounded(to.shape, exact::value(from.shape, code), mode, false,
                                      (code & from.shape.sign()) != 0);
              });
        }
    }
}

TEST(Convert, IntegersToFloatsInEveryDirection) {
  for (const Integer& from : integers)
    for (const Floating& to : floats)
      for (const std::string& mode : directions) {
        Numbers numbers;
        expect_conversion(
            "cvt." + mode + "." + to.name + "." + from.name, to.shape.bits(), from.bits,
            [&] { return numbers.next(); },
            [&](std::uint64_t raw) {
              const auto number = static_cast<Real>(probe::number(raw, from.bits, from.is_signed));
              return exact::rounded(to.shape, number, mode);
            });
      }
}

// The integral number next to x.
Real integral(Real x, const std::string& mode) {
  const auto toward_zero = static_cast<Real>(static_cast<probe::Exact>(x));
  const Real rest = x - toward_zero, size = rest < 0 ? -rest : rest;
  const Real away = toward_zero + (x < 0 ? -1 : 1);
  if (size == 0 || mode == "rzi") return toward_zero;
  if (mode == "rmi") return x < 0 ? away : toward_zero;
  if (mode == "rpi") return x < 0 ? toward_zero : away;
  if (size == 0.5) return static_cast<probe::Exact>(toward_zero) % 2 == 0 ? toward_zero : away;
  return size < 0.5 ? toward_zero : away;
}

TEST(Convert, FloatsToIntegersSaturate) {
  for (const Floating& from : floats)
    for (const Integer& to : integers)
      for (const std::string mode : {"rni", "rzi", "rmi", "rpi"})
        for (int middle : {0, to.bits - 1}) {
          if (middle > from.shape.bias() - 3) continue;
          Codes codes(from.shape, middle, 3, from.shape.fraction_bits);
          const probe::Exact one = 1;
          const probe::Exact high = (one << (to.bits - (to.is_signed ? 1 : 0))) - 1;
          const probe::Exact low = to.is_signed ? -high - 1 : 0;
          expect_conversion(
              "cvt." + mode + "." + to.name + "." + from.name, to.bits, from.shape.bits(),
              [&] { return codes.next(); },
              [&](std::uint64_t code) {
                const Real number = integral(exact::value(from.shape, code), mode);
                const probe::Exact whole = static_cast<probe::Exact>(number);
                return probe::truncated(whole < low ? low : whole > high ? high : whole, to.bits);
              });
        }
}

TEST(Convert, IntegersAreCutExtendedOrSaturated) {
  for (const Integer& from : integers)
    for (const Integer& to : integers) {
      Numbers numbers;
      const auto draw = [&] { return numbers.next(); };
      expect_conversion(
          "cvt." + to.name + "." + from.name, to.bits, from.bits, draw, [&](std::uint64_t raw) {
            return probe::truncated(probe::number(raw, from.bits, from.is_signed), to.bits);
          });
    }
  expect_conversion(
      "cvt.sat.u16.s64", 16, 64, [n = Numbers()]() mutable { return n.next(); },
      [](std::uint64_t raw) {
        const auto x = static_cast<std::int64_t>(raw);
        return static_cast<std::uint64_t>(x < 0 ? 0 : x > 0xffff ? 0xffff : x);
      });
}

TEST(Convert, NarrowTypesUseTheLowBitsOfWideRegisters) {
  const auto expect_one = [](const std::string& text, int from, int to, std::uint64_t in,
                             std::uint64_t out) {
    Probe probe(text);
    probe.put(probe.op().a, from, 0, in);
    probe.run();
    EXPECT_EQ(probe.get(probe.op().dst, to, 0), out) << text;
  };
  expect_one("cvt.s32.s8 %r0, %r1;", 32, 32, 0x12345680, 0xffffff80);
  expect_one("cvt.u32.u8 %r0, %d1;", 64, 32, 0x1234567812345680, 0x80);
  expect_one("cvt.s8.s32 %r0, %r1;", 32, 32, 0x12345680, 0xffffff80);
  expect_one("cvt.s8.s32 %h0, %r1;", 32, 16, 0x12345680, 0xff80);
  expect_one("cvt.s16.s8 %h0, %h1;", 16, 16, 0x0080, 0xff80);
  expect_one("cvt.s8.s32 %d0, %r1;", 32, 64, 0x12345680, 0xffffffffffffff80);
  expect_one("cvt.rzi.s8.f32 %h0, %r1;", 32, 16, 0xc3480000, 0xff80);  // -200
  expect_one("cvt.rn.f32.s8 %r0, %r1;", 32, 32, 0x000000ff, 0xbf800000);
}

// Every code of both fp8 formats survives the way to f16 and back; base holds the tables.
TEST(Convert, EveryFp8CodeThereAndBack) {
  for (const std::string type : {"e4m3", "e5m2"}) {
    Probe widen("cvt.rn.f16x2." + type + "x2 %r0, %h1;");
    Probe narrow("cvt.rn.satfinite." + type + "x2.f16x2 %h0, %r1;");
    for (std::uint64_t code = 0; code < 256; ++code) {
      widen.put(widen.op().a, 16, 0, code << 8 | 0x38);
      widen.run();
      const std::uint64_t pair = widen.get(widen.op().dst, 32, 0);
      const double number =
          type == "e4m3" ? base::decode<base::e4m3>(code) : base::decode<base::e5m2>(code);
      EXPECT_EQ(pair & 0xffff, type == "e4m3" ? 0x3c00u : 0x3800u);
      if (number != number) {
        EXPECT_EQ(pair >> 16, 0x7fffu);
        continue;
      }
      EXPECT_EQ(pair >> 16, base::encode<base::f16>(number)) << code;
      narrow.put(narrow.op().a, 32, 0, pair);
      narrow.run();
      const bool infinite = type == "e5m2" && (code & 0x7f) == 0x7c;
      EXPECT_EQ(narrow.get(narrow.op().dst, 16, 0) >> 8, infinite ? code - 1 : code);
    }
  }
}

TEST(Convert, Fp8FromFloatsIsRoundedOnce) {
  for (const std::string type : {"e4m3", "e5m2"}) {
    Probe probe("cvt.rn.satfinite." + type + "x2.f32 %h0, %r1, %r2;");
    Codes codes(exact::f32, -2, 20, 23);
    for (int round = 0; round < 2000; ++round) {
      const std::uint64_t a = codes.next(), b = codes.next();
      probe.put(probe.op().a, 32, 0, a);
      probe.put(probe.op().b, 32, 0, b);
      probe.run();
      const auto code = [&](std::uint64_t f32) {
        const auto number = static_cast<double>(exact::value(exact::f32, f32));
        return type == "e4m3" ? base::encode<base::e4m3>(number) : base::encode<base::e5m2>(number);
      };
      ASSERT_EQ(probe.get(probe.op().dst, 16, 0), code(a) << 8 | code(b));
    }
  }
}

TEST(Convert, RefusesWhatPtxRefuses) {
  for (const std::string text :
       {"cvt.f16.f32 %h0, %r1;", "cvt.rn.f64.f32 %d0, %r1;", "cvt.rni.f32.f64 %r0, %d1;",
        "cvt.s32.f32 %r0, %r1;", "cvt.rn.s32.f32 %r0, %r1;", "cvt.sat.u64.u32 %d0, %r1;",
        "cvt.rn.sat.bf16.f32 %h0, %r1;", "cvt.rn.e4m3x2.f32 %h0, %r1, %r2;",
        "cvt.rz.satfinite.e4m3x2.f32 %h0, %r1, %r2;", "cvt.rn.satfinite.e3m2x2.f32 %h0, %r1, %r2;",
        "cvt.rs.f16x2.f32 %r0, %r1, %r2, %r3;", "cvt.rna.f16.f32 %h0, %r1;",
        "cvt.pack.u8.s32.b32 %r0, %r1, %r2, %r3;"})
    EXPECT_THROW(probe::program_of(text, 90), sim::ptx::Refused) << text;
  EXPECT_THROW(probe::program_of("cvt.rn.f16x2.e4m3x2 %r0, %h1;", 80), sim::ptx::Refused);
}

}  // namespace
