// Made-up sweeps of one work done in different ways: which falls of the rate are cliffs, and what
// the heat map shows.
#include "lab/report/heat_svg.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <regex>

#include "base/text.hpp"
#include "lab/report/cliffs.hpp"

namespace aisp::lab {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr double work = 1e9;  // bytes

using Rate = std::function<double(const std::vector<std::int64_t>&)>;  // GB/s; 0: refused

SweepResult sweep_over(const std::vector<std::string>& axes, const Rate& rate) {
  SweepResult sweep;
  sweep.target = "ch14:made_up";
  sweep.device = "NVIDIA H200";
  sweep.axes = parse_axes(axes);
  for (const auto& values : product_of(sweep.axes)) {
    SweepRow row;
    row.values = values;
    row.bytes = work;
    if (const double got = rate(values); got > 0) {
      row.rung = "asked";
      row.status = RowStatus::measured;
      row.samples = 20;
      row.median_ms = work / got * 1e-6;
    } else {
      row.status = RowStatus::refused;
      row.reason = "7 bytes are odd & <few>";
    }
    sweep.rows.push_back(row);
  }
  return sweep;
}

double slow_below_64(const std::vector<std::int64_t>& at) {
  return at[0] < 64 ? 1500 : at[1] == 8 ? 3000 : 3200;
}

TEST(Cliffs, AreStepsAfterWhichAtMostThreeQuartersAreLeft) {
  const auto cliffs = cliffs_of(sweep_over({"width=16:256:x2", "rows=8,16"}, slow_below_64));
  ASSERT_EQ(cliffs.size(), 1u);
  EXPECT_EQ(cliffs[0].axis, "width");
  EXPECT_EQ(cliffs[0].from, 64);
  EXPECT_EQ(cliffs[0].to, 32);
  EXPECT_EQ(cliffs[0].pairs, 2);
  EXPECT_EQ(cliffs[0].of, 2);
  EXPECT_NEAR(cliffs[0].share, (1500.0 / 3000 + 1500.0 / 3200) / 2, 1e-12);
}

TEST(Cliffs, OfAThreshold) {
  const auto at = [](double low) {
    return cliffs_of(sweep_over({"width=16,32"},
                                [=](const auto& values) { return values[0] == 16 ? low : 1000.0; }))
        .size();
  };
  EXPECT_EQ(at(749), 1u);
  EXPECT_EQ(at(751), 0u);
}

TEST(Cliffs, AreInBothDirectionsAndSteepestFirst) {
  const auto cliffs = cliffs_of(sweep_over({"stages=1,2,4"}, [](const auto& at) {
    return at[0] == 1 ? 1000.0 : at[0] == 2 ? 2000.0 : 500.0;
  }));
  ASSERT_EQ(cliffs.size(), 2u);
  EXPECT_EQ(cliffs[0].from, 2);
  EXPECT_EQ(cliffs[0].to, 4);
  EXPECT_EQ(cliffs[1].to, 1);
}

TEST(Cliffs, AStepThatFewTakeIsNone) {
  // Falls at one of three values of the other axis.
  const auto sweep = sweep_over({"width=64,128", "rows=8,16,32"}, [](const auto& at) {
    return at[0] == 64 && at[1] == 8 ? 1000.0 : 3000.0;
  });
  for (const auto& cliff : cliffs_of(sweep)) EXPECT_EQ(cliff.axis, "rows") << cliff.from;
}

TEST(Cliffs, AreNoneWhereWorkDiffersOrTimesAreCounted) {
  auto sweep = sweep_over({"width=16:256:x2", "rows=8,16"}, slow_below_64);
  ASSERT_NE(cliff_notes(sweep), "");
  sweep.rows.back().bytes *= 2;
  EXPECT_EQ(cliff_notes(sweep), "");
  sweep.rows.back().bytes = work;
  sweep.simulated = true;
  EXPECT_EQ(cliff_notes(sweep), "");
}

TEST(Cliffs, AreSaidInALine) {
  EXPECT_EQ(cliff_notes(sweep_over({"width=32,64", "rows=8,16"}, slow_below_64)),
            "cliff: asked, width 64 -> 32: 0.48 of the rate is left (2 of 2 pairs)\n");
}

std::size_t count(const std::string& text, const std::string& pattern) {
  const std::regex expression(pattern);
  return static_cast<std::size_t>(
      std::distance(std::sregex_iterator(text.begin(), text.end(), expression), {}));
}

TEST(HeatSvg, HasACellForEveryPointAndFramesTheBest) {
  const auto text = heat_svg(sweep_over({"width=16:256:x2", "rows=8,16"}, slow_below_64));
  EXPECT_EQ(count(text, "class=\"h[0-7]\""), 10u);
  EXPECT_EQ(count(text, "class=\"h3\""), 4u) << "1500 of 3200 is the fourth of eight shades";
  EXPECT_EQ(count(text, "class=\"best\""), 1u);
  EXPECT_EQ(count(text, "class=\"none\""), 0u);
  EXPECT_EQ(count(text, ">1500</text>"), 4u);
  EXPECT_THAT(text, HasSubstr("The best is asked at width=64 rows=16: 3200."));
  EXPECT_THAT(text, HasSubstr("cliff: asked, width 64 -&gt; 32"));
}

TEST(HeatSvg, HasAPanelForEachValueOfAThirdAxis) {
  const auto text = heat_svg(
      sweep_over({"width=64,128", "rows=8,16", "stages=2,4,8"}, [](const auto&) { return 9.0; }));
  EXPECT_EQ(count(text, ">asked stages=[248]</text>"), 3u);
  EXPECT_EQ(count(text, "class=\"h[0-7]\""), 12u);
}

TEST(HeatSvg, ARefusedPointIsAnEmptyCellWithTheReason) {
  const auto text = heat_svg(sweep_over({"width=64,128", "rows=8,16"}, [](const auto& at) {
    return at[0] == 64 && at[1] == 8 ? 0.0 : 10.0;
  }));
  EXPECT_EQ(count(text, "class=\"none\""), 1u);
  EXPECT_THAT(text, HasSubstr("7 bytes are odd &amp; &lt;few&gt;"));
}

TEST(HeatSvg, ShowsTheCountOfASimulatedSweepAndNoTime) {
  auto sweep = sweep_over({"width=64,128", "rows=8,16"}, [](const auto&) { return 10.0; });
  sweep.simulated = true;
  sweep.shows_nowhere = "latency";
  EXPECT_THAT(heat_svg(sweep), HasSubstr("simulated: no count shows it: latency"));
  EXPECT_EQ(count(heat_svg(sweep), "class=\"h[0-7]\""), 0u);
  sweep.shows_in = Count::l2_bytes;
  double bytes = 1000;
  for (auto& row : sweep.rows) row.counts = {{Count::l2_bytes, bytes /= 2}};
  const auto text = heat_svg(sweep);
  EXPECT_THAT(text,
              HasSubstr("simulated: L2 bytes; framed: the best, " + base::with_prefix(bytes, "B")));
  EXPECT_EQ(count(text, "class=\"h[0-7]\""), sweep.rows.size());
  EXPECT_THAT(text, Not(HasSubstr("GB/s")));
  EXPECT_THAT(text, Not(HasSubstr(" us")));
  sweep.rows.clear();
  EXPECT_THAT(heat_svg(sweep), HasSubstr("nothing was counted"));
  sweep.simulated = false;
  EXPECT_THAT(heat_svg(sweep), HasSubstr("nothing was measured"));
}

}  // namespace
}  // namespace aisp::lab
