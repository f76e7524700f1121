#include <gtest/gtest.h>

#include <limits>
#include <map>

#include "base/refuse.hpp"
#include "lab/case/rung.hpp"
#include "tests/chapters/reference_support.hpp"

using namespace aisp;

namespace {

using namespace reference_support;

TEST(InlinePtx, FlipsEveryBit) {
  const auto problem = target_named("ch09:inline_ptx").problem({"", {16}});
  const double least = std::numeric_limits<std::int32_t>::min();
  const auto y = answer(problem, {tensor_of(problem.inputs[0], {0.0, -1.0, 5.0, least})});
  EXPECT_EQ(y, (std::vector<double>{-1.0, 0.0, -6.0, -least - 1.0}));
}

TEST(InlinePtx, RandomWordsFlipBackToThemselves) {
  const auto problem = target_named("ch09:inline_ptx").problem({"", {1 << 16}});
  const auto inputs = random_inputs(problem, 17);
  const auto y = answer(problem, inputs);
  const auto x = inputs[0].as<std::int32_t>();
  bool negative = false, positive = false;
  for (std::size_t i = 0; i < y.size(); ++i) {
    ASSERT_EQ(static_cast<std::int32_t>(y[i]), ~x[i]) << i;
    negative |= x[i] < -(1 << 30);
    positive |= x[i] > (1 << 30);
  }
  EXPECT_TRUE(negative && positive) << "inputs use all bits";
}

TEST(InlinePtx, RefusesACutVector) {
  const auto& target = target_named("ch09:inline_ptx");
  EXPECT_THROW(target.problem({"", {1000}}), base::Refusal);
  EXPECT_NO_THROW(target.problem({"", {1008}}));
}

TEST(InlinePtx, RungsNameTheHardwareTheyNeed) {
  std::map<std::string, lab::Needs> needs;
  for (const auto& rung : lab::rungs_of(target_named("ch09:inline_ptx")))
    needs[rung.name] = rung.needs;
  EXPECT_EQ(needs, (std::map<std::string, lab::Needs>{{"plain_cpp", lab::Needs::sm_80},
                                                      {"no_allocate", lab::Needs::sm_80},
                                                      {"tensor_memory", lab::Needs::sm_100a},
                                                      {"bulk_copy", lab::Needs::sm_90}}));
}

}  // namespace
