// Ladders out of made-up expectations: order, rates, ratios, and the structure of the picture.
#include "lab/report/ladder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>

#include "base/refuse.hpp"
#include "lab/report/ladder_svg.hpp"

namespace aisp::lab {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Target target(Unit unit = Unit::matrix_bf16) {
  Target made;
  made.chapter = "ch10";
  made.name = "made_up";
  made.problem = [unit](const Size& size) {
    Problem problem;
    problem.size = size;
    problem.flops = 4e12;
    problem.bytes = 8e9;
    problem.unit = unit;
    return problem;
  };
  return made;
}

std::vector<Rung> rungs() {
  return {{.name = "first", .step = 0, .idea = "one thing"},
          {.name = "second", .step = 1, .idea = "a < b & \"more\""},
          {.name = "untimed", .step = 2, .idea = "not in the file"},
          {.name = "third", .step = 3, .idea = "another"},
          {.name = "peer_a", .idea = "theirs", .peer = true},
          {.name = "peer_b", .idea = "theirs too", .peer = true}};
}

ExpectedTime time_of(double ms) {
  return {.median_ms = ms, .low_ms = 0.9 * ms, .high_ms = 1.25 * ms, .samples = 20};
}

Expectations expectations() {
  Expectations made;
  made.hardware = "h200";
  made.chapter = "ch10";
  made.entries["ch10:made_up/bf16 64x64"] = {{"third", time_of(5)},
                                             {"first", time_of(40)},
                                             {"second", time_of(10)},
                                             {"peer_a", time_of(8)},
                                             {"peer_b", time_of(6)}};
  made.entries["ch10:made_up/bf16 32x32"] = {{"first", time_of(4)}, {"peer_a", time_of(2)}};
  made.entries["ch10:made_up/bf16 16x16"] = {{"first", time_of(4)}};
  return made;
}

Ladder ladder(std::vector<std::int64_t> dims, Unit unit = Unit::matrix_bf16) {
  return ladder_of(expectations(), target(unit), rungs(), {"bf16", std::move(dims)});
}

std::size_t count(const std::string& text, const std::string& pattern) {
  const std::regex expression(pattern);
  return static_cast<std::size_t>(
      std::distance(std::sregex_iterator(text.begin(), text.end(), expression), {}));
}

TEST(Ladder, FollowsTheOrderOfTheRungsAndLeavesOutWhatHasNoTime) {
  std::vector<std::string> names;
  for (const auto& bar : ladder({64, 64}).bars) names.push_back(bar.name);
  EXPECT_THAT(names, ElementsAre("first", "second", "third", "peer_a", "peer_b"));
  EXPECT_TRUE(ladder({8, 8}).bars.empty());
}

TEST(Ladder, RatesAreWorkPerSecond) {
  const Ladder made = ladder({64, 64});
  EXPECT_EQ(made.unit, "TFLOP/s");
  EXPECT_DOUBLE_EQ(made.bars[0].rate, 100.0);  // 4e12 in 40 ms
  EXPECT_DOUBLE_EQ(made.bars[0].low, 80.0);
  EXPECT_NEAR(made.bars[0].high, 111.1, 0.1);
  const Ladder memory = ladder({64, 64}, Unit::none);
  EXPECT_EQ(memory.unit, "GB/s");
  EXPECT_DOUBLE_EQ(memory.bars[0].rate, 200.0);  // 8e9 in 40 ms
}

TEST(LadderTable, SpeedsUpOverTheFirstAndAgainstTheFastestPeer) {
  const Table table = ladder_table(ladder({64, 64}));
  EXPECT_EQ(table.columns.back().name, "of peer_b");
  ASSERT_EQ(table.rows.size(), 5u);
  EXPECT_THAT(table.rows[2],
              ElementsAre("third", "another", "5.000 ms", "8.00x", "800.0", "120.0 %"));
  EXPECT_EQ(table.rows[3][0], "peer_a (peer)");
  EXPECT_EQ(ladder_table(ladder({16, 16})).columns.size(), 5u) << "no peer, no column for it";
}

TEST(AgainstPeers, ComparesTheLastRungAndTakesTheGeometricMean) {
  const Table table = against_peers({ladder({64, 64}), ladder({32, 32}), ladder({16, 16})});
  ASSERT_EQ(table.rows.size(), 3u) << "a size without peer has no ratio";
  EXPECT_THAT(table.rows[0],
              ElementsAre("bf16 64x64", "third", "5.000 ms", "peer_b", "6.000 ms", "1.200"));
  EXPECT_EQ(table.rows[1].back(), "0.500");
  EXPECT_EQ(table.rows[2].front(), "geometric mean");
  EXPECT_EQ(table.rows[2].back(), "0.775");  // sqrt(1.2 * 0.5)
  EXPECT_TRUE(against_peers({ladder({16, 16})}).rows.empty());
}

TEST(LadderSvg, HasABarPerRungAndALinePerPeer) {
  const std::string svg = ladder_svg(ladder({64, 64}));
  EXPECT_TRUE(svg.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\""));
  EXPECT_TRUE(svg.ends_with("</svg>\n"));
  EXPECT_EQ(count(svg, "<rect "), 3u);
  EXPECT_EQ(count(svg, "class=\"peer\""), 2u);
  EXPECT_EQ(count(svg, "class=\"interval\""), 3u);
  EXPECT_EQ(count(svg, "class=\"bar last\""), 1u);
  EXPECT_EQ(count(svg, "class=\"(inside|beside)\""), 3u);
  EXPECT_THAT(svg, HasSubstr("ch10:made_up bf16 64x64 on h200"));
  EXPECT_THAT(svg, HasSubstr(">peer_b 667<"));
  EXPECT_THAT(svg, HasSubstr(">TFLOP/s<"));
  EXPECT_THAT(svg, HasSubstr("prefers-color-scheme: dark"));
}

TEST(LadderSvg, EveryTagIsClosedAndTextEscaped) {
  const std::string svg = ladder_svg(ladder({64, 64}));
  EXPECT_THAT(svg, HasSubstr("a &lt; b &amp; &quot;more&quot;"));
  for (const std::string tag : {"svg", "text", "title", "rect", "style"})
    EXPECT_EQ(count(svg, "<" + tag + "[ >]"), count(svg, "</" + tag + ">")) << tag;
  EXPECT_EQ(count(svg, "<line "), count(svg, "<line [^>]*/>"));
}

// A bar is as long as its rate: the second is four times the first.
TEST(LadderSvg, LengthsAreProportionalAndInsideThePicture) {
  const std::string svg = ladder_svg(ladder({64, 64}));
  const std::regex rectangle("<rect x=\"([0-9.]+)\" y=\"[0-9.]+\" width=\"([0-9.]+)\"");
  std::vector<double> widths;
  for (std::sregex_iterator it(svg.begin(), svg.end(), rectangle), none; it != none; ++it) {
    widths.push_back(std::stod((*it)[2]));
    EXPECT_LT(std::stod((*it)[1]) + widths.back(), 860);
  }
  ASSERT_EQ(widths.size(), 3u);
  EXPECT_NEAR(widths[1], 4 * widths[0], 0.5);
  EXPECT_NEAR(widths[2], 8 * widths[0], 0.5);
}

TEST(LadderSvg, WithoutTimesIsRefused) {
  try {
    ladder_svg(ladder({8, 8}));
    FAIL() << "drew nothing";
  } catch (const base::Refusal& refusal) {
    EXPECT_EQ(refusal.exit(), base::Exit::usage);
    EXPECT_THAT(refusal.what(), HasSubstr("no times of ch10:made_up"));
  }
}

TEST(TickStep, IsARoundNumberWithFewTicks) {
  for (double most = 0.013; most < 1e7; most *= 1.7) {
    const double ticks = most / tick_step(most);
    EXPECT_GE(ticks, 4.0) << most;
    EXPECT_LE(ticks, 10.0 + 1e-9) << most;
  }
  EXPECT_DOUBLE_EQ(tick_step(800), 100);
  EXPECT_DOUBLE_EQ(tick_step(1500), 200);
}

}  // namespace
}  // namespace aisp::lab
