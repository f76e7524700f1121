// The paged cache of ch11:stream_ordered_kv_cache: who needs a page when, and its reference.
#include <gtest/gtest.h>

#include <cmath>

#include "base/refuse.hpp"
#include "chapters/ch11/stream_ordered_kv_cache/cache.hpp"
#include "tests/chapters/reference_support.hpp"

using namespace aisp;

namespace {

using namespace reference_support;
using ch11::CacheShape;

TEST(KvCache, APageIsTakenForEveryEntryThatTokensReachAndOnce) {
  const CacheShape shape(lab::Size{"", {2, 20, 35, 1}});
  for (std::int64_t sequence = 0; sequence < shape.sequences; ++sequence) {
    std::int64_t taken = 0;
    for (std::int64_t step = 0; step < shape.steps; ++step) {
      taken += CacheShape::needs_page(sequence, step) ? 1 : 0;
      const std::int64_t tokens = CacheShape::tokens_at(sequence, step);
      ASSERT_EQ(taken, (tokens + ch11::page_tokens - 1) / ch11::page_tokens) << sequence;
    }
    ASSERT_LE(taken, shape.pages_per_sequence());
  }
  EXPECT_EQ(CacheShape::tokens_at(3, 2), 0) << "it joins at step 3";
  EXPECT_EQ(CacheShape::tokens_at(3, 3), 1);
  EXPECT_EQ(CacheShape::tokens_at(19, 3), 1) << "as the sequence 16 before it";
}

struct Answer {
  std::vector<double> pages, o;
};

Answer reference_of(const lab::Problem& problem, const lab::Inputs& inputs) {
  std::vector<std::vector<double>> expected;
  for (const auto& output : problem.outputs)
    expected.emplace_back(static_cast<std::size_t>(output.tensor.count()), NAN);
  problem.reference(inputs, expected);
  return {expected[0], expected[1]};
}

TEST(KvCache, PagesHoldEveryTokenAtItsPlaceAndZerosBehindThem) {
  const lab::Size size{"", {2, 3, 18, 2}};
  const CacheShape shape(size);
  const auto problem = target_named("ch11:stream_ordered_kv_cache").problem(size);
  const auto inputs = random_inputs(problem, 5);
  const auto pages = reference_of(problem, inputs).pages;
  for (std::int64_t sequence = 0; sequence < 3; ++sequence)
    for (std::int64_t token = 0; token < 2 * ch11::page_tokens; ++token)
      for (std::int64_t layer = 0; layer < 2; ++layer)
        for (std::int64_t kind = 0; kind < 2; ++kind) {
          const std::int64_t step = token + sequence, element = 131;  // head 1, its fourth
          const std::int64_t at =
              (sequence * 2 + token / 16) * shape.page_elements() +
              ((layer * 2 + kind) * ch11::page_tokens + token % 16) * shape.row() + element;
          const std::int64_t row = ((step * 2 + layer) * 3 + sequence) * shape.row() + element;
          const double want = step < 18 ? inputs[kind == 0 ? 1 : 2][row] : 0.0;
          ASSERT_EQ(pages[static_cast<std::size_t>(at)], want)
              << sequence << ' ' << token << ' ' << layer << ' ' << kind;
        }
}

TEST(KvCache, AttentionSeesTheTokensSoFarAndNoOthers) {
  const auto problem = target_named("ch11:stream_ordered_kv_cache").problem({"", {1, 2, 3, 1}});
  const std::size_t row = ch11::head_size;
  const auto at = [&](std::size_t step, std::size_t sequence) {
    return (step * 2 + sequence) * row;
  };
  std::vector<double> q(6 * row, 0.0), k(6 * row, 0.0), v(6 * row, 0.0);
  // Sequence 0: scores of 0 at first, then a key that takes nearly everything. Sequence 1 joins at
  // step 1; what stands in its row of step 0 is nobody's.
  for (std::size_t step = 0; step < 3; ++step) {
    v[at(step, 0)] = std::pow(2.0, static_cast<double>(step));
    v[at(step, 1)] = 8.0;
  }
  v[at(0, 1)] = 100.0;
  k[at(2, 0)] = 32.0;
  for (std::size_t step = 0; step < 3; ++step) q[at(step, 0)] = 32.0;
  const lab::Inputs inputs{tensor_of(problem.inputs[0], q), tensor_of(problem.inputs[1], k),
                           tensor_of(problem.inputs[2], v)};
  const auto o = reference_of(problem, inputs).o;
  EXPECT_DOUBLE_EQ(o[at(0, 0)], 1.0);
  EXPECT_DOUBLE_EQ(o[at(1, 0)], 1.5);
  EXPECT_NEAR(o[at(2, 0)], 4.0, 1e-12);
  EXPECT_EQ(o[at(0, 1)], 0.0);
  EXPECT_DOUBLE_EQ(o[at(1, 1)], 8.0);
  EXPECT_DOUBLE_EQ(o[at(2, 1)], 8.0);
}

TEST(KvCache, RefusesExtentsThatItsKernelsDoNotTake) {
  const auto& target = target_named("ch11:stream_ordered_kv_cache");
  EXPECT_TRUE(target.same_bytes);
  EXPECT_THROW(target.problem({"", {0, 1, 1, 1}}), base::Refusal);
  EXPECT_THROW(target.problem({"", {1, 1, 0, 1}}), base::Refusal);
  EXPECT_THROW(target.problem({"", {1, 1, 1, 5000}}), base::Refusal);
}

}  // namespace
