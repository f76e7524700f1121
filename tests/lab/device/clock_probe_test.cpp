#include "lab/device/clock_probe.hpp"

#include <gtest/gtest.h>

namespace aisp::lab {
namespace {

TEST(Clock, IsTheMedianOverMultiprocessorsThatNotedBothTimes) {
  // 1000 ns later: 1500, 1980 and 1600 cycles; the fourth ran no block behind the work.
  const std::vector<ClockReading> before{{100, 5000}, {7, 5010}, {900, 5020}, {1, 5030}};
  const std::vector<ClockReading> after{{1600, 6000}, {1987, 6010}, {2500, 6020}, {}};
  ASSERT_TRUE(clock_between(before, after).has_value());
  EXPECT_DOUBLE_EQ(*clock_between(before, after), 1600);
}

TEST(Clock, IsUnknownWhereNothingWasNotedOrNoTimePassed) {
  EXPECT_FALSE(clock_between({}, {}));
  EXPECT_FALSE(clock_between({{}, {}}, {{5, 1000}, {}}));
  EXPECT_FALSE(clock_between({{100, 1000}}, {{200, 1000}}));
}

}  // namespace
}  // namespace aisp::lab
