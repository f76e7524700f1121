// What a run prints: tables that programs can read, one last line for people, nothing else.
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "lab/record/schema.hpp"
#include "lab/report/results.hpp"
#include "tests/lab/cli/program.hpp"

namespace aisp::lab {
namespace {

class Formats : public FixtureTest {
 protected:
  Outcome run_as(const std::string& format, const Words& more = {}) {
    return run(bench("fx:good,fx:wrong") + briefly + Words{"--format", format} + more);
  }
};

// Cells of one CSV line; the fixtures' rows need no quotes.
std::vector<std::string> cells_of(std::string line) {
  EXPECT_TRUE(line.ends_with("\r")) << line;
  line.pop_back();
  return base::split(line, ',');
}

TEST_F(Formats, TableEndsWithVerdictAndFolder) {
  const auto outcome = run(bench("fx:good") + briefly);
  EXPECT_EQ(outcome.exit, 0);
  EXPECT_EQ(outcome.err, "") << "no progress where nobody looks";
  EXPECT_EQ(outcome.last_line(),
            "good: 2 rows: 2 measured; runs/" + run_folder().filename().string());
  const auto lines = lines_of(outcome.out);
  ASSERT_EQ(lines.size(), 4u) << outcome.out;
  for (const auto& column : results_table({}).columns)
    EXPECT_NE(lines[0].find(column.name), std::string::npos) << column.name;
  EXPECT_TRUE(lines[1].starts_with("fx:good  64    double  measured")) << lines[1];
}

TEST_F(Formats, HaveNoEscapesInAPipe) {
  for (const char* colours : {"", "1"}) {
    const auto outcome =
        run(bench("fx:good,fx:crash") + briefly, [&] { setenv("NO_COLOR", colours, 1); });
    EXPECT_EQ((outcome.out + outcome.err).find('\033'), std::string::npos);
    EXPECT_EQ((outcome.out + outcome.err).find('\r'), std::string::npos);
  }
}

TEST_F(Formats, CsvHoldsOnlyTheTable) {
  const auto outcome = run_as("csv");
  EXPECT_EQ(outcome.exit, 3);
  const auto lines = lines_of(outcome.out);
  ASSERT_EQ(lines.size(), 1u + 4u) << outcome.out;
  const auto columns = results_table({}).columns;
  const auto header = cells_of(lines[0]);
  ASSERT_EQ(header.size(), columns.size());
  for (std::size_t i = 0; i < header.size(); ++i) EXPECT_EQ(header[i], columns[i].name);
  for (std::size_t i = 1; i < lines.size(); ++i)
    EXPECT_EQ(cells_of(lines[i]).size(), columns.size()) << lines[i];
  EXPECT_EQ(cells_of(lines[4])[2], "off_by_one");
  EXPECT_EQ(cells_of(lines[4])[3], "wrong");
  const auto notes = lines_of(outcome.err);
  ASSERT_EQ(notes.size(), 2u) << outcome.err;
  EXPECT_TRUE(notes[0].starts_with("fx:wrong/64 off_by_one: wrong: ")) << notes[0];
  EXPECT_TRUE(notes[1].starts_with("wrong: 4 rows: 3 measured, 1 wrong; runs/")) << notes[1];
}

TEST_F(Formats, JsonIsTheRunDocument) {
  const auto outcome = run_as("json", {"--summaries"});
  EXPECT_EQ(outcome.exit, 3);
  const auto document = nlohmann::json::parse(outcome.out);
  const auto schema =
      text_of(std::filesystem::path(AISP_SOURCE_DIR) / "lab/record/run.schema.json");
  EXPECT_EQ(schema_violations(schema, document), std::vector<std::string>{});
  EXPECT_EQ(document, nlohmann::json::parse(text_of(run_folder() / "run.json")));
  const RunFile printed = run_from_document(document);
  EXPECT_EQ(printed.header, recorded().header);
  EXPECT_EQ(latest_rows(printed), latest_rows(recorded()));
}

TEST_F(Formats, MarkdownIsATableOfItsOwn) {
  const auto outcome = run_as("markdown");
  const auto lines = lines_of(outcome.out);
  ASSERT_EQ(lines.size(), 2u + 4u) << outcome.out;
  const auto columns = results_table({}).columns.size();
  for (const auto& line : lines)
    EXPECT_EQ(std::count(line.begin(), line.end(), '|'), static_cast<long>(columns) + 1) << line;
}

TEST_F(Formats, SummariesAreASecondTable) {
  const auto outcome = run(bench("fx:good") + briefly + Words{"--summaries"});
  EXPECT_EQ(outcome.exit, 0);
  EXPECT_NE(outcome.out.find("flop/byte"), std::string::npos);
  EXPECT_NE(outcome.out.find("64.00 flop"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("512.0 B"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("unknown: aisp doctor --measure"), std::string::npos);
}

TEST_F(Formats, ValidateChecksAndTimesNothing) {
  const auto outcome = run(bench("fx:good") + Words{"--quick", "--validate"});
  EXPECT_EQ(outcome.exit, 0);
  EXPECT_TRUE(outcome.last_line().starts_with("good: 2 rows: 2 checked; ")) << outcome.out;
  EXPECT_EQ(outcome.out.find("speed-up"), std::string::npos) << "an empty column: " << outcome.out;
  const RunFile run = recorded();
  EXPECT_TRUE(run.samples.empty());
  ASSERT_EQ(run.checks.size(), 4u)
      << "of each rung two, on the first and on the last set of buffers";
  EXPECT_EQ(run.checks.front().set, 0);
  EXPECT_GT(run.checks.back().set, 0);
}

TEST_F(Formats, TheSeedAloneDecidesTheInputs) {
  const auto norms = [&](const std::string& seed) {
    EXPECT_EQ(run(bench("fx:wrong") + briefly + Words{"--validate", "--seed", seed}).exit, 3);
    const RowRecord row = row_in(recorded(), "fx:wrong/64", "off_by_one");
    std::filesystem::remove_all(runs());
    return row.reason;
  };
  const std::string first = norms("1");
  EXPECT_EQ(norms("1"), first);
  EXPECT_NE(norms("2"), first);
}

TEST_F(Formats, RungsAndSizesChooseWhatRuns) {
  const auto outcome =
      run(bench("good") + Words{"--rungs", "add", "--sizes", "64,128", "--l2", "rotate", "--timer",
                                "graph", "--iterations", "5"});
  EXPECT_EQ(outcome.exit, 0) << outcome.err;
  const RunFile run = recorded();
  ASSERT_EQ(run.header.plan.size(), 2u);
  EXPECT_EQ(run.header.plan[0].entry, "fx:good/64");
  EXPECT_EQ(run.header.plan[1].entry, "fx:good/128");
  EXPECT_EQ(run.header.plan[1].rungs, (Words{"add"}));
  EXPECT_EQ(name_of(run.header.timer), "graph");
  EXPECT_EQ(name_of(run.header.l2), "rotate");
  for (const auto& row : latest_rows(run)) EXPECT_EQ(row.samples, 5);
}

TEST_F(Formats, ASpeedUpIsAgainstTheBaselineOrThereIsNone) {
  EXPECT_EQ(run(bench("fx:good") + briefly + Words{"--rungs", "add"}).exit, 0);
  const RowRecord alone = row_in(recorded(), "fx:good/64", "add");
  EXPECT_EQ(name_of(alone.status), "measured");
  EXPECT_EQ(alone.speedup, 0) << "the baseline did not run";
  EXPECT_EQ(name_of(alone.verdict), "");
}

TEST_F(Formats, AMissingLibraryAloneIsAnEnvironmentThatCannotRun) {
  const auto outcome = run(bench("fx:missing_library") + briefly + Words{"--rungs", "libdouble"});
  EXPECT_EQ(outcome.exit, 4);
  EXPECT_TRUE(outcome.last_line().starts_with("nothing could run: 1 row: 1 skipped; "))
      << outcome.out;
}

TEST_F(Formats, ATimeBelowTheFloorIsRefused) {
  std::filesystem::create_directories(ceilings().parent_path());
  nlohmann::json file{{"version", 2},
                      {"hardware", "host"},
                      {"uuid", "host"},
                      {"device", "host"},
                      {"driver", "none"},
                      {"measured_at", "today"},
                      {"copy_bytes_per_s", 1},
                      {"to_device_bytes_per_s", 1},
                      {"to_host_bytes_per_s", 1},
                      {"both_ways_bytes_per_s", 1},
                      {"fma_f32", 0},
                      {"fma_f16", 0},
                      {"matrix_tf32", 0},
                      {"matrix_bf16", 0},
                      {"matrix_fp8", 0}};
  write_text(ceilings(), file.dump());
  // Buffers larger than the cache, so that none of the bytes may hide in it.
  const auto outcome = run(bench("fx:good") + Words{"--sizes", "4194304", "--l2", "cold",
                                                    "--iterations", "3", "--warmup", "1"});
  EXPECT_EQ(outcome.exit, 3) << outcome.out;
  const RowRecord row = row_in(recorded(), "fx:good/4194304", "double");
  EXPECT_EQ(name_of(row.status), "refused");
  EXPECT_EQ(row.roof, "memory");
  EXPECT_NE(row.reason.find("is below the memory roof's floor of"), std::string::npos)
      << row.reason;
}

}  // namespace
}  // namespace aisp::lab
