#include "chapters/ch11/priority_streams/latencies.hpp"

#include <gtest/gtest.h>

#include <numeric>

namespace aisp::ch11 {
namespace {

TEST(Percentile, IsTheNearestRank) {
  std::vector<double> values(1000);
  std::iota(values.rbegin(), values.rend(), 1.0);  // 1000, …, 1
  EXPECT_EQ(percentile(values, 0.99), 990.0);
  EXPECT_EQ(percentile(values, 0.5), 500.0);
  EXPECT_EQ(percentile(values, 0.0), 1.0);
  EXPECT_EQ(percentile(values, 1.0), 1000.0);
}

TEST(Percentile, OfAFewValuesIsOneOfThem) {
  EXPECT_EQ(percentile({3.0}, 0.99), 3.0);
  EXPECT_EQ(percentile({3.0, 1.0}, 0.5), 1.0);
  EXPECT_EQ(percentile({3.0, 1.0}, 0.51), 3.0);
  EXPECT_THROW(percentile({}, 0.5), std::logic_error);
}

}  // namespace
}  // namespace aisp::ch11
