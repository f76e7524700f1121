// What functions may not be, each refused by one line with the user's place and the numbers. None
// of these compiles a kernel.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "jit/attention/emit.hpp"
#include "tests/jit/attention/flex.hpp"

namespace aisp::jit::testing {
namespace {

using attention_test::AttentionProblem;
using ::testing::HasSubstr;

template <class Make>
std::string refusal_of(const Make& make) {
  try {
    make();
  } catch (const base::Refusal& refusal) {
    return refusal.what();
  }
  return "not refused";
}

AttentionProblem problem_of(int rows, int head_size = 128) {
  static char memory[64];
  AttentionProblem problem{
      .query_heads = 4, .kv_heads = 4, .query_rows = rows, .kv_rows = rows, .head_size = head_size};
  const tile::device::HeadTensor tensor{
      .data = reinterpret_cast<void*>((reinterpret_cast<std::uintptr_t>(memory) + 15) / 16 * 16),
      .row_stride = head_size,
      .head_stride = std::int64_t{rows} * head_size,
      .batch_stride = std::int64_t{4} * rows * head_size};
  problem.q = problem.k = problem.v = problem.o = tensor;
  return problem;
}

TEST(BadFunctions, AConditionIsNoScoreAndANumberNoMask) {
  EXPECT_THAT(
      refusal_of([] {
        ScoreFunctions(AttentionFunctions{.score = [](auto s, auto) { return s > 0.0; }});
      }),
      ::testing::MatchesRegex("bad_input_test.cpp:[0-9]+: score function gives a condition, "
                              "not a score: choose with where.*"));
  EXPECT_THAT(
      refusal_of([] {
        ScoreFunctions(AttentionFunctions{.mask = [](auto at) { return at.query - at.key; }});
      }),
      ::testing::MatchesRegex("bad_input_test.cpp:[0-9]+: mask function gives a number, not "
                              "a condition: compare it with something"));
}

TEST(BadFunctions, ArraysThatAreTooShort) {
  const std::vector<int> values(100);
  const Array<int> document(values.data(), values.size(), "document");
  const auto by_key = [=](auto at) { return document[at.key] == document[at.query]; };
  const FlexAttention attention(AttentionFunctions{.mask = by_key});
  EXPECT_THAT(refusal_of([&] { attention.plan(problem_of(101)); }),
              ::testing::MatchesRegex("bad_input_test.cpp:[0-9]+: the function reads document.*: "
                                      "index up to 100, the array has 100; .*"));
  const FlexAttention before(
      AttentionFunctions{.score = [=](auto s, auto at) { return s + document[at.key - 3]; }});
  EXPECT_THAT(refusal_of([&] { before.plan(problem_of(80)); }),
              HasSubstr("index down to -3, the array has 100"));
}

TEST(BadFunctions, WhatNoKernelTakes) {
  const FlexAttention attention(
      AttentionFunctions{.score = [](auto s, auto) { return 20 * tanh(s / 20); }});
  EXPECT_THAT(refusal_of([&] { attention.plan(problem_of(80, 80)); }),
              HasSubstr("heads have 64, 96, 128 or 256 elements: got 80"));
  AttentionProblem paged = problem_of(80);
  const std::int32_t table = 0;
  paged.page_table = paged.kv_lengths = &table;
  paged.page_rows = 48;
  EXPECT_THAT(refusal_of([&] { attention.plan(paged); }),
              HasSubstr("pages have 16, 32, 64 or a multiple of 128 rows: got 48"));
  AttentionProblem fp8 = problem_of(80);
  const float scale = 1;
  fp8.q.element = fp8.k.element = fp8.v.element = tile::Element::e4m3;
  fp8.q_scales = fp8.k_scales = fp8.v_scales = &scale;
  EXPECT_THAT(refusal_of([&] { attention.plan(fp8); }), HasSubstr("bf16 and f16: got e4m3"));
}

// Windows, however they are written; and what only looks like one.
TEST(Windows, AreRecognised) {
  const auto window = [](const auto& mask) {
    AttentionProblem problem = problem_of(80);
    const AttentionVariant variant = choose_variant(AttentionFunctions{.mask = mask}, {}, problem);
    return variant.masks ? "a function" : base::say(problem.window_left, " ", problem.window_right);
  };
  EXPECT_EQ(window([](auto at) { return at.query >= at.key; }), "-1 0");
  EXPECT_EQ(window([](auto at) { return !(at.query < at.key); }), "-1 0");
  EXPECT_EQ(window([](auto at) { return at.query >= at.key && at.query - at.key < 512; }), "511 0");
  EXPECT_EQ(window([](auto at) { return at.key > at.query - 9 && at.key - 4 <= at.query; }), "8 4");
  EXPECT_EQ(window([](auto at) { return abs(at.query - at.key) <= 64; }), "64 64");
  EXPECT_EQ(window([](auto at) { return at.query == at.key; }), "0 0");
  EXPECT_EQ(window([](auto at) { return at.query > at.key; }), "a function");
  EXPECT_EQ(window([](auto at) { return at.query >= 2 * at.key; }), "a function");
  EXPECT_EQ(window([](auto at) { return at.query >= at.key || at.key < 7; }), "a function");
}

// Terms along a row drop out, unless the sum of weights is asked for; constants go to the softmax.
TEST(NormalForm, IsWhatTheKernelComputes) {
  const ScoreFunctions alibi(AttentionFunctions{
      .score = [](auto s, auto at) { return 2 * s + 0.5 * (at.key - at.query) + at.query * 3.0; }});
  const NormalForm dropped = normal_form(alibi.function(), false);
  EXPECT_EQ(dropped.factor, 2);
  EXPECT_TRUE(dropped.scaled);
  const std::string kept = functions_text(normal_form(alibi.function(), true), {});
  const std::string text = functions_text(dropped, {});
  EXPECT_THAT(text, ::testing::Not(HasSubstr("row.")));
  EXPECT_THAT(kept, HasSubstr("row.query"));
  const NormalForm cap = normal_form(
      ScoreFunctions(AttentionFunctions{.score = [](auto s, auto) { return 20 * tanh(s / 20); }})
          .function(),
      false);
  EXPECT_EQ(cap.factor, 20);
  EXPECT_FALSE(cap.scaled);
  EXPECT_FALSE(normal_form(ScoreFunctions(AttentionFunctions{}).function(), false).modifies);
}

}  // namespace
}  // namespace aisp::jit::testing
