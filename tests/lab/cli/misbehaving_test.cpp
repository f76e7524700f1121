// Each way a rung can go wrong is a row with its reason; everybody else finishes.
#include <set>

#include "tests/lab/cli/program.hpp"

namespace aisp::lab {
namespace {

struct Misbehaviour {
  std::string target, rung, status, reason;
  int exit = 3;
};

void PrintTo(const Misbehaviour& what, std::ostream* out) { *out << what.target; }

class Misbehaving : public FixtureTest, public testing::WithParamInterface<Misbehaviour> {};

TEST_P(Misbehaving, IsARowWithItsReasonAndTheOthersFinish) {
  const Misbehaviour& what = GetParam();
  const auto outcome = run(bench("fx:" + what.target + ",fx:good") + briefly);
  EXPECT_EQ(outcome.exit, what.exit) << outcome.out << outcome.err;
  EXPECT_EQ(outcome.err, "");
  const RunFile run = recorded();
  const std::string entry = "fx:" + what.target + "/64";
  const RowRecord row = row_in(run, entry, what.rung);
  EXPECT_EQ(name_of(row.status), what.status);
  EXPECT_EQ(row.reason, what.reason);
  EXPECT_EQ(row.samples, 0);
  EXPECT_NE(outcome.out.find(entry + " " + what.rung + ": " + what.status + ": " + what.reason),
            std::string::npos)
      << outcome.out;
  if (what.rung != "double") {
    EXPECT_EQ(name_of(row_in(run, entry, "double").status), "measured");
  }
  for (const auto* rung : {"double", "add"}) {
    const RowRecord good = row_in(run, "fx:good/64", rung);
    EXPECT_EQ(name_of(good.status), "measured");
    EXPECT_EQ(good.samples, 10);
  }
  ASSERT_TRUE(run.end.has_value());
  EXPECT_EQ(name_of(run.end->status), "complete");
  EXPECT_EQ(run.end->exit, what.exit);
}

INSTANTIATE_TEST_SUITE_P(
    Fixtures, Misbehaving,
    testing::Values(
        Misbehaviour{"crash", "segfault", "failed",
                     "worker killed by SIGSEGV (Segmentation fault) during check before"},
        Misbehaviour{"fails_assertion", "assertion", "failed",
                     "worker killed by SIGABRT (Aborted) during check before: kernel.cu:12: "
                     "assertion `i < n` failed"},
        Misbehaviour{"killed", "sigkill", "failed",
                     "worker killed by SIGKILL (Killed) during check before"},
        Misbehaviour{"missing_library", "libdouble", "skipped", "libdouble.so.1 not found", 0},
        Misbehaviour{"other_bytes", "next_number", "wrong",
                     "check before timing: y has other bytes than the baseline's: 1 of 64, first "
                     "at (5): got -0.551635504, the baseline -0.551635563; y: 64 right; worst 1 "
                     "ulp, relative norm 6.0e-09"},
        Misbehaviour{"out_of_memory", "greedy", "failed",
                     "out of host memory: 1152921504606846976 bytes asked for during preparation"},
        Misbehaviour{"reference_throws", "double", "failed",
                     "worker exit code 70 during reference before: the reference divides by zero"},
        Misbehaviour{"spoils_input", "in_place", "wrong",
                     "check before timing: input x was changed: 1 of 64, first at (3): was "
                     "0.210964, is 0; y: 64 right; worst 0 ulp, relative norm 0.0e+00"},
        Misbehaviour{"wrong", "off_by_one", "wrong",
                     "check before timing: y: 1 of 64 wrong, first at (5): got 0.448364437, want "
                     "-0.551635563 (+16777216 ulp); worst 1.7e+07 ulp, relative norm 1.0e-01"}),
    [](const auto& info) { return info.param.target; });

class Worker : public FixtureTest {};

TEST_F(Worker, WhoLeavesAnElementOutIsWrongAtThatElement) {
  const auto outcome = run(bench("fx:unwritten") + briefly);
  EXPECT_EQ(outcome.exit, 3);
  const RowRecord row = row_in(recorded(), "fx:unwritten/64", "short_loop");
  EXPECT_EQ(name_of(row.status), "wrong");
  EXPECT_NE(row.reason.find("1 of 64 wrong, first at (63)"), std::string::npos) << row.reason;
  EXPECT_NE(row.reason.find("never written?"), std::string::npos) << row.reason;
}

TEST_F(Worker, WhoIsRightOnlyAtFirstIsFoundByTheCheckAfterTiming) {
  const auto outcome = run(bench("fx:wrong_later") + briefly);
  EXPECT_EQ(outcome.exit, 3);
  const RunFile run = recorded();
  const RowRecord row = row_in(run, "fx:wrong_later/64", "wears_out");
  EXPECT_EQ(name_of(row.status), "wrong");
  EXPECT_TRUE(row.reason.starts_with("check after timing: y: 1 of 64 wrong, first at (0): got 0"))
      << row.reason;
  std::vector<std::string> checks;
  std::set<std::uint64_t> seeds;
  for (const auto& check : run.checks) {
    if (check.rung != "wears_out") continue;
    checks.push_back(std::string(name_of(check.when)) + (check.right ? " right" : " wrong"));
    seeds.insert(check.seed);
  }
  EXPECT_EQ(checks, (Words{"before right", "after wrong"}));
  EXPECT_EQ(seeds.size(), 2u) << "the check after timing must use other inputs";
}

TEST_F(Worker, WhoIsRightOnOneSetOfBuffersIsFoundOnAnother) {
  for (const Words& how : {Words{}, Words{"--validate"}}) {
    const auto outcome = run(bench("fx:second_set") + briefly + how);
    EXPECT_EQ(outcome.exit, 3) << outcome.out;
    const RowRecord row = row_in(recorded(), "fx:second_set/64", "knows_one_set");
    EXPECT_EQ(name_of(row.status), "wrong");
    EXPECT_TRUE(row.reason.starts_with(
        "check after timing on buffers 2 of 2: y: 1 of 64 wrong, first at (7): got 0"))
        << row.reason;
    std::filesystem::remove_all(runs());
  }
}

TEST_F(Worker, WhatAReplayLosesIsFoundThroughTheReplay) {
  const Words words = bench("fxgpu:lossy_capture") + Words{"--quick", "--device", "sim:h200,sms=2"};
  EXPECT_EQ(run(words).exit, 0) << "launched, it is right";
  std::filesystem::remove_all(runs());
  const auto outcome = run(words + Words{"--timer", "graph"});
  EXPECT_EQ(outcome.exit, 3) << outcome.out;
  const RunFile run = recorded();
  const RowRecord row = row_in(run, "fxgpu:lossy_capture/64", "lossy");
  EXPECT_EQ(name_of(row.status), "wrong");
  EXPECT_TRUE(row.reason.starts_with("check after timing through the replay: y: 32 of 64 wrong"))
      << row.reason;
  EXPECT_EQ(name_of(row_in(run, "fxgpu:lossy_capture/64", "whole").status), "measured");
}

TEST_F(Worker, WhoLeavesWorkRunningInAnotherStreamIsRefused) {
  const Words words =
      bench("fxgpu:unjoined") + Words{"--quick", "--device", "sim:h200,sms=2", "--iterations", "3"};
  for (const Words& how : {Words{}, Words{"--validate"}, Words{"--l2", "rotate"}}) {
    const auto outcome = run(words + how);
    EXPECT_EQ(outcome.exit, 3) << outcome.out;
    const RunFile run = recorded();
    const RowRecord joined = row_in(run, "fxgpu:unjoined/64", "joined");
    EXPECT_EQ(name_of(joined.status), how == Words{"--validate"} ? "checked" : "measured")
        << joined.reason;
    for (const char* rung : {"never_joined", "never_forked", "needless"}) {
      const RowRecord row = row_in(run, "fxgpu:unjoined/64", rung);
      EXPECT_EQ(name_of(row.status), "refused") << rung << ": " << row.reason;
      EXPECT_TRUE(row.reason.starts_with(
          "work that it enqueued was still running when its end event completed"))
          << row.reason;
    }
    std::filesystem::remove_all(runs());
  }
}

TEST_F(Worker, WhoseBytesCouldNotBeComparedSaysSo) {
  ASSERT_EQ(run(bench("fx:other_bytes") + briefly + Words{"--rungs", "next_number"}).exit, 0);
  EXPECT_EQ(row_in(recorded(), "fx:other_bytes/64", "next_number").note,
            "its bytes were compared with nothing: the baseline did not run");
}

TEST_F(Worker, WhoHangsIsStoppedAtTheTimeLimit) {
  const auto outcome = run(bench("fx:hang,fx:good") + briefly + Words{"--time-limit", "1"});
  EXPECT_EQ(outcome.exit, 3);
  const RunFile run = recorded();
  const RowRecord row = row_in(run, "fx:hang/64", "endless");
  EXPECT_EQ(name_of(row.status), "failed");
  EXPECT_EQ(row.reason, "time limit of 1 s reached during check before; --time-limit S raises it");
  EXPECT_EQ(name_of(row_in(run, "fx:hang/64", "double").status), "measured");
  EXPECT_EQ(name_of(row_in(run, "fx:good/64", "add").status), "measured");
}

TEST_F(Worker, KilledFromOutsideKeepsTheSamplesItSent) {
  const auto program =
      start(bench("fx:slow,fx:good") + Words{"--quick", "--l2", "hot", "--iterations", "400"});
  // fx:good comes first; the samples of fx:slow say that its worker is at work.
  const auto slow_samples = [&] {
    const auto folders = run_folders();
    if (folders.empty()) return std::size_t{0};
    const std::string journal = text_of(folders.front() / "run.jsonl");
    std::size_t count = 0;
    for (auto at = journal.find("\"nap\""); at != std::string::npos;
         at = journal.find("\"nap\"", at + 1))
      ++count;
    return count;
  };
  ASSERT_TRUE(eventually([&] { return slow_samples() > 30; }));
  const auto workers = program->children();
  ASSERT_EQ(workers.size(), 1u);
  ASSERT_EQ(kill(workers.front(), SIGKILL), 0);
  const auto outcome = program->wait();
  EXPECT_EQ(outcome.exit, 3) << outcome.err;

  const RunFile run = recorded();
  std::size_t failed = 0;
  for (const auto& row : run.rows) {
    if (row.status != RowStatus::failed) continue;
    ++failed;
    EXPECT_EQ(row.entry, "fx:slow/64");
    EXPECT_EQ(row.reason, "worker killed by SIGKILL (Killed) during timing");
    const auto sent = std::count_if(run.samples.begin(), run.samples.end(), [&](const auto& s) {
      return s.entry == row.entry && s.rung == row.rung && s.attempt == row.attempt;
    });
    EXPECT_GE(sent, 10);
    EXPECT_LT(sent, 400);
  }
  EXPECT_EQ(failed, 1u) << "the other rung gets a fresh worker";
  EXPECT_EQ(latest_rows(run).size(), 4u);
}

TEST_F(Worker, StreamEndsUpInTheLogNotInTheTable) {
  const auto outcome = run(bench("fx:fails_assertion") + briefly);
  EXPECT_EQ(outcome.exit, 3);
  EXPECT_EQ(outcome.err, "");
  EXPECT_NE(text_of(run_folder() / "worker.log").find("assertion `i < n` failed"),
            std::string::npos);
}

}  // namespace
}  // namespace aisp::lab
