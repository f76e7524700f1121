// Terms that are the same for all keys of a row, and infinite or NaN: minus infinity hides the row,
// which then is zeros, and everything else makes it NaN, as in float64.
#include <gtest/gtest.h>

#include "tests/jit/attention/flex.hpp"

namespace aisp::jit::testing {
namespace {

constexpr int rows = 150;

Setup some_rows(int heads, bool log_sum, int queries = rows) {
  return {.head_size = 64,
          .query_heads = heads,
          .kv_heads = 1,
          .query_rows = queries,
          .kv_rows = rows,
          .keys = {rows},
          .lengths = false,
          .log_sum = log_sum};
}

TEST(InfiniteTerms, OfAQueryHideItOrMakeItNaN) {
  const FlexAttention attention(AttentionFunctions{.score = [](auto s, auto at) {
    const auto hidden = where(at.query < 4 || at.query % 5 == 1, -INFINITY, -0.5);
    return s + where(at.query == 147, INFINITY, where(at.query == 149, NAN, hidden));
  }});
  check_flex("terms of a query", some_rows(1, false), attention, 1e-5);
  check_flex("terms of a query, sums of weights", some_rows(1, true), attention, 1e-5);
  check_flex("terms of few queries", some_rows(1, true, 6), attention, 1e-5);
}

// A key's NaN, too, where functions take two of eight exponentials away from the special-function
// unit: in each of eight columns.
TEST(InfiniteTerms, OfAKeyMakeRowsNaN) {
  const FlexAttention attention(
      AttentionFunctions{.score =
                             [](auto s, auto at) {
                               const auto one = at.query % 3 == 0 && at.key == at.query % 8;
                               return 8.0 * tanh(s / 8.0) + where(one, NAN, 0.0);
                             }},
      {.precise = true});
  check_flex("NaN of a key", some_rows(1, true), attention, 1e-4);
}

// Documents and distances: minus infinity as a bias of one document, and for the queries of
// another. Their numbers are larger than f32 holds, so that differences are taken before they
// become floats.
TEST(InfiniteTerms, AlibiWithDocumentTerms) {
  constexpr int first = (1 << 25) + 1;
  std::vector<int> numbers;
  std::vector<float> biases;
  for (int row = 0; row < rows; ++row) {
    numbers.push_back(first + row / 20);
    biases.push_back(row / 20 == 1 ? -INFINITY : 0.25f * static_cast<float>(row / 20));
  }
  const auto document = uploaded<int>(numbers, "document");
  const auto bias = uploaded<float>(biases, "bias");
  const auto slope = uploaded<float>({0.5f, 0.125f}, "slope");
  const FlexAttention attention(AttentionFunctions{
      .score =
          [=](auto s, auto at) {
            const auto apart = abs(document[at.query] - document[at.key]);
            return s + slope[at.head] * (at.key - at.query + bias[at.query]) - 1.0 * apart +
                   where(document[at.query] == first + 3, -INFINITY, 0.0);
          },
      .mask = [](auto at) { return at.query >= at.key; }});
  check_flex("documents", some_rows(2, false), attention, 1e-5);
}

// An infinite slope where no row sees the key beside its query.
TEST(InfiniteTerms, InfiniteSlopes) {
  const auto slope = uploaded<float>({0.5f, INFINITY, -INFINITY, NAN}, "slope");
  const FlexAttention attention(AttentionFunctions{
      .score = [=](auto s, auto at) { return s + slope[at.head] * (at.key - at.query); },
      .mask = [](auto at) { return at.query > at.key && at.query - at.key < 16; }});
  check_flex("slopes", some_rows(4, false), attention, 1e-5);
}

}  // namespace
}  // namespace aisp::jit::testing
