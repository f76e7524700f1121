// A score function that gives NaN: where a query sees it, it is found and named; where a mask or
// the end of the sequence hides it, it is nobody's business.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/jit/attention/flex.hpp"

namespace aisp::jit::testing {
namespace {

using ::testing::MatchesRegex;

std::string said_by(const char* what, const Setup& setup, const FlexAttention& attention,
                    double error = 0) {
  try {
    check_flex(what, setup, attention, error);
  } catch (const base::Refusal& refusal) {
    EXPECT_EQ(refusal.exit(), base::Exit::wrong);
    return refusal.what();
  }
  return "nothing";
}

Setup some_rows(int rows) {
  return {.query_heads = 2,
          .kv_heads = 1,
          .query_rows = rows,
          .kv_rows = 150,
          .keys = {150, 90},
          .lengths = true,
          .log_sum = false};
}

TEST(NanOfAFunction, IsNamedWithItsPlace) {
  const auto score = [](auto s, auto at) {
    return where(at.sequence == 1 && at.head == 1 && at.query == 80 && at.key == 37,
                 sqrt(-1.0 - s * s), s);
  };
  EXPECT_THAT(said_by("nan", some_rows(90),
                      FlexAttention(AttentionFunctions{.score = score}, {.find_nan = true})),
              MatchesRegex("nan_test.cpp:[0-9]+: score function gives NaN: sequence 1, head 1, "
                           "query 80, key 37, whose score is -?[0-9.e-]+; .*"));
  EXPECT_THAT(said_by("nan of few queries", some_rows(12),
                      FlexAttention(AttentionFunctions{.score = score}, {.find_nan = true})),
              MatchesRegex(".*sequence 1, head 1, query 80, key 37, .*"));
}

// The root of a negative distance is behind the causal mask, here a window that the kernel has of
// its own.
TEST(NanOfAFunction, IsNoMatterBehindAMask) {
  const FlexAttention attention(
      AttentionFunctions{
          .score = [](auto s, auto at) { return s + sqrt(1.0 * (at.query - at.key)); },
          .mask = [](auto at) { return at.query >= at.key; }},
      {.find_nan = true});
  EXPECT_EQ(said_by("hidden", some_rows(90), attention, 1e-5), "nothing");
}

// Rows and keys beyond the ends are computed with, too.
TEST(NanOfAFunction, IsNoMatterBeyondTheEnds) {
  const FlexAttention attention(AttentionFunctions{.score =
                                                       [](auto s, auto at) {
                                                         const auto last = at.keys - 1;
                                                         return s + sqrt(1.0 * (last - at.key)) +
                                                                sqrt(1.0 * (last - at.query));
                                                       }},
                                {.find_nan = true});
  EXPECT_EQ(said_by("beyond", some_rows(90), attention, 1e-5), "nothing");
}

}  // namespace
}  // namespace aisp::jit::testing
