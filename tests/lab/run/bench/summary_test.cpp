#include "lab/run/bench/summary.hpp"

#include <gtest/gtest.h>

#include "tests/lab/measure/made_up.hpp"

namespace aisp::lab {
namespace {

// 1 GB/s and 1 GFLOP/s: milliseconds are millions of bytes.
Ceilings round_ceilings() {
  Ceilings ceilings;
  ceilings.copy_bytes_per_s = 1e9;
  ceilings.fma_f32 = 1e9;
  return ceilings;
}

// 1 ms of bytes on a machine without a cache to hide them in.
RoofContext memory_bound() {
  return {.flops = 1,
          .bytes = 1e6,
          .written_bytes = 5e5,
          .unit = Unit::none,
          .ceilings = round_ceilings(),
          .l2 = L2Mode::cold,
          .sets = 2,
          .l2_bytes = 0};
}

RowRecord summary(double center, const std::vector<double>& baseline, bool is_baseline,
                  const RoofContext& context) {
  RowRecord row;
  summarize(row, MadeUp(5).noisy(50, center, 0.002), baseline, is_baseline, context);
  return row;
}

TEST(Summary, GivesMedianAndItsInterval) {
  RowRecord row;
  const std::vector<double> samples{1, 2, 3, 4, 100};
  summarize(row, samples, {}, false, {});
  EXPECT_EQ(name_of(row.status), "measured");
  EXPECT_EQ(row.samples, 5);
  EXPECT_EQ(row.median_ms, 3);
  EXPECT_LE(row.low_ms, 3);
  EXPECT_GE(row.high_ms, 3);
  EXPECT_EQ(row.speedup, 0) << "without a baseline there is no speed-up";
  EXPECT_EQ(name_of(row.verdict), "");
  EXPECT_FALSE(row.roof_share.has_value());
}

TEST(Summary, TheBaselineIsOnceAsFastAsItself) {
  const RowRecord row = summary(4, MadeUp(5).noisy(50, 4, 0.002), true, {});
  EXPECT_EQ(row.speedup, 1);
  EXPECT_EQ(row.speedup_low, 1);
  EXPECT_EQ(row.speedup_high, 1);
  EXPECT_EQ(name_of(row.verdict), "");
}

TEST(Summary, SpeedUpIsBaselineOverRung) {
  const auto baseline = MadeUp(6).noisy(50, 4, 0.002);
  const RowRecord faster = summary(1, baseline, false, {});
  EXPECT_NEAR(faster.speedup, 4, 0.02);
  EXPECT_LE(faster.speedup_low, faster.speedup);
  EXPECT_GE(faster.speedup_high, faster.speedup);
  EXPECT_EQ(name_of(faster.verdict), "faster");
  EXPECT_LT(faster.p_value, 1e-6);
  EXPECT_EQ(name_of(summary(5, baseline, false, {}).verdict), "slower");
  EXPECT_NEAR(summary(5, baseline, false, {}).speedup, 0.8, 0.01);
  EXPECT_EQ(name_of(summary(4, baseline, false, {}).verdict), "same");
}

TEST(Summary, PlacesTheRowUnderItsRoof) {
  const RowRecord row = summary(2, {}, true, memory_bound());
  EXPECT_EQ(name_of(row.status), "measured");
  EXPECT_EQ(row.roof, "memory");
  EXPECT_EQ(row.roof_ms, 1.0);
  EXPECT_NEAR(*row.roof_share, 0.5, 0.005);

  RoofContext arithmetic = memory_bound();
  arithmetic.unit = Unit::fma_f32;
  arithmetic.flops = 4e6;
  const RowRecord bound = summary(5, {}, true, arithmetic);
  EXPECT_EQ(bound.roof, "f32 FMA");
  EXPECT_EQ(bound.roof_ms, 4.0);
  EXPECT_NEAR(*bound.roof_share, 0.8, 0.005);
}

TEST(Summary, WithoutCeilingsThereIsNoRoof) {
  RoofContext context = memory_bound();
  context.ceilings.reset();
  const RowRecord row = summary(1e-6, {}, true, context);
  EXPECT_EQ(name_of(row.status), "measured");
  EXPECT_EQ(row.roof, "");
  EXPECT_FALSE(row.roof_ms.has_value());
}

TEST(Summary, ATimeThatCannotBeIsRefused) {
  const RowRecord row = summary(0.5, MadeUp(6).noisy(50, 2, 0.002), false, memory_bound());
  EXPECT_EQ(name_of(row.status), "refused");
  EXPECT_NE(row.reason.find("is below the memory roof's floor of 1.000 ms"), std::string::npos)
      << row.reason;
  EXPECT_NE(row.reason.find("aisp doctor --measure"), std::string::npos);
  EXPECT_NEAR(row.median_ms, 0.5, 0.01) << "what was measured stays in the record";
}

TEST(Summary, WhatACacheOrAReadOnlyKernelCanReachIsNotRefused) {
  EXPECT_EQ(name_of(summary(0.9, {}, true, memory_bound()).status), "measured");
  RoofContext cached = memory_bound();
  cached.l2 = L2Mode::hot;
  cached.l2_bytes = 1 << 30;
  EXPECT_EQ(name_of(summary(0.1, {}, true, cached).status), "measured") << "it all fits the cache";
  RoofContext arithmetic = memory_bound();
  arithmetic.unit = Unit::fma_f32;
  arithmetic.flops = 4e6;
  EXPECT_EQ(name_of(summary(3.4, {}, true, arithmetic).status), "measured");
  EXPECT_EQ(name_of(summary(3.1, {}, true, arithmetic).status), "refused");
}

}  // namespace
}  // namespace aisp::lab
