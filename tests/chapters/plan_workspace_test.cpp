// Plans of one shape share memory request by request, not by size.
#include "chapters/ch10/common/plan_workspace.hpp"

#include <gtest/gtest.h>

namespace aisp::ch10 {

static void* place(std::size_t number) { return reinterpret_cast<void*>(4096 * (number + 1)); }

TEST(PlanWorkspace, RequestsOfOneSizeAreTwoPlaces) {
  PlanWorkspace workspace;
  std::size_t asked = 0;
  const auto first = workspace.first([&](std::size_t) { return place(asked++); });
  EXPECT_NE(first(64), first(64));
  first(128);
  for (int plan = 0; plan < 2; ++plan) {
    const auto again = workspace.again();
    EXPECT_EQ(again(64), place(0));
    EXPECT_EQ(again(64), place(1));
    EXPECT_EQ(again(128), place(2));
  }
  EXPECT_EQ(asked, 3U);
}

TEST(PlanWorkspace, RefusesWhatTheFirstPlanDidNotAskFor) {
  PlanWorkspace workspace;
  workspace.first([](std::size_t) { return place(0); })(64);
  const auto larger = workspace.again();
  EXPECT_THROW(larger(65), base::Refusal);
  const auto more = workspace.again();
  more(64);
  EXPECT_THROW(more(64), base::Refusal);
}

}  // namespace aisp::ch10
