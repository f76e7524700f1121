#include "lab/report/overlap.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/lab/record/sample_records.hpp"

namespace aisp::lab {
namespace {

OverlapRecord overlap() {
  return {.device = 0,
          .window_us = 200,
          .engines = {{"compute", 150, 3}, {"to host", 80, 2}},
          .overlapped_us = 50,
          .engines_overlapped_us = 30,
          .most_at_once = 2,
          .idle_us = 20,
          .gaps = 2,
          .longest_gap_us = 15,
          .ended_by = "scale on math",
          .waited_for = "the host"};
}

RunFile traced_run() {
  RunFile run = small_run("a");
  const std::string entry = run.rows[0].entry;
  run.traces = {{.entry = entry,
                 .rung = "baseline",
                 .attempt = 1,
                 .file = "traces/a.json",
                 .devices = {overlap()}},
                {.entry = entry, .rung = "one_pass", .attempt = 1, .problem = "no CUPTI"}};
  return run;
}

std::string cell(const Table& table, std::size_t row, const std::string& name) {
  for (std::size_t i = 0; i < table.columns.size(); ++i)
    if (table.columns[i].name == name) return table.rows.at(row).at(i);
  return "no column " + name;
}

TEST(OverlapTable, HasTimesWithTheirShareOfTheWindow) {
  const Table table = overlap_table(traced_run());
  ASSERT_EQ(table.rows.size(), 1u) << "a trace that was not taken has no row";
  EXPECT_EQ(cell(table, 0, "window"), "200.00 us");
  EXPECT_EQ(cell(table, 0, "compute"), "150.00 us, 75 %");
  EXPECT_EQ(cell(table, 0, "to host"), "80.00 us, 40 %");
  EXPECT_EQ(cell(table, 0, "to device"), "no column to device") << "nothing was on it";
  EXPECT_EQ(cell(table, 0, "device"), "no column device") << "there is one only";
  EXPECT_EQ(cell(table, 0, "overlapped"), "50.00 us, 25 %");
  EXPECT_EQ(cell(table, 0, "on two engines"), "30.00 us, 15 %");
  EXPECT_EQ(cell(table, 0, "idle"), "20.00 us, 10 %");
  EXPECT_EQ(cell(table, 0, "longest gap"), "15.00 us");
  EXPECT_EQ(cell(table, 0, "before"), "scale on math");
  EXPECT_EQ(cell(table, 0, "it waited for"), "the host");
}

TEST(OverlapTable, HasARowForEachDevice) {
  RunFile run = traced_run();
  run.traces[0].devices.push_back(overlap());
  run.traces[0].devices[1].device = 1;
  run.traces[0].devices[1].gaps = 0;
  const Table table = overlap_table(run);
  ASSERT_EQ(table.rows.size(), 2u);
  EXPECT_EQ(cell(table, 1, "device"), "1");
  EXPECT_EQ(cell(table, 1, "longest gap"), "");
}

TEST(OverlapTable, TakesTheLastAttempt) {
  RunFile run = traced_run();
  run.traces.push_back(run.traces[0]);
  run.traces.back().attempt = 2;
  run.traces.back().devices[0].most_at_once = 7;
  const Table table = overlap_table(run);
  ASSERT_EQ(table.rows.size(), 1u);
  EXPECT_EQ(cell(table, 0, "at once"), "7");
}

TEST(OverlapTable, OfASimulatedScheduleHasSharesAndNoTimes) {
  RunFile run = traced_run();
  for (auto& trace : run.traces) trace.simulated = true;
  const Table table = overlap_table(run);
  for (const auto& column : table.columns) EXPECT_NE(column.name, "window");
  for (const auto& name : {"overlapped", "idle", "longest gap"})
    EXPECT_TRUE(cell(table, 0, name).ends_with(" %")) << name;
  for (const auto& text : table.rows[0]) EXPECT_EQ(text.find(" us"), std::string::npos) << text;
}

TEST(OverlapTable, OfARunWithoutTracesIsEmpty) {
  EXPECT_TRUE(overlap_table(small_run("a")).rows.empty());
  EXPECT_EQ(trace_notes(small_run("a"), "runs/a", false), "");
}

// docs/cli.md explains them.
TEST(OverlapTable, EveryColumnIsExplained) {
  RunFile run = traced_run();
  OverlapRecord& all = run.traces[0].devices[0];
  for (const char* name : {"to device", "device copy", "fill", "peer", "host function"})
    all.engines.push_back({name, 1, 1});
  run.traces[0].devices.push_back(all);
  const std::string page = text_of(std::filesystem::path(AISP_SOURCE_DIR) / "docs/cli.md");
  const auto begin = page.find("### Columns of --trace");
  const std::string part = page.substr(begin, page.find("\n## ", begin) - begin);
  for (const auto& column : overlap_table(run).columns)
    EXPECT_NE(part.find("`" + column.name + "`"), std::string::npos) << column.name;
}

TEST(TraceNotes, SayWhereTracesAreAndWhyNot) {
  RunFile run = traced_run();
  EXPECT_EQ(trace_notes(run, "runs/a", false), "trace: runs/a/traces/a.json\n" + run.rows[0].entry +
                                                   " one_pass: no trace: no CUPTI\n");
  run.traces[0].simulated = true;
  EXPECT_TRUE(
      trace_notes(run, "runs/a", false)
          .ends_with(
              "traces: simulated schedule; lengths are estimated from instruction counts\n"));
}

TEST(TraceNotes, CountWhatIsTooMuchToList) {
  RunFile run = traced_run();
  const TraceRecord traced = run.traces[0], untraced = run.traces[1];
  for (int i = 0; i < 4; ++i) {
    run.traces.push_back(traced);
    run.traces.back().rung = "more" + std::to_string(i);
    run.traces.push_back(untraced);
    run.traces.back().rung = "none" + std::to_string(i);
  }
  EXPECT_EQ(trace_notes(run, "runs/a", false),
            "traces: 5 files, one for each rung, in runs/a/traces; --verbose lists them\n"
            "5 rungs have no trace: no CUPTI; --verbose lists them\n");
  const std::string all = trace_notes(run, "runs/a", true);
  EXPECT_EQ(std::count(all.begin(), all.end(), '\n'), 10) << all;
}

}  // namespace
}  // namespace aisp::lab
