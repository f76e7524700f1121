#include "lab/case/random.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <set>

#include "lab/case/tensor.hpp"

namespace aisp::lab {
namespace {

// The known answers published with the generator.
TEST(Philox, KnownAnswers) {
  EXPECT_EQ(philox_rounds({0, 0, 0, 0}, 0, 0),
            (Philox4{0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8}));
  constexpr std::uint32_t ones = 0xFFFFFFFF;
  EXPECT_EQ(philox_rounds({ones, ones, ones, ones}, ones, ones),
            (Philox4{0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD}));
  EXPECT_EQ(philox_rounds({0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344}, 0xA4093822, 0x299F31D0),
            (Philox4{0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1}));
}

TEST(Philox, SeedIsTheKeyAndCounterAndStreamAreTheCounter) {
  static_assert(philox(0, 0, 0)[0] == 0x6627E8D5);
  EXPECT_EQ(philox(0x299F31D0A4093822, 0x13198A2E, 0x85A308D3243F6A88),
            philox_rounds({0x243F6A88, 0x85A308D3, 0x13198A2E, 0}, 0xA4093822, 0x299F31D0));
}

TEST(UnitInterval, ExcludesBothEnds) {
  EXPECT_GT(unit_interval(0), 0.0);
  EXPECT_LT(unit_interval(0xFFFFFFFF), 1.0);
  EXPECT_NEAR(unit_interval(0x80000000), 0.5, 1e-9);
}

Tensor tensor_of(Dtype dtype, std::int64_t count, Uniform values = {}) {
  return {.name = "x", .dtype = dtype, .shape = {count}, .values = values};
}

TEST(RandomTensor, ElementDependsOnSeedStreamAndIndexAlone) {
  // Lengths around a block of four and around the split over threads.
  const HostTensor long_one = random_tensor(tensor_of(Dtype::f32, 1 << 18), 5, 2);
  for (const std::int64_t count : {1, 2, 3, 4, 5, 1023, 65537, (1 << 18) - 1}) {
    const HostTensor short_one = random_tensor(tensor_of(Dtype::f32, count), 5, 2);
    ASSERT_EQ(short_one.data.size(), static_cast<std::size_t>(4 * count));
    EXPECT_EQ(std::memcmp(short_one.data.data(), long_one.data.data(), short_one.data.size()), 0)
        << count;
  }
  for (const std::int64_t i : {0, 1, 7, 4099, (1 << 18) - 1}) {
    const double unit = unit_interval(philox(5, 2, static_cast<std::uint64_t>(i) / 4)[i % 4]);
    EXPECT_EQ(long_one[i], static_cast<float>(2 * unit - 1)) << i;
  }
}

TEST(RandomTensor, SeedsAndStreamsDiffer) {
  const auto what = tensor_of(Dtype::f32, 64);
  std::set<std::vector<std::byte>> seen;
  for (const std::uint64_t seed : {0ull, 1ull, 1ull << 32})
    for (const std::uint32_t stream : {0u, 1u}) seen.insert(random_tensor(what, seed, stream).data);
  EXPECT_EQ(seen.size(), 6u);
}

TEST(RandomTensor, EmptyTensorHasNoBytes) {
  EXPECT_TRUE(random_tensor(tensor_of(Dtype::bf16, 0), 1, 1).data.empty());
}

class RandomTensorOf : public testing::TestWithParam<Dtype> {};

TEST_P(RandomTensorOf, StaysInRangeAndIsUniform) {
  const Uniform range{.low = 2.0, .high = 14.0};
  const std::int64_t count = 1 << 16;
  const HostTensor tensor = random_tensor(tensor_of(GetParam(), count, range), 3, 0);
  for (std::int64_t i = 0; i < count; ++i) {
    ASSERT_GE(tensor[i], range.low);
    ASSERT_LE(tensor[i], range.high);
  }
  for (double edge = 3.0; edge < 14.0; ++edge) {
    double below = 0;
    for (std::int64_t i = 0; i < count; ++i)
      below += tensor[i] < edge ? 1.0 : tensor[i] == edge ? 0.5 : 0.0;
    // Six standard deviations, and what rounding moves across where the spacing doubles.
    const double share = (edge - range.low) / (range.high - range.low);
    const double slack = ulp_at(GetParam(), edge) / 8 / (range.high - range.low);
    EXPECT_NEAR(below / count, share, 6 * std::sqrt(share * (1 - share) / count) + slack) << edge;
  }
}

INSTANTIATE_TEST_SUITE_P(Types, RandomTensorOf,
                         testing::Values(Dtype::f64, Dtype::f32, Dtype::f16, Dtype::bf16,
                                         Dtype::e4m3, Dtype::e5m2, Dtype::i32, Dtype::i8,
                                         Dtype::u8),
                         [](const auto& info) { return std::string(name_of(info.param)); });

TEST(Coordinate, IsRowMajor) {
  EXPECT_EQ(coordinate({3, 4}, 0), "(0, 0)");
  EXPECT_EQ(coordinate({3, 4}, 7), "(1, 3)");
  EXPECT_EQ(coordinate({2, 3, 4}, 23), "(1, 2, 3)");
  EXPECT_EQ(coordinate({9}, 8), "(8)");
  EXPECT_EQ(coordinate({}, 0), "()");
}

}  // namespace
}  // namespace aisp::lab
