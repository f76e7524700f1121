// Made-up sweeps: bounds and where they change, both tables, and the structure of the picture.
#include "lab/report/sweep.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>

#include "base/text.hpp"
#include "lab/report/sweep_scale.hpp"
#include "lab/report/sweep_svg.hpp"

namespace aisp::lab {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

Ceilings ceilings() { return {.copy_bytes_per_s = 1e12, .matrix_bf16 = 1e14}; }

// A target whose problem has S * D bytes and S * S * D operations: the ridge is at S = 100.
Target target() {
  Target made;
  made.chapter = "ch10";
  made.name = "made_up";
  made.axes = {"S", "D"};
  made.variants = {"bf16"};
  return made;
}

SweepPlan plan_over(const Target& target, const std::vector<std::string>& axes) {
  SweepPlan plan{.target = &target, .variant = "bf16", .axes = parse_axes(axes), .points = {}};
  for (const auto& values : product_of(plan.axes)) {
    SweepPoint point{.values = values, .size = {"bf16", values}, .refused = ""};
    const auto s = static_cast<double>(values[0]), d = static_cast<double>(values.back());
    point.bytes = s * d;
    point.flops = s * s * d;
    point.unit = Unit::matrix_bf16;
    if (values[0] == 13) point.refused = "13 is unlucky & <odd>";
    plan.points.push_back(point);
  }
  return plan;
}

// Every point takes S microseconds on the first rung and half of that on the second; an empty
// launch takes 10.
RunFile run_of(const SweepPlan& plan, bool simulated = false) {
  RunFile run;
  run.device = DeviceRecord{.hardware = simulated ? "h200-simulated" : "h200",
                            .name = simulated ? "NVIDIA H200 (simulated)" : "NVIDIA H200",
                            .simulated = simulated};
  const auto add = [&](const std::string& entry, const std::string& rung, double us) {
    run.rows.push_back({.entry = entry,
                        .rung = rung,
                        .attempt = 1,
                        .status = RowStatus::measured,
                        .samples = 20,
                        .median_ms = us * 1e-3,
                        .low_ms = us * 0.9e-3,
                        .high_ms = us * 1.1e-3,
                        .speedup = rung == "slow" ? 1.0 : 2.0});
    // Fewer bytes take longer by the estimate: a picture of times would show the opposite.
    if (simulated)
      run.rows.back().counts = {{Count::launches, 1},
                                {Count::l2_bytes, rung == "slow" ? 4e6 / us : 1e6 / us}};
  };
  if (!simulated) {
    run.header.plan.push_back({"roof:launch/1", "roof:launch", "", {1}, {"one_thread"}});
    add("roof:launch/1", "one_thread", 10);
  }
  for (const auto& point : plan.points) {
    if (!point.refused.empty()) continue;
    const auto entry = plan.entry_of(point);
    run.header.plan.push_back(
        {entry, plan.target->id(), "bf16", point.size.dims, {"slow", "fast"}});
    add(entry, "slow", static_cast<double>(point.values[0]));
    add(entry, "fast", static_cast<double>(point.values[0]) / 2);
  }
  return run;
}

SweepResult result(const std::vector<std::string>& axes, bool simulated = false,
                   std::optional<Count> shows_in = Count::l2_bytes) {
  Target made = target();
  made.shows_in = shows_in;
  if (!shows_in) made.shows_nowhere = "latency, which no count has";
  const auto plan = plan_over(made, axes);
  return sweep_result(plan, run_of(plan, simulated), ceilings());
}

std::vector<std::string> column(const Table& table, const std::string& name) {
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    if (table.columns[i].name != name) continue;
    std::vector<std::string> cells;
    for (const auto& row : table.rows) cells.push_back(row[i]);
    return cells;
  }
  ADD_FAILURE() << "no column " << name;
  return {};
}

TEST(SweepBound, IsTheLaunchUpToTwiceItsTimeThenTheRoof) {
  const auto memory = roof_of(1e9, 1e9, Unit::matrix_bf16, ceilings());
  const auto matrix = roof_of(1e12, 1e9, Unit::matrix_bf16, ceilings());
  EXPECT_EQ(bound_of(0.02, 0.01, matrix), "launch");
  EXPECT_EQ(bound_of(0.0201, 0.01, matrix), "bf16 matrix");
  EXPECT_EQ(bound_of(0.0201, 0.01, memory), "memory");
  EXPECT_EQ(bound_of(0.001, 0, memory), "memory") << "no launch was measured";
  EXPECT_EQ(bound_of(5, 0.01, std::nullopt), "") << "no roofs are known";
  EXPECT_EQ(bound_of(0.01, 0.01, std::nullopt), "launch");
}

TEST(SweepBound, ChangesAreMarkedAtTheFirstPointOfTheNewOne) {
  std::vector<SweepRow> rows(7);
  const char* bounds[] = {"", "launch", "launch", "memory", "", "memory", "launch"};
  std::vector<SweepRow*> pointers;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i].bound = bounds[i];
    pointers.push_back(&rows[i]);
  }
  mark_changes(pointers);
  std::vector<std::string> before;
  for (const auto& row : rows) before.push_back(row.bound_before);
  EXPECT_THAT(before, ElementsAre("", "", "", "launch", "", "", "memory"));
}

TEST(SweepResult, BoundsFollowFromMeasuredTimesAndTheRoof) {
  const auto sweep = result({"S=16,64,256"});
  EXPECT_DOUBLE_EQ(sweep.launch_ms, 0.01);
  EXPECT_THAT(column(sweep_table(sweep), "rung"),
              ElementsAre("slow", "slow", "slow", "fast", "fast", "fast"));
  EXPECT_THAT(column(sweep_table(sweep), "bound"),
              ElementsAre("launch", "memory", "bf16 matrix", "launch", "memory", "bf16 matrix"));
  EXPECT_THAT(
      column(sweep_table(sweep), "note"),
      ElementsAre("", "bound changes: launch -> memory", "bound changes: memory -> bf16 matrix", "",
                  "bound changes: launch -> memory", "bound changes: memory -> bf16 matrix"));
  EXPECT_THAT(sweep_notes(sweep), HasSubstr("launch up to 2 times an empty launch of 10.00 us"));
}

TEST(SweepResult, OnTheSimulatorOnlyIntensityCounts) {
  const auto sweep = result({"S=16,64,256"}, /*simulated=*/true);
  const auto table = sweep_table(sweep);
  EXPECT_EQ(sweep.launch_ms, 0);
  EXPECT_THAT(column(table, "status"), testing::Each("simulated"));
  EXPECT_THAT(column(table, "L2 bytes"),
              ElementsAre("250.0 kB", "62.50 kB", "15.62 kB", "125.0 kB", "31.25 kB", "7.812 kB"));
  for (const auto& each : table.columns) {
    EXPECT_NE(each.name, "median");
    EXPECT_NE(each.name, "speed-up");
  }
  for (const char* name : {"median_ms", "low_ms", "high_ms", "speedup", "gb_per_s"})
    EXPECT_THAT(column(sweep_numbers(sweep), name), testing::Each("")) << name;
  EXPECT_THAT(column(sweep_numbers(sweep), "L2 bytes"), testing::Contains("250000"));
  EXPECT_THAT(column(table, "bound"),
              ElementsAre("memory", "memory", "bf16 matrix", "memory", "memory", "bf16 matrix"));
  EXPECT_THAT(sweep_notes(sweep), HasSubstr("counts do not show it"));
  EXPECT_THAT(column(sweep_numbers(sweep), "simulated"), testing::Each("1"));
}

TEST(SweepResult, LinesAreGroupedByTheOtherAxesAndRefusedPointsAreRows) {
  const auto sweep = result({"S=8,13,256", "D=64,128"});
  const auto table = sweep_table(sweep);
  EXPECT_THAT(column(table, "S"),
              ElementsAre("8", "256", "8", "256", "13", "8", "256", "8", "256", "13"));
  EXPECT_THAT(column(table, "D"),
              ElementsAre("64", "64", "64", "64", "64", "128", "128", "128", "128", "128"));
  EXPECT_EQ(column(table, "rung")[4], "");
  EXPECT_EQ(column(table, "status")[4], "refused");
  EXPECT_EQ(column(table, "note")[4], "refused: 13 is unlucky & <odd>");
}

TEST(SweepResult, NotesOfRowsAreKeptAndImpossibleTimesAreNotDrawn) {
  const Target made = target();
  const auto plan = plan_over(made, {"S=16,64,256"});
  RunFile run = run_of(plan);
  for (auto& row : run.rows) {
    if (row.rung == "slow") row.note = "throttled in 3 of 20 samples";
    if (row.rung == "fast") row.status = RowStatus::refused, row.reason = "below the roof's floor";
  }
  const auto sweep = sweep_result(plan, run, ceilings());
  EXPECT_EQ(column(sweep_table(sweep), "note")[0], "throttled in 3 of 20 samples");
  EXPECT_EQ(column(sweep_table(sweep), "note")[1],
            "bound changes: launch -> memory; throttled in 3 of 20 samples");
  EXPECT_EQ(column(sweep_table(sweep), "note")[3], "below the roof's floor");
  EXPECT_EQ(column(sweep_table(sweep), "bound")[3], "");
  EXPECT_THAT(sweep_svg(sweep), Not(HasSubstr("fast")));
}

TEST(SweepResult, AnInterruptedRunShowsWhatThereIs) {
  const Target made = target();
  const auto plan = plan_over(made, {"S=16,64,256"});
  RunFile run = run_of(plan);
  run.rows.resize(2);  // the launch and one rung of the first point
  const auto sweep = sweep_result(plan, run, ceilings());
  EXPECT_THAT(column(sweep_table(sweep), "rung"), ElementsAre("slow"));
  run.rows.clear();
  run.device.reset();
  const auto nothing = sweep_result(plan, run, std::nullopt);
  EXPECT_TRUE(nothing.rows.empty());
  EXPECT_THAT(sweep_svg(nothing), HasSubstr("nothing was measured"));
  EXPECT_THAT(sweep_notes(nothing), HasSubstr("aisp doctor --measure"));
}

TEST(SweepNumbers, ArePlainAndComplete) {
  const auto sweep = result({"S=64,256", "D=1024"});
  const auto table = sweep_numbers(sweep);
  EXPECT_EQ(table.rows.size(), 4u);
  EXPECT_EQ(column(table, "median_ms")[0], "0.064");
  EXPECT_EQ(column(table, "low_ms")[0], "0.0576");
  EXPECT_EQ(column(table, "gb_per_s")[0], "1.024");        // 64 * 1024 bytes in 64 us
  EXPECT_EQ(column(table, "tflop_per_s")[0], "0.065536");  // 64 times as many operations
  EXPECT_EQ(column(table, "flop_per_byte")[0], "64");
  EXPECT_EQ(column(table, "launch_ms")[0], "0.01");
  EXPECT_EQ(column(table, "bound_before")[1], "memory");
  const auto text = as_csv(table);
  EXPECT_TRUE(text.starts_with("S,D,target,variant,size,rung,peer,status,samples,median_ms,"))
      << text;
  const auto columns = table.columns.size();
  for (const auto& line : base::split(text.substr(0, text.size() - 2), '\n'))
    EXPECT_EQ(base::split(line, ',').size(), columns) << line;
}

TEST(Datasheet, HasWhatTheSimulatorPretendsToBe) {
  for (const char* name : {"h200", "a100", "b200"}) {
    const auto rates = datasheet(name);
    ASSERT_TRUE(rates) << name;
    const double ridge = rates->matrix_bf16 / rates->copy_bytes_per_s;
    EXPECT_GT(ridge, 100) << name;
    EXPECT_LT(ridge, 400) << name;
  }
  EXPECT_EQ(datasheet("a100")->matrix_fp8, 0) << "it has no such unit";
  EXPECT_FALSE(datasheet("host"));
}

std::size_t count(const std::string& text, const std::string& pattern) {
  const std::regex expression(pattern);
  return static_cast<std::size_t>(
      std::distance(std::sregex_iterator(text.begin(), text.end(), expression), {}));
}

// A parser that somebody else wrote, where there is one.
bool well_formed(const std::string& text) {
  const auto file =
      std::filesystem::temp_directory_path() / ("sweep_" + std::to_string(::getpid()) + ".svg");
  std::ofstream(file) << text;
  const std::string command =
      "python3 -c 'import sys, xml.dom.minidom as x; x.parse(sys.argv[1])' " + file.string() +
      " 2> /dev/null";
  const bool good = std::system(command.c_str()) == 0;
  std::filesystem::remove(file);
  return good;
}

TEST(SweepSvg, IsXmlWhateverTheNames) {
  auto sweep = result({"S=8,13,256", "D=64,128"});
  sweep.target = "a<b>&\"c\"";
  sweep.rows[0].rung = sweep.rows[1].rung = "x & <y>";
  EXPECT_TRUE(well_formed(sweep_svg(sweep)));
  EXPECT_TRUE(well_formed(sweep_svg(result({"S=64"}, true))));
  EXPECT_FALSE(well_formed("<svg><text>a & b</text></svg>"))
      << "the check itself must be able to fail";
}

TEST(SweepSvg, HasALinePerRungAndValueInBothPanels) {
  const auto text = sweep_svg(result({"S=16:1024:x4", "D=64,128"}));
  EXPECT_EQ(count(text, "<polyline"), 2u * 4u);
  EXPECT_EQ(count(text, "<circle"), 2u * 16u);
  for (const char* name : {"slow D=64", "fast D=64", "slow D=128", "fast D=128"})
    EXPECT_EQ(count(text, ">" + std::string(name) + "</text>"), 1u) << name;
  for (const char* tick : {"16", "64", "256", "1024"})
    EXPECT_EQ(count(text, ">" + std::string(tick) + "</text>"), 2u) << tick;
  EXPECT_THAT(text, HasSubstr("S (log scale)"));
  EXPECT_THAT(text, HasSubstr("TFLOP/s"));
  EXPECT_THAT(text, HasSubstr("role=\"img\" aria-labelledby=\"title description\""));
  EXPECT_THAT(text, HasSubstr("slow D=64: 16.00 us to 1.024 ms, bound memory from S=64 on, bound "
                              "bf16 matrix from S=256 on."));
  EXPECT_THAT(sweep_svg(result({"S=16:64:+16"})), Not(HasSubstr("log scale")));
}

TEST(SweepSvg, MarksEveryChangeOfTheBound) {
  const auto text = sweep_svg(result({"S=16,64,256"}));
  EXPECT_EQ(count(text, "class=\"change\""), 2u * 2u * 2u);  // panels, rungs, changes
  EXPECT_GE(count(text, ">launch \u2192 memory</text>"), 2u);
  EXPECT_GE(count(text, ">memory \u2192 bf16 matrix</text>"), 2u);
}

TEST(SweepSvg, SaysThatItIsSimulated) {
  const auto text = sweep_svg(result({"S=16,64,256"}, true));
  EXPECT_THAT(text, HasSubstr("simulated: counts, not times"));
  EXPECT_THAT(text, HasSubstr(">L2 bytes</text>"));
  EXPECT_THAT(text, HasSubstr("slow S=16: 250.0 kB"));
  EXPECT_THAT(text, Not(HasSubstr("TFLOP/s")));
  EXPECT_THAT(text, Not(HasSubstr(" us"))) << "an estimated time is not drawn";
  EXPECT_EQ(count(text, "<polyline"), 2u) << "one panel";
}

TEST(SweepSvg, DrawsNothingWhereNoCountShowsIt) {
  const auto text = sweep_svg(result({"S=16,64,256"}, true, std::nullopt));
  EXPECT_THAT(text, HasSubstr("no count shows it: latency, which no count has"));
  EXPECT_EQ(count(text, "<polyline"), 0u);
}

TEST(SweepScale, IsLogarithmicOrNot) {
  const Scale doubling(1, 16, 0, 400, true), even(0, 10, 100, 200, false), point(5, 5, 0, 10, true);
  EXPECT_DOUBLE_EQ(doubling.at(4), 200);
  EXPECT_DOUBLE_EQ(even.at(5), 150);
  EXPECT_DOUBLE_EQ(point.at(5), 5);
  EXPECT_THAT(log_ticks(0.5, 200), ElementsAre(1, 10, 100));
  EXPECT_THAT(log_ticks(1.5, 12), ElementsAre(2, 5, 10));
  EXPECT_THAT(labelled({1, 2, 3, 4, 5}, 2), ElementsAre(1, 4));
  EXPECT_THAT(labelled({1, 2, 3}, 16), ElementsAre(1, 2, 3));
  EXPECT_EQ(short_duration(0.02), "20 us");
  EXPECT_EQ(short_duration(1500), "1.5 s");
  EXPECT_EQ(short_duration(0.0005), "500 ns");
}

}  // namespace
}  // namespace aisp::lab
