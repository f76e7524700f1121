#include "lab/case/dtype.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <string>

#include "lab/case/case.hpp"
#include "lab/case/rung.hpp"

namespace aisp::lab {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

double through(Dtype dtype, double value) {
  std::array<std::byte, 32> data{};
  write_element(dtype, data.data(), 2, value);
  return read_element(dtype, data.data(), 2);
}

TEST(Element, WritesOnlyItsOwnBytes) {
  for (const Dtype dtype : {Dtype::f64, Dtype::f32, Dtype::f16, Dtype::bf16, Dtype::e4m3,
                            Dtype::e5m2, Dtype::i32, Dtype::i8, Dtype::u8}) {
    std::array<std::byte, 32> data{};
    write_element(dtype, data.data(), 1, 1.0);
    EXPECT_EQ(read_element(dtype, data.data(), 0), 0.0) << name_of(dtype);
    EXPECT_EQ(read_element(dtype, data.data(), 1), 1.0) << name_of(dtype);
    EXPECT_EQ(read_element(dtype, data.data(), 2), 0.0) << name_of(dtype);
  }
}

TEST(Element, RoundsAndOverflowsByType) {
  EXPECT_EQ(through(Dtype::f64, 0.1), 0.1);
  EXPECT_EQ(through(Dtype::f32, 0.1), 0.1f);
  EXPECT_EQ(through(Dtype::f32, 1e300), infinity);
  EXPECT_EQ(through(Dtype::f16, 1e6), infinity);
  EXPECT_EQ(through(Dtype::bf16, 1.0 + 0x1p-8), 1.0);
  EXPECT_EQ(through(Dtype::e4m3, 1e6), 448.0);
  EXPECT_EQ(through(Dtype::e5m2, -infinity), -57344.0);
  EXPECT_TRUE(std::isnan(through(Dtype::e4m3, nan)));
}

TEST(Element, IntegersRoundToEvenAndSaturate) {
  EXPECT_EQ(through(Dtype::i32, 2.5), 2.0);
  EXPECT_EQ(through(Dtype::i32, -3.5), -4.0);
  EXPECT_EQ(through(Dtype::i32, 1e12), 2147483647.0);
  EXPECT_EQ(through(Dtype::i32, -1e12), -2147483648.0);
  EXPECT_EQ(through(Dtype::i8, -1e3), -128.0);
  EXPECT_EQ(through(Dtype::i8, 126.5), 126.0);
  EXPECT_EQ(through(Dtype::u8, 255.4), 255.0);
  EXPECT_EQ(through(Dtype::u8, 300), 255.0);
  EXPECT_EQ(through(Dtype::u8, -1), 0.0);
  EXPECT_EQ(through(Dtype::u8, nan), 0.0);
}

TEST(Ulp, OfEachTypeAtOne) {
  EXPECT_EQ(ulp_at(Dtype::f64, 1.0), 0x1p-52);
  EXPECT_EQ(ulp_at(Dtype::f32, -1.0), 0x1p-23);
  EXPECT_EQ(ulp_at(Dtype::f16, 1.0), 0x1p-10);
  EXPECT_EQ(ulp_at(Dtype::bf16, 1.0), 0x1p-7);
  EXPECT_EQ(ulp_at(Dtype::e4m3, 1.0), 0x1p-3);
  EXPECT_EQ(ulp_at(Dtype::e5m2, 1.0), 0x1p-2);
  EXPECT_EQ(ulp_at(Dtype::i32, 1e6), 1.0);
  EXPECT_EQ(ulp_at(Dtype::u8, 0.0), 1.0);
}

TEST(Ulp, AtBinadeEdgesAndBelowTheSmallestNormal) {
  EXPECT_EQ(ulp_at(Dtype::f32, std::nextafter(2.0, 0.0)), 0x1p-23);
  EXPECT_EQ(ulp_at(Dtype::f32, 2.0), 0x1p-22);
  EXPECT_EQ(ulp_at(Dtype::f32, 0.0), 0x1p-149);
  EXPECT_EQ(ulp_at(Dtype::f16, 0x1p-20), 0x1p-24);
  EXPECT_EQ(ulp_at(Dtype::e4m3, 448.0), 32.0);
}

TEST(FractionBits, OfEachType) {
  EXPECT_EQ(fraction_bits(Dtype::f64), 52);
  EXPECT_EQ(fraction_bits(Dtype::bf16), 7);
  EXPECT_EQ(fraction_bits(Dtype::e4m3), 3);
  EXPECT_EQ(fraction_bits(Dtype::i32), 0);
}

TEST(SizeLabel, VariantThenExtents) {
  EXPECT_EQ((Size{"bf16", {4096, 4096, 8192}}.label()), "bf16 4096x4096x8192");
  EXPECT_EQ((Size{"", {7}}.label()), "7");
  EXPECT_EQ((Size{"fp8", {}}.label()), "fp8");
}

TEST(RunsOn, ArchitectureFamilies) {
  EXPECT_TRUE(runs_on(Needs::host, 0, 0));
  EXPECT_TRUE(runs_on(Needs::sm_80, 8, 6));
  EXPECT_FALSE(runs_on(Needs::sm_80, 7, 5));
  EXPECT_TRUE(runs_on(Needs::sm_90, 10, 0));
  EXPECT_TRUE(runs_on(Needs::sm_90a, 9, 0));
  EXPECT_FALSE(runs_on(Needs::sm_90a, 10, 0));
  EXPECT_TRUE(runs_on(Needs::sm_100a, 10, 0));
  EXPECT_FALSE(runs_on(Needs::sm_100a, 12, 0));
  EXPECT_EQ(name_of(Needs::sm_90a), "sm_90a");
  EXPECT_EQ(name_of(Unit::matrix_bf16), "bf16 matrix");
  EXPECT_EQ(name_of(Unit::none), "");
}

TEST(CheckCuda, NamesTheCallAndTheError) {
  EXPECT_NO_THROW(check_cuda(cudaSuccess, "cudaMalloc"));
  try {
    check_cuda(cudaErrorMemoryAllocation, "cudaMalloc");
    FAIL() << "an error passed";
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "cudaMalloc: cudaErrorMemoryAllocation (out of memory)");
  }
}

}  // namespace
}  // namespace aisp::lab
