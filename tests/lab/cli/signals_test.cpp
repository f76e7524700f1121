// SIGINT and SIGKILL at random moments, 50 each: no recorded sample is lost, the run file is always
// readable, no worker stays behind, and --resume finishes the work.
#include <csignal>
#include <map>
#include <random>
#include <tuple>

#include "lab/record/journal.hpp"
#include "tests/lab/cli/program.hpp"

namespace aisp::lab {
namespace {

constexpr int rounds = 10;  // in each of the five tests per signal

class Signals : public FixtureTest, public testing::WithParamInterface<std::tuple<int, int>> {
 protected:
  void one_round(int number, int round);

  int in_the_middle_ = 0;
  std::mt19937 random_{static_cast<unsigned>(std::get<1>(GetParam()))};

 private:
  // The whole lines that are in the journal now.
  std::string seen() const {
    const auto folders = run_folders();
    if (folders.empty()) return "";
    const std::string text = text_of(folders.front() / journal_name);
    return text.substr(0, text.rfind('\n') + 1);
  }
  std::string watch_until(const Program& program, int round);
  void expect_stopped(const Outcome& outcome, int number, const std::string& before);
  void expect_resumable(const std::string& before);
};

void expect_contiguous(const RunFile& run) {
  std::map<std::tuple<std::string, std::string, int>, int> next;
  for (const auto& sample : run.samples)
    EXPECT_EQ(sample.index, (next[{sample.entry, sample.rung, sample.attempt}]++));
}

// Reads along until a random moment: after some milliseconds in even rounds, which also meets the
// start, and after some lines in odd ones, which are in the middle of the work.
std::string Signals::watch_until(const Program& program, int round) {
  using namespace std::chrono;
  const bool by_time = round % 2 == 0;
  const auto moment =
      steady_clock::now() + microseconds(std::uniform_int_distribution(5'000, 250'000)(random_));
  const auto lines = std::uniform_int_distribution(1, 150)(random_);
  std::string snapshot;
  const auto now = [&] {
    snapshot = seen();
    if (!program.running()) return true;
    if (by_time) return steady_clock::now() >= moment;
    return std::count(snapshot.begin(), snapshot.end(), '\n') >= lines;
  };
  EXPECT_TRUE(eventually(now));
  return snapshot;
}

void Signals::expect_stopped(const Outcome& outcome, int number, const std::string& before) {
  const std::string after = seen();
  ASSERT_TRUE(after.starts_with(before)) << "a line that was on disk is gone";
  if (after.empty()) {
    // Too early for a first line: nothing was measured, and the file says so.
    EXPECT_EQ(outcome.signal, number);
    return;
  }
  const RunFile run = recorded();
  expect_contiguous(run);
  const bool complete = run.end && run.end->status == EndStatus::complete;
  in_the_middle_ += !complete && !run.samples.empty() ? 1 : 0;
  if (complete || number == SIGKILL) return;
  ASSERT_EQ(outcome.exit, 130) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  EXPECT_NE(outcome.last_line().find("; go on with: aisp bench run --resume runs/" +
                                     run_folder().filename().string()),
            std::string::npos)
      << outcome.out;
  ASSERT_TRUE(run.end.has_value());
  EXPECT_EQ(name_of(run.end->status), "interrupted");
  EXPECT_EQ(run.end->exit, 130);
}

void Signals::expect_resumable(const std::string& before) {
  const auto outcome = run({"bench", "run", "--resume", run_folder().filename().string()});
  if (before.empty()) {  // not even a first line, or killed between making the folder and the file
    const bool has_file = std::filesystem::exists(run_folder() / journal_name);
    expect_refused(outcome, has_file ? 4 : 2, has_file ? "start a new run" : "nothing to resume");
    return;
  }
  ASSERT_EQ(outcome.exit, 0) << outcome.err << outcome.out;
  EXPECT_TRUE(outcome.last_line().starts_with("good: 4 rows: 4 measured; ")) << outcome.out;
  EXPECT_TRUE(seen().starts_with(before));
  const RunFile run = recorded();
  EXPECT_EQ(run.warning, "");
  ASSERT_TRUE(run.end.has_value());
  EXPECT_EQ(name_of(run.end->status), "complete");
  expect_contiguous(run);
  const auto rows = latest_rows(run);
  EXPECT_EQ(rows.size(), 4u);
  for (const auto& row : rows) EXPECT_EQ(row.samples, 100) << row.entry << ' ' << row.rung;
}

void Signals::one_round(int number, int round) {
  const Words words = bench("fx:slow,fx:good") + Words{"--quick", "--l2", "hot"} +
                      Words{"--iterations", "100", "--warmup", "1"};
  const auto program = start(words);
  const std::string before = watch_until(*program, round);
  const auto workers = program->children();
  program->send(number);
  const auto outcome = program->wait();
  for (const auto worker : workers)
    EXPECT_TRUE(eventually([&] { return process_is_gone(worker); })) << "a worker was left running";
  expect_stopped(outcome, number, before);
  if (!HasFatalFailure() && !run_folders().empty()) expect_resumable(seen());
  std::filesystem::remove_all(runs());
}

TEST_P(Signals, AtRandomMomentsLoseNothing) {
  for (int round = 0; round < rounds && !HasFailure(); ++round) {
    SCOPED_TRACE("round " + std::to_string(round));
    one_round(std::get<0>(GetParam()), round);
  }
  EXPECT_GT(in_the_middle_, 0) << "no round met the run at work";
}

INSTANTIATE_TEST_SUITE_P(Fifty, Signals,
                         testing::Combine(testing::Values(SIGINT, SIGKILL), testing::Range(0, 5)),
                         [](const auto& info) {
                           return std::string(sigabbrev_np(std::get<0>(info.param))) +
                                  std::to_string(std::get<1>(info.param));
                         });

class Interrupted : public FixtureTest {};

TEST_F(Interrupted, AWorkerThatNeverStopsTalkingDoesNotMakeCtrlCWait) {
  const auto program = start(bench("fx:good") + Words{"--quick", "--l2", "hot", "--warmup", "1"} +
                             Words{"--iterations", "1000000"});
  ASSERT_TRUE(eventually([&] {
    const auto folders = run_folders();
    return !folders.empty() && text_of(folders.front() / journal_name).size() > 10'000;
  }));
  program->send(SIGINT);
  ASSERT_TRUE(eventually([&] { return !program->running(); }, 60));
  EXPECT_EQ(program->wait().exit, 130);
  for (const auto& row : recorded().rows) ADD_FAILURE() << "a million samples of " << row.rung;
}

TEST_F(Interrupted, APoliteKillIsAsGoodAsCtrlC) {
  for (const int number : {SIGTERM, SIGHUP}) {
    const auto program = start(bench("fx:hang") + briefly);
    ASSERT_TRUE(eventually([&] { return !program->children().empty(); }));
    program->send(number);
    const auto outcome = program->wait();
    EXPECT_EQ(outcome.exit, 130);
    EXPECT_TRUE(outcome.last_line().starts_with("interrupted: no rows; ")) << outcome.out;
  }
}

TEST_F(Interrupted, ASignalThatIsIgnoredStaysIgnored) {
  const auto program =
      start(bench("fx:slow") + Words{"--quick", "--l2", "hot", "--iterations", "200"},
            [] { std::signal(SIGHUP, SIG_IGN); });
  ASSERT_TRUE(eventually([&] { return !program->children().empty(); }));
  program->send(SIGHUP);
  EXPECT_EQ(program->wait().exit, 0) << "as under nohup";
}

TEST_F(Interrupted, TheTerminalsCtrlCGoesToTheParentAlone) {
  const auto program =
      start(bench("fx:slow") + Words{"--quick", "--l2", "hot", "--iterations", "5000"});
  ASSERT_TRUE(eventually([&] { return !program->children().empty(); }));
  const pid_t worker = program->children().front();
  ASSERT_TRUE(eventually([&] { return getpgid(worker) == worker; }))
      << "a worker in the terminal's group would die before its samples were taken";
  program->send(SIGINT);
  EXPECT_EQ(program->wait().exit, 130);
}

}  // namespace
}  // namespace aisp::lab
