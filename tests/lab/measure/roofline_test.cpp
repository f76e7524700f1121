#include "lab/measure/roofline.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "lab/measure/l2.hpp"

namespace aisp::lab {
namespace {

Ceilings machine() {
  Ceilings ceilings;
  ceilings.copy_bytes_per_s = 4e12;
  ceilings.fma_f32 = 6e13;
  ceilings.matrix_bf16 = 8e14;
  return ceilings;
}

TEST(RoofOf, AStreamIsUnderTheMemoryRoof) {
  const auto roof = roof_of(1e9, 4e9, Unit::none, machine());
  ASSERT_TRUE(roof);
  EXPECT_EQ(roof->name, "memory");
  EXPECT_DOUBLE_EQ(roof->floor_ms, 1.0);
  EXPECT_DOUBLE_EQ(roof->intensity, 0.25);
  EXPECT_EQ(roof->ridge, 0.0);
  EXPECT_EQ(roof->arithmetic_ms, 0.0);
  EXPECT_DOUBLE_EQ(roof->share(1.25), 0.8);
}

TEST(RoofOf, TheRidgeParsTheTwoRoofs) {
  const double bytes = 1e9, ridge = 8e14 / 4e12;
  const auto below = roof_of(0.99 * ridge * bytes, bytes, Unit::matrix_bf16, machine());
  const auto above = roof_of(1.01 * ridge * bytes, bytes, Unit::matrix_bf16, machine());
  ASSERT_TRUE(below && above);
  EXPECT_EQ(below->name, "memory");
  EXPECT_EQ(above->name, "bf16 matrix");
  EXPECT_DOUBLE_EQ(above->ridge, ridge);
  EXPECT_LT(below->intensity, below->ridge);
  EXPECT_GT(above->intensity, above->ridge);
  EXPECT_DOUBLE_EQ(below->floor_ms, below->memory_ms);
  EXPECT_DOUBLE_EQ(above->floor_ms, above->arithmetic_ms);
}

TEST(RoofOf, AnUnknownCeilingGivesNoRoof) {
  EXPECT_FALSE(roof_of(1e12, 1e9, Unit::matrix_fp8, machine()));
  EXPECT_FALSE(roof_of(1e12, 1e9, Unit::matrix_bf16, Ceilings{}));
  auto no_copy = machine();
  no_copy.copy_bytes_per_s = 0.0;
  EXPECT_FALSE(roof_of(1e12, 1e9, Unit::matrix_bf16, no_copy));
  EXPECT_FALSE(roof_of(0.0, 0.0, Unit::fma_f32, machine()));
  const auto in_registers = roof_of(6e10, 0.0, Unit::fma_f32, no_copy);
  ASSERT_TRUE(in_registers);
  EXPECT_EQ(in_registers->name, "f32 FMA");
  EXPECT_DOUBLE_EQ(in_registers->floor_ms, 1.0);
}

TEST(RoofOf, TheBusierWayOfTheLinkIsARoofToo) {
  auto linked = machine();
  linked.to_device_bytes_per_s = 50e9;
  linked.to_host_bytes_per_s = 25e9;
  linked.both_ways_bytes_per_s = 70e9;
  const auto in = roof_of(1e9, 4e9, Unit::none, linked, {.to_device = 1e9, .to_host = 0.4e9});
  const auto out = roof_of(1e9, 4e9, Unit::none, linked, {.to_device = 1e9, .to_host = 1e9});
  ASSERT_TRUE(in && out);
  EXPECT_EQ(in->name, "link to device");
  EXPECT_DOUBLE_EQ(in->floor_ms, 20.0);
  EXPECT_EQ(out->name, "link to host");
  EXPECT_DOUBLE_EQ(out->floor_ms, 40.0);
  EXPECT_DOUBLE_EQ(out->memory_ms, 1.0);
  EXPECT_TRUE(below_floor(38.0, *out));
  EXPECT_FALSE(below_floor(39.5, *out));
  const auto both = roof_of(1e9, 4e9, Unit::none, linked, {.to_device = 2.2e9, .to_host = 1.1e9});
  ASSERT_TRUE(both);
  EXPECT_EQ(both->name, "link both ways");
  EXPECT_NEAR(both->floor_ms, 3.3e3 / 70, 1e-9);
  EXPECT_FALSE(roof_of(1e9, 4e9, Unit::none, machine(), {.to_device = 1e9, .to_host = 0.0}));
  EXPECT_EQ(roof_of(1e9, 4e9, Unit::none, linked, {.to_device = 1e6, .to_host = 0.0})->name,
            "memory");
}

TEST(BelowFloor, ArithmeticHasALittleSlack) {
  const auto roof = roof_of(8e11, 1e6, Unit::matrix_bf16, machine());  // 1 ms
  ASSERT_TRUE(roof);
  EXPECT_FALSE(below_floor(1.0, *roof));
  EXPECT_FALSE(below_floor(0.98, *roof));
  EXPECT_TRUE(below_floor(0.96, *roof));
  EXPECT_FALSE(below_floor(0.96, *roof, 0.05));
  EXPECT_TRUE(below_floor(0.0, *roof));
  EXPECT_TRUE(below_floor(std::numeric_limits<double>::quiet_NaN(), *roof));
}

TEST(BelowFloor, AReadingKernelMayBeatTheCopyButNotThePeak) {
  const auto roof = roof_of(0.0, 4e9, Unit::none, machine());  // 1 ms at copy bandwidth
  ASSERT_TRUE(roof);
  EXPECT_FALSE(below_floor(0.9, *roof));
  EXPECT_FALSE(below_floor(0.84, *roof));
  EXPECT_TRUE(below_floor(0.82, *roof));
}

TEST(BelowFloor, TheMemoryFloorBindsOnlyWhatMustTravel) {
  constexpr std::int64_t l2 = 60 << 20;
  const double bytes = 4e6;  // fits into L2: 1 us at copy bandwidth
  const auto roof = roof_of(2e9, bytes, Unit::matrix_bf16, machine());  // arithmetic 2.5 us
  const auto stream = roof_of(0.0, bytes, Unit::none, machine());
  ASSERT_TRUE(roof && stream);
  const MemoryFloor hot{.travel_share = travel_share(L2Mode::hot, 2, bytes, 0.0, l2)};
  const MemoryFloor cold{.travel_share = travel_share(L2Mode::cold, 2, bytes, 0.0, l2)};
  EXPECT_FALSE(below_floor(0.0002, *stream, 0.03, hot));  // from L2: five times copy bandwidth
  EXPECT_TRUE(below_floor(0.0002, *stream, 0.03, cold));
  EXPECT_TRUE(below_floor(0.0020, *roof, 0.03, hot));  // arithmetic binds in every mode
}

TEST(RoofName, OnePerUnit) {
  EXPECT_EQ(roof_name(Unit::none), "memory");
  EXPECT_EQ(roof_name(Unit::fma_f16), "f16 FMA");
  EXPECT_EQ(roof_name(Unit::matrix_tf32), "tf32 matrix");
  EXPECT_EQ(roof_name(Unit::matrix_fp8), "fp8 matrix");
}

}  // namespace
}  // namespace aisp::lab
