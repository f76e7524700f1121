#include "lab/measure/verdict.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "lab/measure/interleave.hpp"
#include "tests/lab/measure/made_up.hpp"

namespace aisp::lab {
namespace {

// How often each verdict falls over `times` repetitions; make(seed) gives {base, other}.
template <class Make>
std::map<Verdict, int> tally(int times, Make make) {
  std::map<Verdict, int> counts;
  for (int i = 0; i < times; ++i) {
    MadeUp made_up(static_cast<std::uint64_t>(i));
    const auto [base, other] = make(made_up);
    ++counts[compare(base, other).verdict];
  }
  return counts;
}

using Pair = std::pair<std::vector<double>, std::vector<double>>;

TEST(Compare, ARungAgainstItselfIsTheSame) {
  auto noisy = tally(100, [](MadeUp& made_up) {
    return Pair{made_up.noisy(50, 1.0, 0.01), made_up.noisy(50, 1.0, 0.01)};
  });
  EXPECT_GE(noisy[Verdict::same], 95);
  EXPECT_EQ(noisy[Verdict::faster] + noisy[Verdict::slower], 0);

  auto heavy = tally(100, [](MadeUp& made_up) {
    return Pair{made_up.heavy_tailed(50, 1.0), made_up.heavy_tailed(50, 1.0)};
  });
  EXPECT_GE(heavy[Verdict::same], 95);
  EXPECT_EQ(heavy[Verdict::faster] + heavy[Verdict::slower], 0);
}

TEST(Compare, AThreePerCentShiftIsFoundInBothDirections) {
  auto quicker = tally(100, [](MadeUp& made_up) {
    return Pair{made_up.noisy(50, 1.03, 0.01), made_up.noisy(50, 1.0, 0.01)};
  });
  EXPECT_EQ(quicker[Verdict::faster], 100);
  auto slower = tally(100, [](MadeUp& made_up) {
    return Pair{made_up.heavy_tailed(50, 1.0), made_up.heavy_tailed(50, 1.03)};
  });
  EXPECT_GE(slower[Verdict::slower], 98);
}

TEST(Compare, InterleavedDriftMakesNoDifference) {
  auto drifting = tally(100, [](MadeUp& made_up) {
    Pair samples;
    const Interleave order(2);
    for (int turn = 0; turn < 100; ++turn) {
      const double drifted = 1.0 + 0.0005 * turn;  // 5 % over the run
      (order.rung(turn) == 0 ? samples.first : samples.second)
          .push_back(drifted * (1.0 + 0.005 * made_up.normal()));
    }
    return samples;
  });
  EXPECT_EQ(drifting[Verdict::faster] + drifting[Verdict::slower], 0);
}

TEST(Compare, TwoClockStatesDrawnByLotStayWithinTheSignificanceLevel) {
  auto bimodal = tally(1000, [](MadeUp& made_up) {
    return Pair{made_up.bimodal(50, 1.0, 1.06), made_up.bimodal(50, 1.0, 1.06)};
  });
  // Each sample takes a state of its own, so p < 0.01 lets 10 of 1000 through; 19 is three standard
  // deviations above.
  EXPECT_LE(bimodal[Verdict::faster] + bimodal[Verdict::slower], 19);
  EXPECT_GE(bimodal[Verdict::ambiguous], 950);
}

TEST(Compare, TwoClockStatesThatLastAreSharedByInterleavedRungs) {
  auto sticky = tally(200, [](MadeUp& made_up) {
    Pair samples;
    const Interleave order(2);
    double state = 1.0;
    for (int turn = 0; turn < 100; ++turn) {
      if (made_up.uniform() < 0.05) state = state == 1.0 ? 1.06 : 1.0;
      (order.rung(turn) == 0 ? samples.first : samples.second)
          .push_back(state * (1.0 + 0.002 * made_up.normal()));
    }
    return samples;
  });
  EXPECT_EQ(sticky[Verdict::faster] + sticky[Verdict::slower], 0);
}

TEST(Compare, ASignificantDifferenceBelowTheLeastEffectIsNotAWin) {
  MadeUp made_up(4);
  const auto base = made_up.noisy(2000, 1.005, 0.005), other = made_up.noisy(2000, 1.0, 0.005);
  const Comparison seen = compare(base, other);
  EXPECT_LT(seen.p, 0.01);
  EXPECT_EQ(seen.verdict, Verdict::same);
  EXPECT_EQ(compare(base, other, 0.002).verdict, Verdict::faster);
}

TEST(Compare, WideSamplesAreAmbiguous) {
  MadeUp made_up(8);
  EXPECT_EQ(compare(made_up.noisy(20, 1.0, 0.2), made_up.noisy(20, 1.0, 0.2)).verdict,
            Verdict::ambiguous);
}

TEST(Compare, SwappingTheSidesMirrorsTheVerdict) {
  MadeUp made_up(6);
  const auto slow = made_up.noisy(40, 2.0, 0.01), quick = made_up.noisy(40, 1.0, 0.01);
  const Comparison forward = compare(slow, quick), backward = compare(quick, slow);
  EXPECT_EQ(forward.verdict, Verdict::faster);
  EXPECT_EQ(backward.verdict, Verdict::slower);
  EXPECT_NEAR(forward.ratio * backward.ratio, 1.0, 1e-12);
  EXPECT_DOUBLE_EQ(forward.p, backward.p);
  EXPECT_LE(forward.interval.low, forward.ratio);
  EXPECT_GE(forward.interval.high, forward.ratio);
}

TEST(Compare, TooFewSamplesAreAmbiguous) {
  const std::vector four(4, 2.0), five{1.0, 1.01, 1.02, 1.03, 1.04}, slow{2.0, 2.1, 2.2, 2.3, 2.4};
  EXPECT_EQ(compare(four, five).verdict, Verdict::ambiguous);
  EXPECT_GT(compare(four, five).ratio, 1.9);  // still reported
  EXPECT_EQ(compare(slow, five).verdict, Verdict::faster);
}

TEST(Compare, WhatIsNoTimeGivesNoRatio) {
  const std::vector good(10, 1.0);
  for (const double bad : {0.0, -1.0, std::numeric_limits<double>::quiet_NaN(),
                           std::numeric_limits<double>::infinity()}) {
    auto spoilt = good;
    spoilt[3] = bad;
    const Comparison seen = compare(good, spoilt);
    EXPECT_EQ(seen.verdict, Verdict::ambiguous);
    EXPECT_EQ(seen.ratio, 0.0);
    EXPECT_EQ(seen.p, 1.0);
  }
  EXPECT_EQ(compare({}, good).verdict, Verdict::ambiguous);
}

TEST(Compare, IdenticalSamplesAreTheSame) {
  const std::vector<double> samples(10, 0.25);
  const Comparison seen = compare(samples, samples);
  EXPECT_EQ(seen.verdict, Verdict::same);
  EXPECT_EQ(seen.ratio, 1.0);
  EXPECT_EQ(seen.p, 1.0);
}

TEST(Verdict, Names) {
  EXPECT_EQ(name_of(Verdict::faster), "faster");
  EXPECT_EQ(name_of(Verdict::same), "same");
  EXPECT_EQ(name_of(Verdict::slower), "slower");
  EXPECT_EQ(name_of(Verdict::ambiguous), "ambiguous");
}

}  // namespace
}  // namespace aisp::lab
