// Kernels with functions on the simulator: heads of all sizes, layouts and lengths, every element
// against the functions in float64.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/jit/attention/flex.hpp"

namespace aisp::jit::testing {
namespace {

Array<float> slopes() { return uploaded<float>({0.5f, 0.25f, 0.125f, 0.0625f}, "slope"); }

// A window is no function, and ALiBi none of a row.
TEST(FlexKernels, AlibiCausalOfSharedHeads) {
  const auto slope = slopes();
  const FlexAttention attention(AttentionFunctions{
      .score = [=](auto s, auto at) { return s + slope[at.head] * (at.key - at.query); },
      .mask = [](auto at) { return at.query >= at.key; }});
  const FlexPlan plan = check_flex("alibi",
                                   {.query_heads = 4,
                                    .kv_heads = 2,
                                    .query_rows = 150,
                                    .kv_rows = 150,
                                    .keys = {150},
                                    .lengths = false,
                                    .log_sum = false},
                                   attention, 1e-5);
  EXPECT_EQ(plan.kernel(), "flex_forward_bf16_d128");
  EXPECT_FALSE(plan.has_block_mask());
}

// Packed sequences of different lengths, one shorter than a warpgroup; sums of weights are asked
// for, so that nothing is dropped. The mask is of a sequence and a head.
TEST(FlexKernels, MaskOfHeadAndSequencePacked) {
  const auto slope = slopes();
  const FlexAttention attention(
      AttentionFunctions{
          .score =
              [=](auto s, auto at) {
                return 5 * tanh(s / 5) - slope[at.head] * abs(at.key - at.query);
              },
          .mask =
              [](auto at) { return (at.key + at.head) % 3 != at.sequence && at.key <= at.query; }},
      {.precise = true});
  const FlexPlan plan = check_flex("packed",
                                   {.head_size = 64,
                                    .query_heads = 2,
                                    .kv_heads = 1,
                                    .query_rows = 210,
                                    .kv_rows = 210,
                                    .keys = {210, 40, 133},
                                    .queries = {210, 40, 70},
                                    .layout = Layout::packed},
                                   attention, 5 * 0x1p-21);
  EXPECT_EQ(plan.block_mask().lists.size(), 2u * 2 * 3);
}

// Pages, 96 elements of f16, and rows of packed queries as an index.
TEST(FlexKernels, PagedKeys) {
  std::vector<int> kinds;
  for (int row = 0; row < 260; ++row) kinds.push_back(row % 7);
  const auto kind = uploaded<int>(kinds, "kind");
  const FlexAttention attention(AttentionFunctions{
      .mask = [=](auto at) { return kind[at.key] != kind[at.query_row] || at.key == at.query; }});
  check_flex("paged",
             {.element = tile::Element::f16,
              .head_size = 96,
              .query_heads = 1,
              .kv_heads = 1,
              .query_rows = 130,
              .kv_rows = 260,
              .keys = {260, 200},
              .queries = {130, 100},
              .layout = Layout::paged,
              .page_rows = 32,
              .log_sum = false},
             attention);
}

// Most rows see nothing: they are zeros, and whole tiles of them are never loaded.
TEST(FlexKernels, RowsThatSeeNothing) {
  const FlexAttention attention(AttentionFunctions{
      .mask = [](auto at) { return at.query % 5 == 2 && at.query > 200 && at.key < 70; }});
  const FlexPlan plan = check_flex("nothing",
                                   {.head_size = 256,
                                    .query_heads = 1,
                                    .kv_heads = 1,
                                    .query_rows = 300,
                                    .kv_rows = 300,
                                    .keys = {300},
                                    .lengths = false},
                                   attention);
  const BlockMaskCopy mask = plan.block_mask();
  EXPECT_EQ(mask.lists.at(0).size(), 0u);
  EXPECT_EQ(mask.lists.at(1).size(), 2u);  // 70 keys in blocks of 64
  EXPECT_THAT(mask.order,
              ::testing::ElementsAre(::testing::AnyOf(1, 2), ::testing::AnyOf(1, 2), 0));
}

// One question to many keys, with the same functions: splits of the keys, several heads a row tile.
TEST(FlexKernels, Decoding) {
  const auto slope = slopes();
  const FlexAttention attention(AttentionFunctions{
      .score = [=](auto s, auto at) { return s + slope[at.head] * (at.key - at.query); },
      .mask = [](auto at) { return at.key % 16 != 3 && at.query - at.key < 300; }});
  const FlexPlan plan = check_flex(
      "decode",
      {.query_heads = 4, .kv_heads = 1, .query_rows = 2, .kv_rows = 700, .keys = {700, 411}},
      attention, 1e-5);
  EXPECT_EQ(plan.kernel(), "flex_decode_bf16_d128");
}

// Runs as a plan does.
template <class Functions>
struct Call {
  Functions functions;
  attention_test::AttentionProblem problem;
  void run() const { attention(functions, problem, nullptr, {.precise = true}); }
};

// In one call: compiled and planned once, and again only for functions that compute something else
// or read another array.
TEST(FlexKernels, InOneCall) {
  const auto run = [&](double cap, const Array<float>& slope) {
    const AttentionFunctions functions{
        .score = [=](auto s, auto at) { return cap * tanh(s / cap) + slope[at.head] * at.key; }};
    testing::Setup setup{.query_heads = 2,
                         .kv_heads = 1,
                         .query_rows = 70,
                         .kv_rows = 70,
                         .keys = {70},
                         .lengths = false,
                         .log_sum = false};
    const ScoreFunctions read(functions);
    const HostCopies copies(read.function().parameters, read.arrays());
    const HostCopies::Reading reading(copies);
    setup.function_error = 1e-5;
    setup.function = [&](int, int head, int i, int j, double score) {
      return read.score(score, {0, head, i, j, i, j, 70, 70});
    };
    attention_test::Attention("in one call", setup)
        .run([&](const attention_test::AttentionProblem& problem) {
          return Call{functions, problem};
        });
  };
  const auto small = uploaded<float>({0.02f, 0.01f}, "slope");
  run(20, small);
  run(20, uploaded<float>({-0.02f, 0.03f}, "slope"));
  run(3, small);
}

}  // namespace
}  // namespace aisp::jit::testing
