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

TEST(InfiniteTerms, OfAQueryHideIt) {
  const FlexAttention attention(AttentionFunctions{
      .score = [](auto s, auto at) { return s + where(at.query < 4, -INFINITY, 0.0); }});
  check_flex("rows without keys", some_rows(1, false), attention, 1e-5);
  check_flex("rows without keys, sums of weights", some_rows(1, true), attention, 1e-5);
  const FlexAttention even(AttentionFunctions{
      .score = [](auto s, auto at) { return s + where(at.query % 2 == 0, -INFINITY, 0.0); }});
  check_flex("few queries", some_rows(2, false, 6), even, 1e-5);
}

TEST(InfiniteTerms, OfAQueryMakeItNaN) {
  const FlexAttention attention(AttentionFunctions{.score = [](auto s, auto at) {
    return s + where(at.query == 147, INFINITY, where(at.query == 149, NAN, -0.5));
  }});
  check_flex("NaN rows", some_rows(1, false), attention, 1e-5);
  check_flex("NaN rows, sums of weights", some_rows(1, true), attention, 1e-5);
  check_flex("NaN rows of few queries", some_rows(1, true, 6), attention, 1e-5);
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

// Documents and distances: a term of a query's document, which for one of them is minus infinity.
TEST(InfiniteTerms, AlibiWithADocumentTerm) {
  const auto slope = uploaded<float>({0.5f, 0.125f}, "slope");
  std::vector<int> ids;
  std::vector<float> biases;
  for (int row = 0; row < rows; ++row) {
    ids.push_back(row / 40);
    biases.push_back(row / 40 == 1 ? -INFINITY : 0.25f * static_cast<float>(row / 40));
  }
  const auto document = uploaded<int>(ids, "document");
  const auto bias = uploaded<float>(biases, "bias");
  const auto causal = [](auto at) { return at.query >= at.key; };
  const FlexAttention hidden(AttentionFunctions{
      .score =
          [=](auto s, auto at) {
            return s + slope[at.head] * (at.key - at.query) +
                   where(document[at.query] == 1, -INFINITY, 1.0 * document[at.query]);
          },
      .mask = causal});
  check_flex("a document without keys", some_rows(2, false), hidden, 1e-5);
  const FlexAttention biased(AttentionFunctions{
      .score = [=](auto s,
                   auto at) { return s + slope[at.head] * (at.key - at.query + bias[at.query]); },
      .mask = causal});
  check_flex("a document's bias", some_rows(2, false), biased, 1e-5);
}

// Differences of integers that f32 does not hold are taken before they become floats.
TEST(InfiniteTerms, DifferencesOfLargeIntegers) {
  std::vector<int> ids;
  for (int row = 0; row < rows; ++row) ids.push_back((1 << 25) + 1 + row / 10);
  const auto document = uploaded<int>(ids, "document");
  const auto slope = uploaded<float>({0.5f}, "slope");
  const FlexAttention attention(
      AttentionFunctions{.score =
                             [=](auto s, auto at) {
                               return s + slope[at.head] * (at.key - at.query) -
                                      1.0 * abs(document[at.query] - document[at.key]);
                             },
                         .mask = [](auto at) { return at.query >= at.key; }});
  check_flex("large numbers of documents", some_rows(1, false), attention, 1e-5);
}

// An infinite slope, with masks that leave out the key beside the query, and that leave only it.
TEST(InfiniteTerms, InfiniteSlopes) {
  const auto slope = uploaded<float>({0.5f, INFINITY, -INFINITY, NAN}, "slope");
  const auto score = [=](auto s, auto at) { return s + slope[at.head] * (at.key - at.query); };
  check_flex("slopes, keys before the query", some_rows(4, false),
             FlexAttention(AttentionFunctions{.score = score,
                                              .mask = [](auto at) { return at.query > at.key; }}),
             1e-5);
  check_flex("slopes, keys around the query", some_rows(4, false),
             FlexAttention(AttentionFunctions{
                 .score = score, .mask = [](auto at) { return abs(at.query - at.key) < 16; }}),
             1e-5);
}

}  // namespace
}  // namespace aisp::jit::testing
