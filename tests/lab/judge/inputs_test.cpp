#include "lab/judge/inputs.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <stdexcept>

namespace aisp::lab {
namespace {

HostTensor input(Dtype dtype, std::vector<std::int64_t> shape) {
  return random_tensor({.name = "x", .dtype = dtype, .shape = std::move(shape)}, 1, 0);
}

TEST(ChangedInput, SilentWhenEveryBitIsAsItWas) {
  for (const Dtype dtype : {Dtype::f32, Dtype::bf16, Dtype::e4m3, Dtype::i32}) {
    const HostTensor before = input(dtype, {33, 77});
    EXPECT_FALSE(changed_input(before, before.data).has_value());
  }
  const HostTensor empty = input(Dtype::f32, {0});
  EXPECT_FALSE(changed_input(empty, empty.data).has_value());
}

TEST(ChangedInput, NamesTheFirstOfTheChangedElements) {
  HostTensor before = input(Dtype::f32, {300, 1000});
  write_element(Dtype::f32, before.data.data(), 1003, 0.5);
  auto after = before.data;
  write_element(Dtype::f32, after.data(), 1003, 0.25);
  write_element(Dtype::f32, after.data(), 299999, 9.0);
  EXPECT_EQ(changed_input(before, after),
            "input x was changed: 2 of 300000, first at (1, 3): was 0.5, is 0.25");
}

TEST(ChangedInput, ComparesBitsNotValues) {
  HostTensor before = input(Dtype::f32, {8});
  write_element(Dtype::f32, before.data.data(), 2, 0.0);
  write_element(Dtype::f32, before.data.data(), 3, std::numeric_limits<double>::quiet_NaN());
  EXPECT_FALSE(changed_input(before, before.data).has_value());
  auto after = before.data;
  write_element(Dtype::f32, after.data(), 2, -0.0);
  EXPECT_TRUE(changed_input(before, after).has_value());
}

TEST(ChangedInput, EveryByteCounts) {
  const HostTensor before = input(Dtype::f16, {5});
  for (std::size_t at = 0; at < before.data.size(); ++at) {
    auto after = before.data;
    after[at] ^= std::byte{1};
    ASSERT_TRUE(changed_input(before, after).has_value()) << at;
  }
}

TEST(ChangedInput, RefusesAnotherLength) {
  const HostTensor before = input(Dtype::f16, {5});
  EXPECT_THROW(changed_input(before, std::span(before.data).first(4)), std::logic_error);
}

TEST(OtherThanBaseline, NamesTheFirstElementWithOtherBits) {
  HostTensor baseline = input(Dtype::f32, {4, 10});
  EXPECT_FALSE(other_than_baseline(baseline, baseline.data).has_value());
  write_element(Dtype::f32, baseline.data.data(), 23, 1.0);
  auto got = baseline.data;
  write_element(Dtype::f32, got.data(), 23, 1.0 + 0x1p-23);
  write_element(Dtype::f32, got.data(), 24, 9.0);
  EXPECT_EQ(other_than_baseline(baseline, got),
            "x has other bytes than the baseline's: 2 of 40, first at (2, 3): got 1.00000012, the "
            "baseline 1");
  EXPECT_THROW(other_than_baseline(baseline, std::span(got).first(4)), std::logic_error);
}

}  // namespace
}  // namespace aisp::lab
