#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/refuse.hpp"
#include "chapters/ch11/stream_ordered/filters.hpp"
#include "tests/chapters/reference_support.hpp"

using namespace aisp;

namespace {

using namespace reference_support;

// Stage by stage and step by step, as the rungs compute it.
template <class Number>
std::vector<Number> by_stages(const lab::Inputs& inputs, std::int64_t n, std::int64_t steps) {
  const auto x = inputs[0].as<float>(), factors = inputs[1].as<float>();
  std::vector<Number> sum(static_cast<std::size_t>(n));
  for (std::int64_t step = 0; step < steps; ++step) {
    std::vector<Number> from(x.begin(), x.end()), to(from.size());
    for (int stage = 0; stage < ch11::filter_stages; ++stage) {
      const Number factor = factors[static_cast<std::size_t>(step * ch11::filter_stages + stage)];
      for (std::size_t i = 0; i < from.size(); ++i) {
        const std::size_t ahead = i + (std::size_t{1} << stage);
        to[i] = std::fma(factor, ahead < from.size() ? from[ahead] : Number{0}, from[i]);
      }
      from = to;
    }
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += from[i];
  }
  return sum;
}

TEST(StreamOrdered, OneFilterOfAllStepsIsWhatTheStagesGive) {
  for (const auto& [n, steps] :
       {std::pair<std::int64_t, std::int64_t>{1000, 5}, {100, 3}, {1, 2}}) {
    const auto problem = target_named("ch11:stream_ordered").problem({"", {n, steps}});
    const auto inputs = random_inputs(problem, 3);
    const auto want = by_stages<double>(inputs, n, steps);
    const auto got = answer(problem, inputs);
    for (std::size_t i = 0; i < want.size(); ++i) ASSERT_NEAR(got[i], want[i], 1e-12) << i;
  }
}

TEST(StreamOrdered, FloatsStayInsideTheToleranceAndALostStepDoesNot) {
  const auto problem = target_named("ch11:stream_ordered").problem({"", {2000, 100}});
  const auto inputs = random_inputs(problem, 4);
  const auto want = answer(problem, inputs);
  const auto tolerance = problem.outputs[0].tolerance;
  const auto wrong = [&](const std::vector<float>& got) {
    std::size_t count = 0;
    for (std::size_t i = 0; i < want.size(); ++i)
      count +=
          std::abs(got[i] - want[i]) > tolerance.absolute + tolerance.relative * std::abs(want[i]);
    return count;
  };
  EXPECT_EQ(wrong(by_stages<float>(inputs, 2000, 100)), 0u);
  EXPECT_GT(wrong(by_stages<float>(inputs, 2000, 99)), 1900u);
}

TEST(StreamOrdered, RefusesNoVectorAndNoSteps) {
  const auto& target = target_named("ch11:stream_ordered");
  EXPECT_THROW(target.problem({"", {0, 5}}), base::Refusal);
  EXPECT_THROW(target.problem({"", {5, 0}}), base::Refusal);
}

}  // namespace
