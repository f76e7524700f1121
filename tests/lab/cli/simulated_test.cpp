// Runs on the simulator: marked as such wherever their times appear, and never mixed with measured
// ones.
#include <map>
#include <nlohmann/json.hpp>

#include "lab/device/device.hpp"
#include "lab/expect/expectations.hpp"
#include "lab/record/journal.hpp"
#include "tests/lab/cli/program.hpp"
#include "tests/lab/record/sample_records.hpp"

namespace aisp::lab {
namespace {

const Words double_only =
    bench("fxgpu:faults") + Words{"--quick", "--rungs", "double,double_again"};
const std::string entry = "fxgpu:faults/64";

class Simulated : public FixtureTest {
 protected:
  Outcome simulate(const Words& more = {}) { return run(double_only + on_simulator + more); }

  const Words on_simulator{"--device", "sim:h200,sms=4"};
};

TEST_F(Simulated, TheTableTheTallyAndTheHistorySaySo) {
  const auto outcome = simulate();
  ASSERT_EQ(outcome.exit, 0) << outcome.err << outcome.out;
  EXPECT_EQ(outcome.err, "");
  EXPECT_NE(outcome.out.find("simulated: NVIDIA H200 (simulated), 4 SMs; counts are shown, "
                             "nothing was timed\n"),
            std::string::npos)
      << outcome.out;
  EXPECT_TRUE(outcome.last_line().starts_with("good: 2 rows: 2 simulated; ")) << outcome.out;
  const auto history = lines_of(run({"history"}).out);
  ASSERT_EQ(history.size(), 3u);
  for (std::size_t i = 1; i < history.size(); ++i) {
    EXPECT_NE(history[i].find(" simulated "), std::string::npos) << history[i];
    EXPECT_NE(history[i].find(" h200-simulated "), std::string::npos) << history[i];
  }
}

TEST_F(Simulated, EveryFormatSaysSo) {
  const auto json = nlohmann::json::parse(simulate({"--format", "json"}).out);
  EXPECT_EQ(json["device"]["simulated"], true);
  const auto csv = simulate({"--format", "csv"});
  EXPECT_NE(csv.out.find(",double,simulated,"), std::string::npos) << csv.out;
  EXPECT_NE(csv.err.find("counts are shown, nothing was timed\n"), std::string::npos) << csv.err;
}

TEST_F(Simulated, RowsHaveTimesButNoRoofAndNoClocks) {
  ASSERT_EQ(simulate().exit, 0);
  const RunFile run = recorded();
  EXPECT_TRUE(run.device->simulated);
  EXPECT_EQ(run.device->multiprocessors, 4);
  const RowRecord row = row_in(run, entry, "double_again");
  EXPECT_EQ(name_of(row.status), "measured") << row.reason;
  EXPECT_GT(row.median_ms, 0);
  EXPECT_EQ(name_of(row.verdict), "") << "fewer instructions need not be less time";
  EXPECT_EQ(row.roof, "");
  EXPECT_FALSE(row.roof_share);
  for (const auto& sample : run.samples) {
    EXPECT_FALSE(sample.sm_mhz);
    EXPECT_FALSE(sample.watts);
  }
}

// The first thing that somebody without a GPU sees: what each rung did, and no speed-up that no GPU
// would show.
TEST_F(Simulated, RowsSayWhatWasCountedAndNotHowMuchFasterThatIs) {
  const auto outcome = simulate();
  ASSERT_EQ(outcome.exit, 0) << outcome.err;
  EXPECT_EQ(outcome.out.find("speed-up"), std::string::npos) << outcome.out;
  const RowRecord row = row_in(recorded(), entry, "double_again");
  EXPECT_EQ(row.speedup, 0);
  EXPECT_EQ(row.speedup_high, 0);
  std::map<Count, double> counts;
  for (const auto& [count, value] : row.counts) counts[count] = value;
  EXPECT_EQ(counts.size(), names_of(Count{}).size());
  EXPECT_EQ(counts[Count::launches], 1);
  EXPECT_GT(counts[Count::instructions], 0);
  // 64 floats are read and 64 written.
  EXPECT_EQ(counts[Count::l2_bytes], 512);
  EXPECT_EQ(counts[Count::distinct_bytes], 512);
  EXPECT_EQ(counts[Count::overlap], 0);
  EXPECT_EQ(run({"history"}).out.find("0x "), std::string::npos);
  for (const auto& text : {outcome.out, run({"history"}).out}) {
    EXPECT_EQ(text.find(" us"), std::string::npos) << "an estimated time: " << text;
    EXPECT_EQ(text.find(" ms"), std::string::npos) << text;
  }
}

// Where a rung times something else than its run, only a measured row has such a time.
TEST_F(Simulated, SaysNothingAboutTimesThatItDoesNotHave) {
  const auto outcome = run(bench("fxsheet:sheet") + on_simulator);
  EXPECT_EQ(outcome.exit, 0) << outcome.err;
  EXPECT_EQ(outcome.out.find("its times are"), std::string::npos) << outcome.out;
  const auto measured = run(bench("fxlatency:latency") + briefly);
  EXPECT_NE(measured.out.find("fxlatency:latency: its times are the latency of one element\n"),
            std::string::npos)
      << measured.out;
}

TEST_F(Simulated, NumbersAloneAreNotCounted) {
  const auto outcome = simulate({"--validate"});
  ASSERT_EQ(outcome.exit, 0);
  EXPECT_TRUE(row_in(recorded(), entry, "double").counts.empty());
  EXPECT_EQ(outcome.out.find("launches"), std::string::npos) << "an empty column: " << outcome.out;
  EXPECT_NE(outcome.out.find("SMs; numbers were checked, nothing was counted or timed\n"),
            std::string::npos)
      << outcome.out;
  const auto csv = simulate({"--validate", "--format", "csv"});
  EXPECT_NE(csv.out.find(",launches,"), std::string::npos) << "columns of CSV stay: " << csv.out;
}

// The same work has the same estimated time and the same counts, whatever else this machine does.
TEST_F(Simulated, TimesComeOutTheSameAgain) {
  ASSERT_EQ(simulate().exit, 0);
  const auto first = run_folder().filename().string();
  ASSERT_EQ(simulate().exit, 0);
  for (const auto& folder : run_folders()) {
    if (folder.filename() == first) continue;
    const auto outcome = run({"compare", first, folder.filename().string()});
    EXPECT_EQ(outcome.exit, 0) << outcome.out;
    EXPECT_EQ(row_in(read_run(folder), entry, "double").median_ms,
              row_in(read_run(runs() / first), entry, "double").median_ms);
  }
}

TEST_F(Simulated, WithoutAGpuItIsWhatAutoTakes) {
  if (why_no_cuda_device().empty()) GTEST_SKIP() << "there is a GPU";
  const auto outcome = run(double_only);
  EXPECT_EQ(outcome.exit, 0) << outcome.err;
  EXPECT_EQ(outcome.err,
            "aisp: no GPU: this run is simulated and shows counts in place of times\n");
  EXPECT_EQ(recorded().device->hardware, "h200-simulated");
}

TEST_F(Simulated, WhatNeedsAGpuDoesNotFallBackToIt) {
  const auto why = why_no_cuda_device();
  if (why.empty()) GTEST_SKIP() << "there is a GPU";
  for (const auto& option : {Words{"--update-expectations"}, Words{"--profile", "minimal"},
                             Words{"--self-check"}, Words{"--device", "gpu"}})
    expect_refused(run(double_only + option), 4, "no GPU to run on: " + why);
  EXPECT_TRUE(run_folders().empty());
}

TEST_F(Simulated, AProcessThereCannotBecomeAnotherDevice) {
  const Words there{"sim", "--quiet", "--device", "a100", "--", fixture_program()};
  expect_refused(run(there + double_only + Words{"--device", "gpu"}), 4,
                 "--device gpu: this process runs on the simulator");
  expect_refused(run(there + double_only + Words{"--device", "sim:h200"}), 2,
                 "--device sim:h200: this process runs on the simulator as a100");
  EXPECT_EQ(run(there + double_only + Words{"--device", "sim"}).exit, 0);
  EXPECT_EQ(recorded().device->major, 8);
}

TEST_F(Simulated, ExpectationsOfHardwareAreNotComparedWithIt) {
  ASSERT_EQ(simulate().exit, 0);
  const auto outcome = run({"expectations", "check", recorded().header.id});
  EXPECT_EQ(outcome.exit, 2);
  EXPECT_NE(outcome.err.find("no expectations for h200-simulated"), std::string::npos)
      << outcome.err;
}

TEST_F(Simulated, CountsAreExpectedOfWhoeverAsksForThem) {
  const auto folder = chapter().parent_path() / "fxgpu";
  const auto file = folder / "expectations_h200-simulated.json";
  std::filesystem::create_directories(folder);
  ASSERT_EQ(simulate().exit, 0);
  EXPECT_FALSE(std::filesystem::exists(file));
  const auto written = simulate({"--update-expectations"});
  EXPECT_EQ(written.exit, 0) << written.err;
  EXPECT_NE(written.out.find("2 times with their counts written to " + file.string()),
            std::string::npos)
      << written.out;
  auto expected = load_expectations(file);
  ASSERT_TRUE(expected.has_value());
  EXPECT_EQ(expected->provenance.begin()->second.simulated, "4 multiprocessors");
  EXPECT_EQ(expected->find(entry, "double")->tolerance, counted_tolerance);

  // Counted again it is the same. Only counts are judged: the time is estimated from them.
  EXPECT_EQ(simulate().exit, 0);
  auto& time = expected->entries[entry]["double_again"];
  time.median_ms = time.low_ms = time.high_ms = time.median_ms / 1.1;
  save_expectations(file, *expected);
  EXPECT_EQ(simulate().exit, 0);
  time.counts[Count::instructions] = 200;
  save_expectations(file, *expected);
  const auto worse = simulate();
  EXPECT_EQ(worse.exit, 1) << worse.out;
  EXPECT_NE(worse.out.find(entry + " double_again: regression, instructions 200 -> 222 (+11.0 %)"),
            std::string::npos)
      << worse.out;
  // A device of another size may count other things for the same work: it is not compared.
  EXPECT_EQ(run(double_only + Words{"--device", "sim:h200,sms=2"}).exit, 0);
}

TEST_F(Simulated, ItGoesOnWhereItBeganOrNotAtAll) {
  ASSERT_EQ(simulate().exit, 0);
  const std::string id = recorded().header.id;
  const auto resume = [&](const std::string& device) {
    return run({"bench", "run", "--resume", id, "--device", device});
  };
  EXPECT_EQ(resume("sim:h200,sms=4").exit, 0);
  EXPECT_EQ(resume("auto").exit, 0);
  for (const char* other : {"sim", "sim:a100"}) {
    const auto outcome = resume(other);
    expect_refused(outcome, 2, "was made on NVIDIA H200 (simulated) with 4 multiprocessors");
  }
}

TEST_F(Simulated, SeveralDevicesAreSeveralAgainWhenItGoesOn) {
  ASSERT_EQ(run(double_only + Words{"--device", "sim:h200,sms=4,gpus=2"}).exit, 0);
  const RunFile before = recorded();
  EXPECT_EQ(before.device->simulated_devices, 2);
  const Words resume{"bench", "run", "--resume", before.header.id};
  EXPECT_EQ(run(resume).exit, 0);
  expect_refused(run(resume + Words{"--device", "sim:h200,sms=4"}), 2,
                 "was made on 2 x NVIDIA H200 (simulated) with 4 multiprocessors");
}

TEST_F(Simulated, AMeasuredRunIsNotFinishedByIt) {
  RunFile run = small_run("gpu-run");
  run.header.self_check = 0;
  run.header.plan = {{entry, "fxgpu:faults", "", {64}, {"double"}}};
  run.attempts.clear(), run.checks.clear(), run.samples.clear(), run.rows.clear();
  run.end.reset();
  Journal(runs() / "gpu-run", Journal::Open::fresh).append(records_of(run));
  expect_refused(FixtureTest::run({"bench", "run", "--resume", "gpu-run", "--device", "sim"}), 2,
                 "run gpu-run was made on NVIDIA H200 with");
  if (!why_no_cuda_device().empty())
    expect_refused(FixtureTest::run({"bench", "run", "--resume", "gpu-run"}), 4,
                   "no GPU to run on");
}

TEST_F(Simulated, CountsOfEveryKernelGoToTheWorkersLog) {
  ASSERT_EQ(run(Words{"sim", "--stats", "--", fixture_program()} + double_only).exit, 0);
  const std::string log = text_of(run_folder() / "worker.log");
  for (const char* part :
       {"double_all", " warp instructions, ", "bytes read and written: global", "bank conflicts 0"})
    EXPECT_NE(log.find(part), std::string::npos) << part << " in\n" << log;
}

}  // namespace
}  // namespace aisp::lab
