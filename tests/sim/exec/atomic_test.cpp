// Atomics: the arithmetic of every operation against plain references, and the forms that exist.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "sim/exec/memory/atomic_values.hpp"
#include "tests/sim/support/exec_kernel.hpp"

using namespace aisp;

namespace {

using exec_kernel::refusal;
using exec_kernel::run;
using testing::HasSubstr;

TEST(AtomicOps, AcceptWhatPtxasAccepts) {
  for (const char* text : {
           "atom.noftz.add.f16 %h1, [%d0], %h2;",
           "atom.global.v2.f32.add {%f0, %f1}, [%d0], {%f2, %f3};",
           "atom.global.v2.max.noftz.f16 {%h1, %h2}, [%d0], {%h3, %h4};",
           "atom.global.add.noftz.v4.f16x2 {%r3, %r4, %r5, %r6}, [%d0], {%r7, %r8, %r9, %r10};",
           "atom.add.noftz.v2.f16x2 {%r3, %r4}, [%d0], {%r7, %r8};",
           "atom.shared.cas.b128 %w0, [%r1], %w1, %w2;",
           "atom.and.b32 _, [%d0], %r3;",
           "atom.global.L2::cache_hint.add.u32 %r3, [%d0], %r4, %d3;",
           "atom.add.u32.global %r3, [%d0], %r4;",
           "atom.relaxed.add.u32 %r3, [%d0], %r4;",
           "atom.cta.acquire.add.u32 %r3, [%d0], %r4;",
           "atom.exch.b32 %f0, [%d0], %f1;",
           "atom.global.add.v2.f32 _, [%d0], {%f2, %f3};",
           "red.global.add.v4.f32 [%d0], {%f0, %f1, %f2, %f3};",
           "red.add.release.cta.u32 [%d0], %r3;",
           "red.shared::cluster.add.f32 [%r1], %f1;",
       })
    EXPECT_EQ(refusal({.body = text}), "") << text;
}

TEST(AtomicOps, RefuseWhatPtxasRefuses) {
  for (const char* text : {
           "atom.add.s64 %d3, [%d0], %d4;",
           "atom.global.add.f16 %h1, [%d0], %h2;",
           "atom.global.max.v2.f32 {%f0, %f1}, [%d0], {%f2, %f3};",
           "atom.shared.add.noftz.v2.f16x2 {%r3, %r4}, [%r1], {%r7, %r8};",
           "atom.global.max.noftz.f16 %h1, [%d0], %h2;",
           "atom.max.f32 %f0, [%d0], %f1;",
           "atom.exch.b16 %h1, [%d0], %h2;",
           "atom.exch.u32 %r3, [%d0], %r4;",
           "atom.cas.f32 %f0, [%d0], %f1, %f2;",
           "atom.and.u32 %r3, [%d0], %r4;",
           "atom.inc.u64 %d3, [%d0], %d4;",
           "atom.min.b32 %r3, [%d0], %r4;",
           "atom.local.add.u32 %r3, [%d3], %r4;",
           "atom.sc.gpu.add.u32 %r3, [%d0], %r4;",
           "atom.add.noftz.f32 %f0, [%d0], %f1;",
           "atom.global.add.v8.f32 {%f0, %f1, %f2, %f3, %f4, %f5, %f6, %f7}, [%d0], "
           "{%f0, %f1, %f2, %f3, %f4, %f5, %f6, %f7};",
           "atom.global.u32 %r3, [%d0], %r4;",
           "atom.cas.b32 %r3, [%d0], %r4;",
           "red.exch.b32 [%d0], %r3;",
           "red.acquire.gpu.global.add.u32 [%d0], %r3;",
           "red.u32 [%d0], %r3;",
       })
    EXPECT_NE(refusal({.body = text}), "") << text;
}

TEST(AtomicOps, FaultOnBadAddresses) {
  EXPECT_THAT(run({.body = "atom.global.add.u32 %r3, [%d0+2], 1;"}).fault(),
              HasSubstr("misaligned"));
  EXPECT_THAT(run({.body = "red.global.add.u64 [%d0+1024], 1;"}).fault(),
              HasSubstr("out-of-bounds"));
  EXPECT_THAT(run({.body = "mov.u64 %d3, shared_bytes;"
                           "cvta.shared.u64 %d3, %d3;"
                           "red.add.v2.f32 [%d3], {%f0, %f1};"})
                  .fault(),
              HasSubstr("needs global memory"));
}

TEST(AtomicOps, ManyBlocksLoseNothing) {
  const auto result = run({.body = "mov.f64 %e0, 0d3ff0000000000000;"
                                   "red.global.add.u32 [%d0], 1;"
                                   "red.global.add.f64 [%d0+8], %e0;"
                                   "mov.b32 %r3, 0x3c003c00; red.global.add.noftz.f16x2 [%d0+16], "
                                   "%r3;"
                                   "mov.b16 %h1, 0x3c00; red.global.add.noftz.f16 [%d0+22], %h1;",
                           .grid = 64,
                           .block = 32});
  ASSERT_EQ(result.fault(), "");
  EXPECT_EQ(result.in[0], 2048u);
  double sum = 0;
  std::memcpy(&sum, &result.in[2], 8);
  EXPECT_EQ(sum, 2048.0);
  EXPECT_EQ(result.in[4], 0x68006800u);  // 2048 as f16, where adding one more would be lost
  EXPECT_EQ(result.in[5], 0x68000000u);
}

TEST(AtomicValues, HalfSumsAreTheExactSumRoundedOnce) {
  std::mt19937 random(7);
  for (int i = 0; i < 200000; ++i) {
    const std::uint32_t a = random() & 0xffff, b = random() & 0xffff;
    const long double exact = static_cast<long double>(base::decode<base::f16>(a)) +
                              static_cast<long double>(base::decode<base::f16>(b));
    const std::uint32_t got = sim::half_sum<base::f16>(a, b);
    if (std::isnan(exact))
      EXPECT_EQ(got, 0x7fffu);
    else
      EXPECT_EQ(got, base::encode<base::f16>(static_cast<double>(exact))) << a << " " << b;
  }
}

// bf16 sums, rounded from a 128-bit integer that holds both operands in full.
TEST(AtomicValues, Bfloat16SumsRoundToEven) {
  std::mt19937 random(8);
  for (int i = 0; i < 100000; ++i) {
    // Exponents at most 40 apart, so that the sum fits 64 bits of fixed point.
    const std::uint32_t low = 60 + random() % 60, high = low + random() % 40;
    const std::uint32_t a = (random() & 0x807f) | low << 7, b = (random() & 0x807f) | high << 7;
    const auto fixed = [&](std::uint32_t code) {
      const auto magnitude = static_cast<std::int64_t>((code & 0x7f) | 0x80)
                             << ((code >> 7 & 0xff) - low);
      return (code & 0x8000) != 0 ? -magnitude : magnitude;
    };
    const std::int64_t sum = fixed(a) + fixed(b);
    const double value = static_cast<double>(sum) * base::power_of_two(static_cast<int>(low) - 134);
    EXPECT_EQ(sim::half_sum<base::bf16>(a, b), base::encode<base::bf16>(value));
  }
}

TEST(AtomicValues, ExtremesOfHalves) {
  constexpr std::uint32_t nan = 0x7e01, one = 0x3c00, minus_zero = 0x8000;
  EXPECT_EQ((sim::half_extreme<base::f16, true>(nan, one)), one);
  EXPECT_EQ((sim::half_extreme<base::f16, false>(one, nan)), one);
  EXPECT_EQ((sim::half_extreme<base::f16, false>(nan, nan)), 0x7fffu);
  EXPECT_EQ((sim::half_extreme<base::f16, false>(0, minus_zero)), minus_zero);
  EXPECT_EQ((sim::half_extreme<base::f16, true>(minus_zero, 0)), 0u);
}

TEST(AtomicValues, GlobalFloatSumsFlush) {
  EXPECT_EQ(sim::AtomicAddF32::apply(1, 1, true), 0u);
  EXPECT_EQ(sim::AtomicAddF32::apply(1, 1, false), 2u);
  EXPECT_EQ(sim::AtomicAddF32::apply(0x80000001u, 0x80000000u, true), 0x80000000u);
  EXPECT_EQ(sim::AtomicAddF32::apply(0x7f800000u, 0xff800000u, true), 0x7fffffffu);
}

TEST(AtomicValues, IncrementAndDecrementWrap) {
  EXPECT_EQ(sim::AtomicIncrement::apply(3, 3, false), 0u);
  EXPECT_EQ(sim::AtomicIncrement::apply(2, 3, false), 3u);
  EXPECT_EQ(sim::AtomicDecrement::apply(0, 3, false), 3u);
  EXPECT_EQ(sim::AtomicDecrement::apply(4, 3, false), 3u);
  EXPECT_EQ(sim::AtomicDecrement::apply(3, 3, false), 2u);
}

}  // namespace
