// Where the first rung is what one writes first, the one above it is what a competent person writes
// next, without the idea of the target: a gain is told against both.
#include <gmock/gmock.h>

#include "tests/chapters/target_under_test.hpp"

using namespace aisp;

namespace {

const std::vector<lab::Rung>& ladder_of(const std::string& id) {
  return lab::rungs_of(tests::target(id));
}

void expect_second(const std::string& id, const std::string& name) {
  const auto& ladder = ladder_of(id);
  ASSERT_EQ(ladder.size(), 3u) << id;
  EXPECT_EQ(ladder[1].name, name);
  EXPECT_EQ(ladder[1].builds_on, ladder[0].name);
  EXPECT_FALSE(ladder[1].peer);
}

TEST(StrongerBaseline, StandsBetweenTheSimpleOneAndTheIdea) {
  expect_second("ch09:cublaslt_gemm", "mma_sync");
  expect_second("ch11:stream_ordered", "allocated_once");
  expect_second("ch11:stream_ordered_kv_cache", "one_stream");
}

// It has no instruction for fp32 alone.
TEST(StrongerBaseline, MmaSyncTakesEveryTypeThatTheUnitHas) {
  EXPECT_THAT(ladder_of("ch09:cublaslt_gemm").at(1).variants,
              testing::UnorderedElementsAre("bf16", "fp16", "tf32", "fp8"));
}

TEST(StrongerBaseline, AllocatesInItsPreparationAndWaitsForNothing) {
  for (const auto* id : {"ch11:stream_ordered", "ch11:stream_ordered_kv_cache"}) {
    EXPECT_TRUE(ladder_of(id)[0].blocks_host) << id;
    EXPECT_FALSE(ladder_of(id)[1].blocks_host) << id;
  }
}

}  // namespace
