// What holds for every case that is registered: its sizes are taken, its reference answers for
// every element of every output, the same each time, and its tolerance is worth the name.
#include <algorithm>
#include <cmath>

#include "lab/case/catalog.hpp"
#include "tests/chapters/target_under_test.hpp"

using namespace aisp;

namespace {

struct Judged {
  const lab::Target& target;
  const lab::Size& size;
  lab::Problem problem;
};

template <class Check>
void for_every_quick_size(const Check& check) {
  for (const auto& target : lab::all_targets())
    for (const auto& size : target.quick) {
      SCOPED_TRACE(target.id() + "/" + size.label());
      check(Judged{target, size, target.problem(size)});
    }
}

TEST(EveryCase, TakesItsOwnSizes) {
  for (const auto& target : lab::all_targets())
    for (const auto* sizes : {&target.full, &target.quick})
      for (const auto& size : *sizes) {
        SCOPED_TRACE(target.id() + "/" + size.label());
        lab::Problem problem;
        ASSERT_NO_THROW(problem = target.problem(size));
        EXPECT_EQ(problem.size.label(), size.label());
        EXPECT_FALSE(problem.outputs.empty());
        double bytes = 0;
        for (const auto& input : problem.inputs) bytes += static_cast<double>(input.bytes());
        for (const auto& output : problem.outputs)
          bytes += static_cast<double>(output.tensor.bytes());
        EXPECT_GT(problem.bytes, 0.0);
        EXPECT_LE(problem.bytes, bytes) << "no tensor counts twice";
      }
}

// A simulated run has no speed-up to show: it says in which count the idea is, or why in none.
TEST(EveryCase, SaysWhereASimulatedRunShowsItsIdea) {
  for (const auto& target : lab::all_targets()) {
    if (target.chapter == lab::roof_chapter) continue;
    EXPECT_NE(target.shows_in.has_value(), !target.shows_nowhere.empty()) << target.id();
  }
}

TEST(EveryCase, ReferenceFillsEveryOutputTheSameEachTime) {
  for_every_quick_size([](const Judged& judged) {
    const auto inputs = tests::random_inputs(judged.problem, 11);
    const auto expected = tests::expected_of(judged.problem, inputs);
    EXPECT_EQ(expected, tests::expected_of(judged.problem, inputs));
    for (std::size_t output = 0; output < expected.size(); ++output) {
      ASSERT_EQ(static_cast<std::int64_t>(expected[output].size()),
                judged.problem.outputs[output].tensor.count());
      for (const double value : expected[output])
        ASSERT_TRUE(std::isfinite(value) && value != -1e300) << judged.size.label();
    }
  });
}

// A tolerance near the size of the numbers themselves would let anything pass.
TEST(EveryCase, ToleranceIsSmallBesideTheResults) {
  for_every_quick_size([](const Judged& judged) {
    const auto inputs = tests::random_inputs(judged.problem, 12);
    const auto expected = tests::expected_of(judged.problem, inputs);
    for (std::size_t output = 0; output < expected.size(); ++output) {
      long double squares = 0;
      for (const double value : expected[output])
        squares += static_cast<long double>(value) * value;
      const auto count = static_cast<long double>(expected[output].size());
      const double rms = static_cast<double>(std::sqrt(squares / count));
      const auto& tolerance = judged.problem.outputs[output].tolerance;
      EXPECT_LE(tolerance.absolute + tolerance.relative * rms, 0.2 * rms)
          << judged.problem.outputs[output].tensor.name;
      for (const auto& [name, allows] : judged.problem.outputs[output].narrower) {
        std::vector<double> allowed(expected[output].size(), -1.0);
        allows(inputs, allowed);
        EXPECT_GE(*std::min_element(allowed.begin(), allowed.end()), 0.0) << name;
        long double allowed_squares = 0;
        for (const double each : allowed) allowed_squares += static_cast<long double>(each) * each;
        EXPECT_LE(std::sqrt(static_cast<double>(allowed_squares / count)), 0.2 * rms) << name;
      }
    }
  });
}

}  // namespace
