#include "lab/report/results.hpp"
#include "lab/report/row_cells.hpp"

#include <gtest/gtest.h>

#include <map>

#include "tests/lab/record/sample_records.hpp"

namespace aisp::lab {
namespace {

// Cells of a row by the name of their column.
std::map<std::string, std::string> named(const Table& table, std::size_t row) {
  std::map<std::string, std::string> cells;
  EXPECT_EQ(table.rows.at(row).size(), table.columns.size());
  for (std::size_t i = 0; i < table.columns.size(); ++i)
    cells[table.columns[i].name] = table.rows.at(row).at(i);
  return cells;
}

TEST(FiguresTable, HasALineForEachNumberThatARungLeft) {
  RunFile run;
  run.header.plan = {{"fx:a/64", "fx:a", "", {64}, {"double"}}};
  RowRecord row{.entry = "fx:a/64", .rung = "double", .attempt = 1, .status = RowStatus::measured};
  EXPECT_TRUE(figures_table(run).rows.empty());
  row.figures = {{"p99", "us", 12.345678, 12, 13}, {"steps", "", 3, 3, 3}};
  run.rows = {row};
  const Table table = figures_table(run);
  ASSERT_EQ(table.rows.size(), 2u);
  EXPECT_EQ(table.rows[0],
            (std::vector<std::string>{"fx:a", "64", "double", "p99", "12.35", "12", "13", "us"}));
  EXPECT_EQ(table.rows[1][3], "steps");
}

TEST(Results, ShowWhatWasMeasured) {
  RunFile run = small_run("a", 4.0, 1.0);
  run.rows[1].roof = "memory";
  run.rows[1].roof_share = 0.925;
  run.checks[3].relative_norm = 2.5e-7;
  for (auto& row : run.rows) row.watts = 600;
  run.samples.back().throttle = {"power"};
  const auto cells = named(results_table(run), 1);
  EXPECT_EQ(cells.at("target"), "ch09:memory_bound");
  EXPECT_EQ(cells.at("size"), "1024");
  EXPECT_EQ(cells.at("rung"), "one_pass");
  EXPECT_EQ(cells.at("status"), "measured");
  EXPECT_EQ(cells.at("median"), "1.000 ms");
  EXPECT_EQ(cells.at("interval"), "±1.00 %");
  EXPECT_EQ(cells.at("samples"), "8");
  EXPECT_EQ(cells.at("speed-up"), "4.000x");
  EXPECT_EQ(cells.at("verdict"), "same");
  EXPECT_EQ(cells.at("GB/s"), "0.01");
  EXPECT_EQ(cells.at("TFLOP/s"), "0.0");
  EXPECT_EQ(cells.at("roof"), "memory");
  EXPECT_EQ(cells.at("% of roof"), "92.5 %");
  EXPECT_EQ(cells.at("check"), "2.5e-07") << "the worst of its checks";
  EXPECT_EQ(cells.at("clocks"), "1904 MHz, 600 W, power");
}

TEST(Results, RatesAreWorkPerSecondOfTheMedian) {
  RunFile run = small_run("a", 4.0, 1.0);
  run.attempts[0].bytes = 4e9;     // in 1 ms: 4000 GB/s
  run.attempts[0].flops = 5.5e10;  // in 1 ms: 55 TFLOP/s
  const auto cells = named(results_table(run), 1);
  EXPECT_EQ(cells.at("GB/s"), "4000");
  run.attempts[0].bytes = 2.25e6;
  EXPECT_EQ(named(results_table(run), 1).at("GB/s"), "2.25") << "a disk's digits are kept";
  EXPECT_EQ(cells.at("TFLOP/s"), "55.0");
  run.attempts[0].flops = 0;
  EXPECT_EQ(named(results_table(run), 1).at("TFLOP/s"), "");
}

TEST(Results, ASimulatedRunShowsCountsAndNoSpeed) {
  RunFile run = small_run("a", 4.0, 1.0);
  EXPECT_EQ(simulation_note(run), "");
  run.device->simulated = true;
  run.rows[1].counts = {{Count::launches, 3}, {Count::l2_bytes, 4096}, {Count::overlap, 42.4}};
  const Table table = results_table(run);
  const auto cells = named(table, 1);
  EXPECT_EQ(cells.at("status"), "simulated");
  EXPECT_EQ(cells.at("launches"), "3");
  EXPECT_EQ(cells.at("L2 bytes"), "4.096 kB");
  EXPECT_EQ(cells.at("overlap"), "42 %");
  EXPECT_EQ(cells.at("waits"), "") << "not counted";
  for (const char* column : {"speed-up", "verdict", "median", "GB/s", "TFLOP/s", "roof", "clocks"})
    EXPECT_FALSE(cells.contains(column)) << column;
  for (const auto& [column, cell] : cells)
    EXPECT_EQ(cell.find(" ms"), std::string::npos) << column << ": a time that was estimated";
  EXPECT_EQ(tally(run), "2 rows: 2 simulated");
  EXPECT_EQ(simulation_note(run), "simulated: " + run.device->name + ", " +
                                      std::to_string(run.device->multiprocessors) +
                                      " SMs; counts are shown, nothing was timed\n");
  for (const char* column : {"roof", "floor", "median", "% of roof"})
    EXPECT_FALSE(named(summaries_table(run), 1).contains(column)) << column;
  run.rows[1].figures = {
      {"p99", "us", 3, 3, 3}, {"rate", "TB/s", 3, 3, 3}, {"moved", "GB", 2, 2, 2}};
  ASSERT_EQ(figures_table(run).rows.size(), 1u) << "figures that are times or rates";
  EXPECT_EQ(named(figures_table(run), 0).at("figure"), "moved");
  EXPECT_EQ(status_word(RowStatus::wrong, true), "wrong");
  EXPECT_EQ(status_word(RowStatus::checked, true), "checked");
  EXPECT_EQ(status_word(RowStatus::measured, false), "measured");
}

TEST(Results, ARowWithoutTimesHasEmptyCells) {
  RunFile run = small_run("a");
  run.rows[1] = row_of(run.rows[1].entry, "one_pass", 2, RowStatus::failed, "illegal address");
  const auto cells = named(results_table(run), 1);
  EXPECT_EQ(cells.at("status"), "failed");
  for (const char* column : {"median", "interval", "samples", "speed-up", "verdict", "GB/s",
                             "TFLOP/s", "roof", "% of roof", "check", "clocks"})
    EXPECT_EQ(cells.at(column), "") << column;
}

TEST(Results, ShowTheLatestAttemptInTheOrderOfThePlan) {
  RunFile run = small_run("a");
  std::swap(run.rows[0], run.rows[1]);
  run.rows.push_back(row_of(run.rows[0].entry, "baseline", 2, RowStatus::wrong, "1 of 8 wrong"));
  const Table table = results_table(run);
  ASSERT_EQ(table.rows.size(), 2u);
  EXPECT_EQ(named(table, 0).at("rung"), "baseline");
  EXPECT_EQ(named(table, 0).at("status"), "wrong");
}

TEST(Results, PeersAreMarked) {
  RunFile run = small_run("a");
  run.rows[1].peer = true;
  EXPECT_EQ(named(results_table(run), 1).at("rung"), "one_pass (peer)");
}

TEST(Summaries, GiveWorkIntensityAndRoof) {
  RunFile run = small_run("a", 4.0, 1.0);
  run.rows[1].roof = "memory";
  run.rows[1].roof_ms = 0.5;
  run.rows[1].roof_share = 0.5;
  const auto cells = named(summaries_table(run), 1);
  EXPECT_EQ(cells.at("flops"), "1.000 Mflop");
  EXPECT_EQ(cells.at("bytes"), "8.192 kB");
  EXPECT_EQ(cells.at("flop/byte"), "122.07");
  EXPECT_EQ(cells.at("floor"), "500.00 us");
  EXPECT_EQ(cells.at("% of roof"), "50.0 %");
  EXPECT_EQ(named(summaries_table(run), 0).at("roof"), "unknown: aisp doctor --measure");
  run.rows[1].samples = 0;
  EXPECT_EQ(summaries_table(run).rows.size(), 1u) << "what was not timed has no summary";
}

TEST(Kernels, AreListedWithShapeAndMemory) {
  RunFile run = small_run("a");
  run.profiles.push_back({run.rows[0].entry,
                          "one_pass",
                          1,
                          {{"scale", {132, 2, 1}, {256, 1, 1}, 32, 16, 48, 8, 12.5}}});
  const auto cells = named(kernels_table(run), 0);
  EXPECT_EQ(cells.at("kernel"), "scale");
  EXPECT_EQ(cells.at("grid"), "132x2x1");
  EXPECT_EQ(cells.at("block"), "256x1x1");
  EXPECT_EQ(cells.at("registers"), "32");
  EXPECT_EQ(cells.at("shared"), "64 B");
  EXPECT_EQ(cells.at("local"), "8 B");
  EXPECT_EQ(cells.at("time"), "12.50 us");
}

TEST(Reasons, AreOneLinePerRowThatNeedsOne) {
  RunFile run = small_run("a");
  EXPECT_EQ(reasons(run), "");
  run.rows[0].note = "throttled in 3 of 50 samples";
  run.rows[1] = row_of(run.rows[1].entry, "one_pass", 1, RowStatus::failed, "illegal address");
  EXPECT_EQ(reasons(run),
            "ch09:memory_bound/1024 baseline: throttled in 3 of 50 samples\n"
            "ch09:memory_bound/1024 one_pass: failed: illegal address\n");
}

TEST(Tally, CountsTheStatuses) {
  RunFile run = small_run("a");
  EXPECT_EQ(tally(run), "2 rows: 2 measured");
  run.rows[1].status = RowStatus::wrong;
  EXPECT_EQ(tally(run), "2 rows: 1 measured, 1 wrong");
  run.rows.pop_back();
  EXPECT_EQ(tally(run), "1 row: 1 measured");
  EXPECT_EQ(tally(RunFile{}), "no rows") << "interrupted before the first";
}

TEST(Format, IsOneOfFour) {
  EXPECT_EQ(parse_format("table"), Format::table);
  EXPECT_EQ(parse_format("json"), Format::json);
  EXPECT_EQ(parse_format("markdown"), Format::markdown);
  EXPECT_EQ(parse_format("csv"), Format::csv);
  for (const char* bad : {"", "CSV", "xml", "table "})
    EXPECT_EQ(refusal_of([&] { parse_format(bad); }).exit(), base::Exit::usage) << bad;
}

TEST(Format, DecidesHowATableIsWritten) {
  const Table table = results_table(small_run("a"));
  EXPECT_EQ(render(table, Format::table), as_text(table));
  EXPECT_EQ(render(table, Format::markdown), as_markdown(table));
  EXPECT_EQ(render(table, Format::csv), as_csv(table));
  EXPECT_EQ(render(table, Format::json), as_json(table));
}

}  // namespace
}  // namespace aisp::lab
