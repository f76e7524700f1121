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

constexpr PositionLimits some_positions{.sequences = 4,
                                        .heads = 32,
                                        .queries = 8192,
                                        .keys = 8192,
                                        .query_rows = 8192,
                                        .key_rows = 8192};

// Terms along a row drop out, unless the sum of weights is asked for; constants go to the softmax.
TEST(NormalForm, IsWhatTheKernelComputes) {
  const ScoreFunctions alibi(AttentionFunctions{
      .score = [](auto s, auto at) { return 2 * s + 0.5 * (at.key - at.query) + at.query * 3.0; }});
  const NormalForm dropped = normal_form(alibi.function(), some_positions, false);
  EXPECT_EQ(dropped.factor, 2);
  EXPECT_TRUE(dropped.scaled);
  const std::string kept = functions_text(normal_form(alibi.function(), some_positions, true), {});
  const std::string text = functions_text(dropped, {});
  EXPECT_THAT(text, ::testing::Not(HasSubstr("row.")));
  EXPECT_THAT(kept, HasSubstr("row.query"));
  const NormalForm cap = normal_form(
      ScoreFunctions(AttentionFunctions{.score = [](auto s, auto) { return 20 * tanh(s / 20); }})
          .function(),
      some_positions, false);
  EXPECT_EQ(cap.factor, 20);
  EXPECT_FALSE(cap.scaled);
  EXPECT_FALSE(
      normal_form(ScoreFunctions(AttentionFunctions{}).function(), some_positions, false).modifies);
}

// Constants are the kernel's, in f32, and none that is taken out of a term leaves its range.
TEST(NormalForm, KeepsConstantsWithinF32) {
  static const float numbers[8] = {};
  const Array<float> reals(numbers, 8, "reals");
  const ScoreFunctions small(AttentionFunctions{
      .score = [](auto s, auto at) { return 1e-40 * s + 0.5 * at.key; },
      .mask = [=](auto at) { return reals[at.key] == 0.1 || reals[at.query] < 1e39; }});
  const NormalForm form = normal_form(small.function(), some_positions, false);
  EXPECT_FALSE(form.scaled) << "1 / 1e-40 is infinite";
  EXPECT_EQ(form.factor, 1);
  const std::string intervals = interval_text(form.function, false);
  EXPECT_THAT(intervals, HasSubstr("interval::point(0.10000000149011612)"));
  EXPECT_THAT(intervals, ::testing::Not(HasSubstr("1e+39")));
  const auto text_of = [](const auto& score) {
    const ScoreFunctions functions(AttentionFunctions{.score = score});
    return functions_text(normal_form(functions.function(), some_positions, false), {});
  };
  constexpr const char* infinity = "__int_as_float(0x7f800000)";
  EXPECT_THAT(text_of([](auto s, auto) { return tanh(s) / 1e-39; }),
              ::testing::Not(HasSubstr(infinity)));
  EXPECT_THAT(text_of([](auto s, auto) { return max(s, -1e39); }), HasSubstr(infinity));
}

// What is the same along a row drops out where it is provably finite, and nowhere else.
TEST(NormalForm, KeepsWhatMayBeInfiniteOrNaN) {
  static const float numbers[8] = {};
  static const int integers[8] = {};
  static const signed char codes[8] = {};
  const Array<float> reals(numbers, 8, "reals");
  const Array<int> counts(integers, 8, "counts");
  const Array<signed char> bytes(codes, 8, "bytes");
  const auto keeps_rows = [&](const auto& score) {
    const ScoreFunctions functions(AttentionFunctions{.score = score});
    const std::string text =
        functions_text(normal_form(functions.function(), some_positions, false), {});
    return text.find("row.") != std::string::npos;
  };
  const auto adds = [&](const auto& term) {
    return keeps_rows([=](auto s, auto at) { return s + term(at); });
  };
  EXPECT_FALSE(adds([](auto at) { return at.query * -0.5; }));
  EXPECT_FALSE(adds([=](auto at) { return counts[at.query] * 2.0; })) << "integers are finite";
  EXPECT_FALSE(adds([=](auto at) { return bytes[at.query] + 1.0; }));
  EXPECT_FALSE(adds([](auto at) { return sqrt(at.query_row + 1.0); }));
  EXPECT_FALSE(adds([](auto at) { return log(at.query_row + 1.0) / (at.head + 1.0); }));
  EXPECT_FALSE(adds([](auto at) { return exp(at.query * -0.001); }));
  EXPECT_FALSE(adds([](auto at) { return exp2(-8.0 / 16 * (at.head + 1)) * (at.key - at.query); }));
  EXPECT_TRUE(adds([](auto at) { return where(at.query < 4, -INFINITY, 0.0); }));
  EXPECT_TRUE(adds([](auto at) { return where(at.query < 4, NAN, 0.0); }));
  EXPECT_TRUE(adds([=](auto at) { return reals[at.query]; })) << "an array holds anything";
  EXPECT_TRUE(adds([=](auto at) { return reals[at.head] * (at.key - at.query); }));
  EXPECT_TRUE(adds([=](auto at) { return 0.5 * (at.key + reals[at.query]); }));
  EXPECT_TRUE(adds([](auto at) { return exp(at.query * 1.0); })) << "overflows";
  EXPECT_TRUE(adds([](auto at) { return 1e38 * at.query; })) << "overflows";
  EXPECT_TRUE(adds([](auto at) { return 1e36 * (at.key - at.query); })) << "overflows";
  EXPECT_TRUE(adds([](auto at) { return 1.0 / at.query; })) << "by 0";
  EXPECT_TRUE(adds([](auto at) { return log(at.query * 1.0); })) << "of 0";
  EXPECT_TRUE(adds([](auto at) { return sqrt(at.query * 1.0); })) << "of a negative position";
  // 32-bit integers wrap: what is added in front of that moves a row's keys differently.
  EXPECT_TRUE(adds([=](auto at) { return 0.5 * (at.key + counts[at.query]); }));
}

}  // namespace
}  // namespace aisp::jit::testing
