// `aisp sweep` as a user runs it: its files, its refusals, Ctrl-C and going on.
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "lab/cli/help.hpp"
#include "lab/record/journal.hpp"
#include "lab/report/sweep.hpp"
#include "tests/lab/cli/program.hpp"

namespace aisp::lab {
namespace {

const Words brief{"--l2", "hot", "--iterations", "5", "--warmup", "1"};

class Sweep : public FixtureTest {
 protected:
  // Roofs far above the host: its ridge is at 10 operations per byte.
  void write_ceilings() const {
    std::filesystem::create_directories(ceilings().parent_path());
    const nlohmann::json file{{"version", 2},
                              {"hardware", "host"},
                              {"uuid", "host"},
                              {"device", "host"},
                              {"driver", ""},
                              {"measured_at", ""},
                              {"copy_bytes_per_s", 1e12},
                              {"to_device_bytes_per_s", 1},
                              {"to_host_bytes_per_s", 1},
                              {"both_ways_bytes_per_s", 1},
                              {"fma_f32", 1e13},
                              {"fma_f16", 0},
                              {"matrix_tf32", 0},
                              {"matrix_bf16", 0},
                              {"matrix_fp8", 0}};
    write_text(ceilings(), file.dump());
  }

  // How many are in the journal for an entry of the target.
  int samples_of(const std::string& size) const {
    const auto folders = run_folders();
    if (folders.empty()) return 0;
    int count = 0;
    for (const auto& line : lines_of(text_of(folders.front() / journal_name)))
      if (line.find("\"sample\"") != std::string::npos && line.find(size) != std::string::npos)
        ++count;
    return count;
  }

  // One cell of sweep.csv, of the row that has these values in its first columns.
  std::string cell(const Words& values, const std::string& rung, const std::string& name) const {
    const auto lines = lines_of(text_of(run_folder() / "sweep.csv"));
    if (lines.empty()) return "no file";
    const auto header = base::split(lines[0].substr(0, lines[0].size() - 1), ',');
    const auto place = [&](const std::string& column) {
      return static_cast<std::size_t>(std::find(header.begin(), header.end(), column) -
                                      header.begin());
    };
    for (const auto& line : lines) {
      const auto cells = base::split(line.substr(0, line.size() - 1), ',');
      if (Words(cells.begin(), cells.begin() + static_cast<long>(values.size())) == values &&
          cells[place("rung")] == rung)
        return cells.at(place(name));
    }
    return "no row";
  }
};

TEST_F(Sweep, WritesTableNumbersAndPlotAndMarksTheBounds) {
  write_ceilings();
  const auto outcome =
      run(Words{"sweep", "grid", "--axis", "rows=8,8192", "--axis", "columns=8,256"} + brief);
  EXPECT_EQ(outcome.exit, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  const std::string table = text_of(run_folder() / "sweep.txt");
  EXPECT_TRUE(outcome.out.starts_with(table)) << outcome.out;
  EXPECT_EQ(lines_of(table).size(), 1u + 8u + 1u) << table;
  EXPECT_NE(table.find("bound changes: launch -> memory"), std::string::npos) << table;
  EXPECT_EQ(cell({"8", "8"}, "once", "bound"), "launch");
  EXPECT_EQ(cell({"8192", "8"}, "once", "bound"), "memory");
  EXPECT_EQ(cell({"8192", "8"}, "once", "bound_before"), "launch");
  EXPECT_EQ(cell({"8192", "256"}, "double", "bound"), "f32 FMA");
  EXPECT_EQ(cell({"8", "256"}, "double", "size"), "plain 8x256x16") << "copies follow from rows";
  const auto svg = text_of(run_folder() / "sweep.svg");
  EXPECT_NE(svg.find("once columns=256"), std::string::npos);
  EXPECT_NE(svg.find(">launch \u2192 memory</text>"), std::string::npos);
  const auto heat = text_of(run_folder() / "heat.svg");
  EXPECT_NE(heat.find("over rows and columns on"), std::string::npos);
  EXPECT_EQ(table.find("cliff:"), std::string::npos) << "its sizes are not the same work";
  EXPECT_EQ(outcome.last_line(), "good: 9 rows: 9 measured; runs/" +
                                     run_folder().filename().string() + "/sweep.{txt,csv,svg}");
  EXPECT_EQ(recorded().header.plan.front().target, "roof:launch");
}

TEST_F(Sweep, ARefusedPointIsARowAndARungThatFailsAnother) {
  const auto outcome = run(Words{"sweep", "fx:wrong", "--axis", "N=8,12,16"} + brief);
  EXPECT_EQ(outcome.exit, 3);
  EXPECT_NE(outcome.out.find("refused: N must be a multiple of 8: got 12"), std::string::npos)
      << outcome.out;
  EXPECT_FALSE(std::filesystem::exists(run_folder() / "heat.svg")) << "one axis is no map";
  EXPECT_EQ(cell({"12"}, "", "status"), "refused");
  EXPECT_EQ(cell({"16"}, "double", "status"), "measured");
  EXPECT_EQ(cell({"16"}, "off_by_one", "status"), "wrong");
  EXPECT_EQ(cell({"16"}, "off_by_one", "bound"), "");
}

TEST_F(Sweep, RefusesInOneLine) {
  const std::vector<std::pair<Words, std::string>> cases{
      {{"grid"}, "a sweep needs an --axis"},
      {{}, "sweep takes one target"},
      {{"grid", "--axis", "row=8"}, "did you mean 'rows'?"},
      {{"grid", "--axis", "rows=8:64"}, "a range is first:last:xFACTOR"},
      {{"grid", "--axis", "rows=64:8:x2"}, "nothing lies between 64 and 8"},
      {{"grid", "--axis", "rows=1:1000:+1"}, "more than 512 values"},
      {{"grid", "--axis", "rows=7"}, "takes no size of this sweep"},
      {{"fx", "--axis", "N=8"}, "a sweep takes one target"},
      {{"gridd", "--axis", "rows=8"}, "did you mean 'fxsweep:grid'?"},
      {{"later", "--axis", "rows=8"}, "fx:planned needs a better machine, not built yet"},
      {{"grid", "--axis", "rows=8", "--rungs", "onec"}, "unknown rung 'onec'"},
      {{"grid", "--axis", "rows=8", "--sizes", "8"}, "see 'aisp sweep --help'"},
      {{"--resume", "nowhere"}, "no run 'nowhere'"},
      {{"--resume", "x", "--axis", "rows=8"}, "leave --axis out"},
      {{"grid", "--resume", "x"}, "sweep takes one target"}};
  for (const auto& [words, part] : cases) expect_refused(run(Words{"sweep"} + words), 2, part);
  EXPECT_TRUE(run_folders().empty()) << "nothing was begun";
}

TEST_F(Sweep, KeepsWhatWasMeasuredWhenInterruptedAndGoesOn) {
  // Eight microseconds, then eight milliseconds a sample: time enough to come in between.
  const auto program = start(Words{"sweep", "grid", "--axis", "rows=8,8192", "--rungs", "once"} +
                             Words{"--l2", "hot", "--iterations", "100", "--warmup", "1"});
  ASSERT_TRUE(eventually([&] { return samples_of("plain 8192x8x1") > 3; }));
  program->send(SIGINT);
  const auto outcome = program->wait();
  EXPECT_EQ(outcome.exit, 130) << outcome.err;
  const std::string folder = "runs/" + run_folder().filename().string();
  EXPECT_TRUE(outcome.last_line().ends_with("; go on with: aisp sweep --resume " + folder))
      << outcome.out;
  EXPECT_EQ(cell({"8"}, "once", "status"), "measured");
  EXPECT_EQ(cell({"8192"}, "once", "status"), "no row");
  EXPECT_NE(text_of(run_folder() / "sweep.svg").find("<circle"), std::string::npos);
  EXPECT_TRUE(outcome.out.starts_with(text_of(run_folder() / "sweep.txt"))) << outcome.out;
  const auto kept = cell({"8"}, "once", "median_ms");

  const auto resumed = run({"sweep", "--resume", folder});
  EXPECT_EQ(resumed.exit, 0) << resumed.out << resumed.err;
  EXPECT_EQ(cell({"8"}, "once", "median_ms"), kept);
  EXPECT_EQ(cell({"8192"}, "once", "status"), "measured");
  EXPECT_EQ(cell({"8192"}, "once", "samples"), "100") << "measured as it was asked for at first";
  EXPECT_EQ(name_of(recorded().end->status), "complete");
}

TEST_F(Sweep, GoesOnWithSweepsOnly) {
  ASSERT_EQ(run(bench("fx:good") + briefly).exit, 0);
  expect_refused(run({"sweep", "--resume", run_folder().filename().string()}), 2, "is no sweep");
}

TEST_F(Sweep, OnTheSimulatorTakesQuickExtentsAndSaysSo) {
  const auto outcome = run({"sweep", "fxgpu:faults", "--axis", "N=64,128", "--rungs", "double",
                            "--device", "sim:h200,sms=2"});
  EXPECT_EQ(outcome.exit, 0) << outcome.err;
  EXPECT_EQ(cell({"64"}, "double", "status"), "simulated");
  EXPECT_EQ(cell({"64"}, "double", "bound"), "memory");
  EXPECT_EQ(cell({"64"}, "double", "launch_ms"), "");
  EXPECT_EQ(cell({"64"}, "double", "median_ms"), "") << "an estimate";
  EXPECT_EQ(cell({"64"}, "double", "L2 bytes"), "512");
  EXPECT_NE(outcome.out.find("counts are shown, nothing was timed"), std::string::npos)
      << outcome.out;
  EXPECT_NE(text_of(run_folder() / "sweep.svg").find("simulated: no count shows it"),
            std::string::npos);
}

TEST(SweepHelp, ExplainsExactlyTheColumnsOfTheTable) {
  std::vector<std::string> explained, columns;
  bool inside = false;
  for (const auto& line : lines_of(help_text("sweep"))) {
    if (line.starts_with("#")) inside = line == "### Columns";
    if (inside && line.starts_with("- `"))
      explained.push_back(line.substr(3, line.find("`: ") - 3));
  }
  for (const auto& column : sweep_table({}).columns) columns.push_back(column.name);
  EXPECT_EQ(explained, columns);
}

}  // namespace
}  // namespace aisp::lab
