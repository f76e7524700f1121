// What a simulated run shows in place of times: the count in which the idea appears.
#include "lab/report/counts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lab/case/registry.hpp"
#include "lab/report/ci/ci.hpp"
#include "lab/report/count_changes.hpp"
#include "lab/report/page/document.hpp"
#include "lab/report/results.hpp"
#include "tests/lab/record/sample_records.hpp"

namespace aisp::lab {
namespace {

using testing::HasSubstr;
using testing::Not;

Target named(const std::string& name) {
  Target target;
  target.chapter = "ch09";
  target.name = name;
  target.axes = {"N"};
  target.variants = {""};
  target.full = target.quick = {{"", {1024}}};
  target.problem = [](const Size& size) { return Problem{.size = size}; };
  return target;
}

Target bytes_target() {
  Target target = named("shown_in_bytes");
  target.shows_in = Count::l2_bytes;
  return target;
}

Target overlap_target() {
  Target target = named("shown_in_overlap");
  target.shows_in = Count::overlap;
  return target;
}

Target hidden_target() {
  Target target = named("shown_nowhere");
  target.shows_nowhere = "latency, which no count has";
  return target;
}

const TargetEntry targets[]{TargetEntry(bytes_target()), TargetEntry(overlap_target()),
                            TargetEntry(hidden_target())};
Rung rung(const std::string& name, int step) {
  return {.name = name,
          .step = step,
          .builds_on = step > 0 ? "baseline" : "",
          .idea = "made up",
          .look_at = "nowhere",
          .prepare = [](Setup&) { return Run([](const Launch&) {}); }};
}

const RungEntry rungs[]{
    {"ch09:shown_in_bytes", rung("baseline", 0)},   {"ch09:shown_in_bytes", rung("one_pass", 1)},
    {"ch09:shown_in_overlap", rung("baseline", 0)}, {"ch09:shown_in_overlap", rung("one_pass", 1)},
    {"ch09:shown_nowhere", rung("baseline", 0)},    {"ch09:shown_nowhere", rung("one_pass", 1)}};

// The estimated time of the second rung is the larger one, whatever it counts: 0.25x.
RunFile counted_run(const std::string& target, Count count, double first, double second) {
  RunFile run = small_run("a", 1.0, 4.0);
  run.device->simulated = true;
  run.device->hardware = "h200-simulated";
  run.header.plan[0].target = target;
  run.rows[0].counts = {{count, first}};
  run.rows[1].counts = {{count, second}};
  return run;
}

TEST(ShownIdea, IsTheCountFromTheBaselineToTheRung) {
  const RunFile run = counted_run("ch09:shown_in_bytes", Count::l2_bytes, 4e6, 1e6);
  EXPECT_EQ(shown_idea(run, run.rows[0]), "L2 bytes 4.000 MB");
  EXPECT_EQ(shown_idea(run, run.rows[1]), "L2 bytes 4.000 MB -> 1.000 MB");
  EXPECT_TRUE(idea_of(run, run.rows[1])->is_shown());
}

TEST(ShownIdea, OfOverlapMoreIsBetter) {
  RunFile run = counted_run("ch09:shown_in_overlap", Count::overlap, 0, 75);
  EXPECT_EQ(shown_idea(run, run.rows[1]), "overlap 0 % -> 75 %");
  run = counted_run("ch09:shown_in_overlap", Count::overlap, 75, 40);
  EXPECT_EQ(shown_idea(run, run.rows[1]), "no count shows it (overlap 75 % -> 40 %)");
}

TEST(ShownIdea, IsNoneWhereTheCountDoesNotImprove) {
  for (const double second : {4e6, 5e6}) {
    const RunFile run = counted_run("ch09:shown_in_bytes", Count::l2_bytes, 4e6, second);
    EXPECT_THAT(shown_idea(run, run.rows[1]), HasSubstr("no count shows it (L2 bytes 4.000 MB"));
    EXPECT_FALSE(idea_of(run, run.rows[1])->is_shown());
  }
}

TEST(ShownIdea, IsNoneWhereTheTargetHasNoCountForIt) {
  RunFile run = counted_run("ch09:shown_nowhere", Count::l2_bytes, 4e6, 1e6);
  EXPECT_EQ(shown_idea(run, run.rows[1]), "no count shows it");
  EXPECT_THAT(uncounted_notes(run), HasSubstr("latency, which no count has"));
  run.rows[1].counts.clear();
  EXPECT_EQ(shown_idea(run, run.rows[1]), "") << "a row that did not run";
  run.header.plan[0].target = "ch09:of_another_build";
  EXPECT_EQ(shown_idea(run, run.rows[0]), "");
}

TEST(CountedComparison, JudgesCountsAndNoTimes) {
  const RunFile a = counted_run("ch09:shown_in_bytes", Count::l2_bytes, 4e6, 1e6);
  RunFile b = counted_run("ch09:shown_in_bytes", Count::l2_bytes, 4e6, 2e6);
  b.rows[0].median_ms *= 9;
  CountComparison compared = compare_counted(a, b);
  EXPECT_EQ(compared.rungs, 2);
  EXPECT_EQ(compared.worse, 1);
  ASSERT_EQ(compared.changes.size(), 1u) << "an equal count is no change";
  EXPECT_EQ(compared.changes[0].verdict(), "worse");
  EXPECT_EQ(changes_table(compared).rows[0][5], "+100.0 %");
  EXPECT_EQ(compare_counted(b, a).changes[0].verdict(), "better");
  // A warp that polls: half a per cent of its instructions is noise, half a per cent of bytes is
  // not.
  const auto grown = [](Count count) {
    return compare_counted(counted_run("ch09:x", count, 1000, 1000),
                           counted_run("ch09:x", count, 1005, 1005))
        .worse;
  };
  EXPECT_EQ(grown(Count::instructions), 0);
  EXPECT_EQ(grown(Count::l2_bytes), 2);
  EXPECT_EQ(grown(Count::waits), 0);
}

TEST(SimulatedSummary, HasTheIdeaAndNoTime) {
  const RunFile a = counted_run("ch09:shown_in_bytes", Count::l2_bytes, 4e6, 1e6);
  const RunFile b = counted_run("ch09:shown_in_bytes", Count::l2_bytes, 4e6, 2e6);
  const std::string text = markdown_summary({&a, &b}, {});
  EXPECT_THAT(text, HasSubstr("L2 bytes 4.000 MB -> 1.000 MB"));
  EXPECT_THAT(text, HasSubstr("| 1.000 MB | 2.000 MB | +100.0 % | worse |"));
  const std::string junit = junit_report(a, {});
  EXPECT_THAT(junit, HasSubstr("simulated: L2 bytes 4.000 MB -&gt; 1.000 MB</system-out>"));
  EXPECT_THAT(junit, HasSubstr("time=\"0.000000000\"><system-out>"));
  for (const auto& each : {text, junit}) EXPECT_THAT(each, Not(HasSubstr("4.000 ms")));
}

TEST(SimulatedPage, HasNoTimeNoSampleAndNoSpeedUp) {
  PageInput input;
  RunFile run = counted_run("ch09:shown_in_bytes", Count::l2_bytes, 4e6, 1e6);
  run.rows[1].speedup = 0.25;  // as an older aisp wrote it
  run.rows[1].verdict = Verdict::slower;
  input.runs.push_back({run, "a"});
  const auto document = page_document(input);
  for (const auto& row : document["rows"]) {
    for (const char* name : {"median", "low", "samples", "speedup", "verdict", "cells"})
      EXPECT_FALSE(row.contains(name)) << name;
    EXPECT_EQ(row["check"], "1.0e-08");
  }
  EXPECT_EQ(document["rows"][1]["idea"], "L2 bytes 4.000 MB -> 1.000 MB");
  EXPECT_EQ(document["rows"][1]["counts"][0][2], "1.000 MB");
  EXPECT_EQ(document["entries"][0]["shows"]["count"], "L2 bytes");
}

TEST(MeasuredPage, HasTheCellsOfTheTable) {
  PageInput input;
  input.runs.push_back({small_run("a", 4, 1, 0.1, 8), "a"});
  const auto document = page_document(input);
  const Table table = results_table(input.runs[0].run);
  for (std::size_t row = 0; row < table.rows.size(); ++row)
    for (std::size_t i = 0; i < document["columns"].size(); ++i) {
      EXPECT_EQ(document["columns"][i], table.columns[i].name);
      EXPECT_EQ(document["rows"][row]["cells"][i], table.rows[row][i]);
    }
}

TEST(MeasuredPage, CommandKeepsTheVariant) {
  PageInput input;
  input.runs.push_back({small_run("a"), "a"});
  input.runs[0].run.header.plan[0].variant = "bf16";
  EXPECT_THAT(page_document(input)["entries"][0]["command"].get<std::string>(),
              HasSubstr("--targets ch09:memory_bound --variant bf16 --sizes 1024"));
}

}  // namespace
}  // namespace aisp::lab
