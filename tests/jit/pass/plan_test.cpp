// Which schedule, which numbers, and what the call may set.
#include <gtest/gtest.h>

#include "jit/pass/plan.hpp"
#include "jit/pass/simplify.hpp"
#include "tests/jit/support/programs.hpp"

namespace aisp::jit {

template <class Lambda>
static Plan plan_of(const Lambda& lambda, const Signature& signature) {
  return make_plan(simplify(trace("program", lambda, signature).function), signature);
}

static Signature softmax_of(TensorFacts facts) { return samples::signature({facts, facts}); }

TEST(Plan, RowsWithTheirNumbers) {
  EXPECT_EQ(plan_of(samples::softmax, softmax_of({bf16, {8, 4096}})).text(),
            "schedule = rows\n"
            "vector = 8 (types, alignments and positions)\n"
            "threads_per_row = 128 (32 elements of a row a thread, all of them inside)\n"
            "kept = 1 (32 elements a thread stay in registers)\n"
            "rows_at_once = 1 (1 rows a block)\n");
  EXPECT_EQ(plan_of(samples::softmax, softmax_of({bf16, {8, 4088}})).get("threads_per_row"), 256);
}

TEST(Plan, AlignmentDecidesTheWidthOfAccesses) {
  EXPECT_EQ(plan_of(samples::softmax, softmax_of({bf16, {8, 4096}, true, 16})).get("vector"), 8);
  EXPECT_EQ(plan_of(samples::softmax, softmax_of({bf16, {8, 4096}, true, 8})).get("vector"), 4);
  EXPECT_EQ(plan_of(samples::softmax, softmax_of({bf16, {8, 4096}, true, 2})).get("vector"), 1);
  EXPECT_EQ(plan_of(samples::softmax, softmax_of({bf16, {8, 4096}, false, 16})).get("vector"), 1);
  EXPECT_EQ(plan_of(samples::softmax, softmax_of({e4m3, {8, 4096}})).get("vector"), 16);
  const auto shifted = [](Input<1> x, Output<1> y) {
    auto start = blocks(x.extent(0), 1024);
    y.store({start}, x.load({start + 2}, {1024}));
  };
  EXPECT_EQ(plan_of(shifted, samples::signature({{f32, {4096}}, {f32, {4096}}})).get("vector"), 2);
}

TEST(Plan, LongRowsAreReadOnceAPass) {
  EXPECT_EQ(plan_of(samples::softmax, softmax_of({f32, {2, 65536}})).get("kept"), 1);
  EXPECT_EQ(plan_of(samples::softmax, softmax_of({f32, {2, 70000}})).get("kept"), 0);
}

TEST(Plan, SaysWhyRowsWereDeclined) {
  const Plan product = plan_of(
      samples::bias_silu,
      samples::signature({{bf16, {64, 48}}, {bf16, {64, 48}}, {f32, {64}}, {f32, {64, 64}}}));
  EXPECT_EQ(product.schedule, Schedule::plain);
  EXPECT_EQ(product.declined,
            std::vector<std::string>{
                "rows declined: a loop or if at programs.hpp:58; plain (right, and slower)"});
  const auto columns = [](Input<2> x, Output<2> y) {
#line 3 "columns.cpp"
    y.store({0, 0}, sum(x.load({0, 0}, {4, 8}), axis(0)));
  };
  EXPECT_EQ(
      plan_of(columns, samples::signature({{f32, {4, 8}}, {f32, {1, 8}}})).declined,
      std::vector<std::string>{
          "rows declined: a reduction along axis 0 at columns.cpp:3; plain (right, and slower)"});
}

TEST(Plan, IsSetByTheCall) {
  Signature signature = softmax_of({bf16, {8, 4096}});
  signature.choices = {{"threads_per_row", 128}, {"vector", 4}};
  const Plan plan = plan_of(samples::softmax, signature);
  EXPECT_EQ(plan.get("threads_per_row"), 128);
  EXPECT_EQ(plan.get("vector"), 4);
  signature.choices = {{"threads_per_row", 100}};
  try {
    plan_of(samples::softmax, signature);
    FAIL();
  } catch (const base::Refusal& refused) {
    EXPECT_STREQ(refused.what(), "program: threads_per_row is a power of two up to 1024: got 100");
  }
  signature.choices = {{"vector", 16}};
  try {
    plan_of(samples::softmax, signature);
    FAIL();
  } catch (const base::Refusal& refused) {
    EXPECT_STREQ(refused.what(),
                 "program: vector divides 8, the most that alignments allow: got 16");
  }
}

}  // namespace aisp::jit
