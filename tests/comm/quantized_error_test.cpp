// What comes out of the quantised exchange is within the bound that follows from the scales, for
// numbers that are made to be hard; and the bound is no wider than it has to be.
#include <cmath>

#include "tests/comm/quantized_support.hpp"

namespace aisp::comm {
namespace {

using tests::Numbers;

constexpr float largest = std::numeric_limits<float>::max();
constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float nan = std::numeric_limits<float>::quiet_NaN();

class QuantizedError : public testing::TestWithParam<Codes> {
 protected:
  // The exchange's result, the same on all ranks and the same as the host's.
  Numbers sum_of(const std::vector<Numbers>& inputs) {
    QuantizedExchange exchange(std::vector<int>(inputs.size(), 0),
                               {.codes = GetParam(), .chunk = 256});
    const auto results = tests::all_reduce(exchange, inputs);
    const Numbers want = tests::quantized_sum(GetParam(), inputs);
    for (const auto& result : results)
      for (std::size_t i = 0; i < want.size(); ++i)
        EXPECT_TRUE(result[i] == want[i] || (std::isnan(result[i]) && std::isnan(want[i])))
            << "element " << i << ": got " << result[i] << ", want " << want[i];
    return results[0];
  }
  double worst(const std::vector<Numbers>& inputs) {
    return tests::worst_of_bound(sum_of(inputs), tests::exact_sum(inputs),
                                 tests::error_bound(GetParam(), inputs));
  }
};

std::vector<Numbers> three(std::int64_t count, float (*number)(int rank, std::int64_t i)) {
  std::vector<Numbers> inputs(3);
  for (int rank = 0; rank < 3; ++rank)
    for (std::int64_t i = 0; i < count; ++i)
      inputs[static_cast<std::size_t>(rank)].push_back(number(rank, i));
  return inputs;
}

TEST_P(QuantizedError, IsNearTheBoundForRandomNumbers) {
  std::vector<Numbers> inputs;
  for (int rank = 0; rank < 3; ++rank) inputs.push_back(tests::random_numbers(rank, 6000, 7));
  const double seen = worst(inputs);
  EXPECT_LE(seen, 1.0);
  EXPECT_GE(seen, 0.75);
}

// All numbers half way between two codes, on every rank and in the sum, all rounded the same way.
// The codes are right, so half of the bound would be too little, and codes that are rounded toward
// zero or a step further off would be beyond it.
TEST_P(QuantizedError, ReachesTheBoundWhereEverythingIsHalfWay) {
  const bool int8 = GetParam() == Codes::int8;
  const float top = int8 ? 127.0f : 448.0f;      // the scale of each block is 1, of the sum 3
  const float half_way = int8 ? 41.5f : 272.0f;  // becomes 42 or 256
  const float code = int8 ? 42.0f : 256.0f;
  const float sum = 3 * half_way;  // and 3 * code
  std::vector<Numbers> inputs(3, Numbers(3 * block_elements));
  for (std::size_t rank = 0; rank < 3; ++rank)
    for (std::size_t i = 0; i < inputs[rank].size(); ++i) {
      const std::size_t owner = i / block_elements;
      inputs[rank][i] = i % block_elements == 0 ? top : rank == owner ? sum - 2 * code : half_way;
    }
  const double seen = worst(inputs);
  EXPECT_LE(seen, 1.0);
  EXPECT_GE(seen, int8 ? 0.99 : 0.9);
}

TEST_P(QuantizedError, OneHugeNumberTakesThePlaceOfTheOthersInItsBlock) {
  EXPECT_LE(worst(three(700,
                        [](int rank, std::int64_t i) {
                          return i == 300 && rank == 1 ? 1e38f : 0.5f + static_cast<float>(i % 7);
                        })),
            1.0);
  // The largest number of all comes out as it was; no code times scale is more than that.
  const auto sum = sum_of(three(700, [](int rank, std::int64_t i) {
    return i == 300 && rank == 1 ? -largest : i > 600 ? 0.25f : 0.0f;
  }));
  EXPECT_NEAR(sum[300] / -largest, 1.0, 0x1p-22);
  EXPECT_EQ(sum[301], 0.0f);
  EXPECT_NEAR(sum[650], 0.75, 0x1p-20);
}

TEST_P(QuantizedError, SubnormalNumbersAreNumbersLikeOthers) {
  const auto tiny = three(1500, [](int rank, std::int64_t i) {
    const std::int64_t block = i / block_elements + rank;  // of up to 3, 30, 300, ... steps
    const auto most = std::int64_t{3} << (block * 3 % 24);
    return static_cast<float>((i * 7919 + rank * 31) % (2 * most) - most) * 0x1p-149f;
  });
  EXPECT_LE(worst(tiny), 1.0);
  // The smallest number of all is not lost.
  const auto least = sum_of(three(300, [](int, std::int64_t) { return 0x1p-149f; }));
  for (const float each : least) EXPECT_EQ(each, 3 * 0x1p-149f);
  // Around the smallest normal number.
  EXPECT_LE(worst(three(300,
                        [](int rank, std::int64_t i) {
                          return (1.0f + static_cast<float>(i - 150) / 300) * 0x1p-126f *
                                 (rank == 1 ? -0.3f : 1.0f);
                        })),
            1.0);
}

TEST_P(QuantizedError, EqualNumbersStayNearlyWhatTheyAre) {
  for (const float each : {0.3f, -1e-30f, 1e30f}) {
    std::vector<Numbers> inputs(4, Numbers(1000, each));
    for (const float got : sum_of(inputs)) EXPECT_NEAR(got / (4 * each), 1.0, 0x1p-20);
  }
  for (const float got : sum_of(three(300, [](int, std::int64_t) { return -0.0f; })))
    EXPECT_EQ(got, 0.0f);
}

// On the rank that adds and on one that sends; in its block everywhere, and nowhere else.
TEST_P(QuantizedError, WhatIsNotFiniteStaysVisibleInItsBlock) {
  for (const float bad : {nan, -nan, infinity, -infinity})
    for (const std::size_t rank : {std::size_t{0}, std::size_t{2}})
      for (const std::size_t at : {std::size_t{5}, std::size_t{999}}) {
        std::vector<Numbers> inputs;
        for (int r = 0; r < 3; ++r) inputs.push_back(tests::random_numbers(r, 1000, 8));
        inputs[rank][at] = bad;
        const auto bound = tests::error_bound(GetParam(), inputs);
        const auto sum = sum_of(inputs);
        for (std::size_t i = 0; i < sum.size(); ++i) {
          EXPECT_EQ(std::isnan(sum[i]), i / block_elements == at / block_elements) << i;
          EXPECT_EQ(std::isnan(bound[i]), std::isnan(sum[i])) << i;
        }
        EXPECT_LE(worst(inputs), 1.0);
      }
}

// A sum beyond f32 is no finite number, and the bound says that it may be so.
TEST_P(QuantizedError, AnOverflowIsVisibleToo) {
  const auto inputs = three(300, [](int, std::int64_t i) { return i == 7 ? 2e38f : 1.0f; });
  EXPECT_TRUE(std::isnan(sum_of(inputs)[7]));
  EXPECT_EQ(tests::error_bound(GetParam(), inputs)[7], std::numeric_limits<double>::infinity());
}

TEST_P(QuantizedError, OfOneRankIsNone) {
  std::vector<Numbers> inputs{tests::random_numbers(0, 500, 9)};
  inputs[0][3] = nan;
  const auto sum = sum_of(inputs);
  for (std::size_t i = 0; i < sum.size(); ++i)
    EXPECT_EQ(std::bit_cast<std::uint32_t>(sum[i]), std::bit_cast<std::uint32_t>(inputs[0][i]));
  EXPECT_EQ(tests::error_bound(GetParam(), inputs), std::vector<double>(500, 0.0));
}

INSTANTIATE_TEST_SUITE_P(Codes, QuantizedError, testing::Values(Codes::int8, Codes::e4m3),
                         [](const auto& info) { return std::string(name_of(info.param)); });

}  // namespace
}  // namespace aisp::comm
