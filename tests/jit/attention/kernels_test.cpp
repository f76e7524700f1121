// Kernels with functions on the simulator: every element against the functions in float64.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/jit/attention/flex.hpp"

namespace aisp::jit::testing {
namespace {

TEST(FlexKernels, AlibiCausal) {
  const auto slope = uploaded<float>({0.5f, 0.25f, 0.125f, 0.0625f}, "slope");
  const FlexAttention attention(AttentionFunctions{
      .score = [=](auto s, auto at) { return s + slope[at.head] * (at.key - at.query); },
      .mask = [=](auto at) { return at.query >= at.key; }});
  const FlexPlan plan =
      check_flex("alibi", {.query_heads = 4, .kv_heads = 2, .query_rows = 150, .kv_rows = 150,
                           .keys = {150}, .lengths = false, .log_sum = false},
                 attention, 1e-4);
  EXPECT_EQ(plan.kernel(), "flex_forward_bf16_d128");
  EXPECT_FALSE(plan.has_block_mask());  // it is a window
}

TEST(FlexKernels, Documents) {
  std::vector<int> ids;
  for (int row = 0; row < 300; ++row) ids.push_back(row < 70 ? 0 : row < 130 ? 1 : 2);
  const auto document = uploaded<int>(ids, "document");
  const FlexAttention attention(AttentionFunctions{
      .mask = [=](auto at) {
        return at.query >= at.key && document[at.query] == document[at.key];
      }});
  const FlexPlan plan = check_flex(
      "documents", {.query_heads = 2, .kv_heads = 1, .query_rows = 300, .kv_rows = 300,
                    .keys = {300}, .lengths = false, .log_sum = false},
      attention, 0);
  EXPECT_TRUE(plan.has_block_mask());
  EXPECT_EQ(plan.block_mask().count().all, 9);
  EXPECT_EQ(plan.block_mask().count().seen, 5);
}

}  // namespace
}  // namespace aisp::jit::testing
