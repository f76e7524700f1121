#include "lab/run/estimate.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace aisp::lab {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

RunHeader planned(const std::vector<std::string>& command) {
  RunHeader header;
  header.command = command;
  header.time_limit = 600;
  for (const char* entry : {"ch09:a/1", "ch09:a/2", "ch09:b/1"}) {
    EntryPlan plan;
    plan.entry = entry;
    header.plan.push_back(plan);
  }
  return header;
}

std::vector<EntryEstimate> estimated() {
  return {
      {.entry = "ch09:a/1", .target = "ch09:a", .work = 1e9, .rungs = 2, .seconds = 60},
      {.entry = "ch09:a/2", .target = "ch09:a", .work = 1e12, .rungs = 2, .seconds = 36000},
  };
}

TEST(Estimate, CountsNoMoreThanTheLimitOfASizeThatIsStopped) {
  const auto lines =
      estimate_lines(estimated(), {}, planned({"bench", "run", "--full", "--targets", "ch09"}));
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_THAT(lines[0], HasSubstr("estimate for ch09:a: about 10 h for 2 sizes; "));
  EXPECT_EQ(lines[1],
            "1 size takes longer than --time-limit 600 s and will be stopped, such as ch09:a/2 "
            "with about 10 h");
  EXPECT_THAT(lines[2],
              HasSubstr("estimate: about 11 min in all with the sizes that will be stopped; "));
}

TEST(Estimate, NamesNoOptionThatTheCommandDoesNotHave) {
  for (const char* command : {"demo", "compare"}) {
    const auto lines = estimate_lines(estimated(), {}, planned({command, "ch09", "--full"}));
    ASSERT_EQ(lines.size(), 3u);
    EXPECT_EQ(lines[1],
              "1 size takes longer than the limit of 600 s and will be stopped, such as ch09:a/2 "
              "with about 10 h; aisp bench run has --time-limit S");
  }
}

TEST(Estimate, IsForEachEntryOfThePlan) {
  EXPECT_THAT(expected_seconds(estimated(), planned({"sweep"})), ElementsAre(60, 600, 0));
}

TEST(Estimate, RoundsDurations) {
  EXPECT_EQ(rough_duration(0.2), "1 s");
  EXPECT_EQ(rough_duration(80), "80 s");
  EXPECT_EQ(rough_duration(100), "1.7 min");
  EXPECT_EQ(rough_duration(27.2 * 3600), "27 h");
  EXPECT_EQ(rough_duration(60 * 3600), "2.5 days");
}

}  // namespace
}  // namespace aisp::lab
