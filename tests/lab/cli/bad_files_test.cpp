// Files and folders that are full, damaged, in the way or in use: nothing that was measured is
// lost.
#include <sys/resource.h>

#include <csignal>

#include "tests/lab/cli/program.hpp"

namespace aisp::lab {
namespace {

class BadFiles : public FixtureTest {};

TEST_F(BadFiles, OutputFolderWithAFileInTheWay) {
  write_text(folder() / "taken", "a file");
  expect_refused(run(bench("fx:good") + briefly + Words{"--out", "taken/runs"}), 4,
                 "cannot make folder taken/runs/");
  EXPECT_EQ(text_of(folder() / "taken"), "a file");
}

TEST_F(BadFiles, OutputFolderThatCannotBeWritten) {
  // Also root may not write there.
  expect_refused(run(bench("fx:good") + briefly + Words{"--out", "/proc/aisp"}), 4,
                 "cannot make folder /proc/aisp/");
}

TEST_F(BadFiles, FullOutputFolderKeepsWhatWasWrittenAndGoesOnLater) {
  // More than one read of a worker's stream (64 KiB), less than all of it.
  constexpr rlim_t room = 100'000;
  const auto full = [] {
    std::signal(SIGXFSZ, SIG_IGN);  // writing then fails as on a full disk
    const rlimit limit{room, room};
    setrlimit(RLIMIT_FSIZE, &limit);
  };
  const Words words = bench("fx:good,fx:wrong") + Words{"--quick", "--iterations", "1000"} +
                      Words{"--l2", "hot", "--warmup", "1"};
  expect_refused(run(words, full), 4, "run.jsonl: File too large; choose another folder");
  const RunFile before = recorded();
  EXPECT_EQ(before.warning, "") << "the journal ends with a whole line";
  EXPECT_GT(before.samples.size(), 100u);
  EXPECT_FALSE(before.end.has_value());
  EXPECT_EQ(run({"bench", "run", "--resume", run_folder().string()}).exit, 3);
  const RunFile after = recorded();
  EXPECT_EQ(latest_rows(after).size(), 4u);
  EXPECT_EQ(row_in(after, "fx:good/64", "add").samples, 1000);
  ASSERT_GT(after.samples.size(), before.samples.size());
  EXPECT_TRUE(std::equal(before.samples.begin(), before.samples.end(), after.samples.begin()));
}

TEST_F(BadFiles, CorruptExpectations) {
  write_text(expectations(), "{\"schema\": 1, \"hardw");
  expect_refused(run(bench("fx:good") + briefly), 4, "expectations_host.json");
  EXPECT_TRUE(run_folders().empty()) << "it is refused before anything is measured";
  expect_refused(run({"expectations", "check"}), 4, "cut short or damaged");
  expect_refused(run({"expectations", "show"}), 4, "cut short or damaged");
}

TEST_F(BadFiles, ExpectationsOfAnotherVersion) {
  write_text(expectations(),
             R"({"schema": 99, "hardware": "host", "chapter": "fx", "provenance": {},
                 "entries": {}})");
  const auto outcome = run(bench("fx:good") + briefly);
  expect_refused(outcome, 4, "expectations_host.json");
  EXPECT_NE(outcome.err.find("99"), std::string::npos) << outcome.err;
  EXPECT_TRUE(run_folders().empty());
}

TEST_F(BadFiles, NoFolderToUpdateExpectationsIn) {
  std::filesystem::remove_all(chapter());
  expect_refused(run(bench("fx:good") + briefly + Words{"--update-expectations"}), 4,
                 "--update-expectations has no folder");
  EXPECT_TRUE(run_folders().empty());
}

TEST_F(BadFiles, CorruptCeilings) {
  std::filesystem::create_directories(ceilings().parent_path());
  write_text(ceilings(), "{\"version\": 1,");
  expect_refused(run(bench("fx:good") + briefly), 4, "is corrupt");
  write_text(ceilings(), "{\"version\": 7}");
  const auto outcome = run(bench("fx:good") + briefly);
  expect_refused(outcome, 4, "has version 7 and this aisp reads version 2");
  EXPECT_NE(outcome.err.find("aisp doctor --measure"), std::string::npos);
  EXPECT_TRUE(run_folders().empty()) << "it is refused before anything is measured";
}

TEST_F(BadFiles, CorruptHistoryCostsNoResult) {
  std::filesystem::create_directories(runs());
  write_text(runs() / "history.sqlite", "this is not a database, and stays as it is");
  const auto outcome = run(bench("fx:good") + briefly);
  EXPECT_EQ(outcome.exit, 0);
  EXPECT_TRUE(outcome.err.starts_with("aisp: the run is not in the history: ")) << outcome.err;
  EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
  EXPECT_TRUE(outcome.last_line().starts_with("good: 2 rows: 2 measured")) << outcome.out;
  EXPECT_EQ(latest_rows(recorded()).size(), 2u);
  EXPECT_EQ(text_of(runs() / "history.sqlite"), "this is not a database, and stays as it is");
  expect_refused(run({"history"}), 4, "history.sqlite");
}

TEST_F(BadFiles, RunFileCutInHalfIsResumed) {
  ASSERT_EQ(run(bench("fx:good,fx:slow") + briefly).exit, 0);
  const auto journal = run_folder() / "run.jsonl";
  const std::string whole = text_of(journal);
  const std::string half = whole.substr(0, whole.size() / 2);
  const std::string kept = half.substr(0, half.rfind('\n') + 1);
  ASSERT_NE(kept, half) << "the cut goes through a line";
  write_text(journal, half);
  const auto outcome = run({"bench", "run", "--resume", run_folder().string()});
  EXPECT_EQ(outcome.exit, 0) << outcome.err;
  EXPECT_TRUE(outcome.err.starts_with("aisp: torn last line dropped at byte ")) << outcome.err;
  EXPECT_TRUE(text_of(journal).starts_with(kept)) << "every whole line survives";
  const RunFile run = recorded();
  EXPECT_EQ(run.warning, "");
  EXPECT_EQ(latest_rows(run).size(), 4u);
  for (const auto& row : latest_rows(run)) EXPECT_EQ(name_of(row.status), "measured");
  ASSERT_TRUE(run.end.has_value());
  EXPECT_EQ(name_of(run.end->status), "complete");
}

TEST_F(BadFiles, FinishedEntriesAreNotRunAgain) {
  ASSERT_EQ(run(bench("fx:good,fx:slow") + briefly).exit, 0);
  const auto attempts = recorded().attempts.size();
  // Also from inside, with the folder called ".": the history stays beside the run's folder.
  const auto inside = run_folder();
  const auto outcome = run({"bench", "run", "--resume", "."},
                           [&] { [[maybe_unused]] const int moved = chdir(inside.c_str()); });
  EXPECT_EQ(outcome.exit, 0) << outcome.err;
  EXPECT_EQ(recorded().attempts.size(), attempts);
  EXPECT_FALSE(std::filesystem::exists(inside / "history.sqlite"));
}

TEST_F(BadFiles, RunFileOfAnotherVersionIsLeftAlone) {
  ASSERT_EQ(run(bench("fx:good") + briefly).exit, 0);
  const auto journal = run_folder() / "run.jsonl";
  std::string text = text_of(journal);
  const auto at = text.find("\"schema\":1");
  ASSERT_NE(at, std::string::npos);
  text.replace(at, 10, "\"schema\":9");
  write_text(journal, text);
  expect_refused(run({"bench", "run", "--resume", run_folder().string()}), 4, "run.jsonl line 1");
  EXPECT_EQ(text_of(journal), text);
}

TEST_F(BadFiles, TwoRunsAtOnceIntoOneHistory) {
  const Words words = bench("fx:good,fx:slow") + briefly;
  const auto first = start(words), second = start(words);
  const auto a = first->wait(), b = second->wait();
  EXPECT_EQ(a.exit, 0) << a.err;
  EXPECT_EQ(b.exit, 0) << b.err;
  const auto folders = run_folders();
  ASSERT_EQ(folders.size(), 2u);
  const auto history = run({"history"});
  EXPECT_EQ(history.exit, 0);
  for (const auto& each : folders) {
    EXPECT_EQ(latest_rows(read_run(each)).size(), 4u);
    EXPECT_NE(history.out.find(each.filename().string()), std::string::npos) << history.out;
  }
  EXPECT_EQ(lines_of(history.out).size(), 1u + 8u) << history.out;
}

// The table is what was measured for: it is shown whatever becomes of the files.
TEST_F(BadFiles, ARunThatCannotWriteItsDocumentStillShowsItsTable) {
  const auto program =
      start(bench("fx:slow") + Words{"--quick", "--l2", "hot", "--iterations", "200"});
  ASSERT_TRUE(eventually([&] { return !program->children().empty() && !run_folders().empty(); }));
  std::filesystem::create_directories(run_folder() / document_name / "in the way");
  const Outcome outcome = program->wait();
  EXPECT_EQ(outcome.exit, 4);
  EXPECT_NE(outcome.out.find("measured"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.err.find("the run is only in its journal: "), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find(std::string(document_name)), std::string::npos) << outcome.err;
  EXPECT_EQ(outcome.last_line().rfind("good", 0), std::string::npos) << outcome.last_line();
  std::filesystem::remove_all(run_folder() / document_name);
  EXPECT_FALSE(latest_rows(read_run(run_folder())).empty());
}

TEST_F(BadFiles, ARunThatIsStillGoingOnIsNotResumed) {
  const auto program =
      start(bench("fx:slow") + Words{"--quick", "--l2", "hot", "--iterations", "5000"});
  ASSERT_TRUE(eventually([&] { return !program->children().empty() && !run_folders().empty(); }));
  expect_refused(run({"bench", "run", "--resume", run_folder().string()}), 2,
                 "another process is writing");
  program->send(SIGINT);
  EXPECT_EQ(program->wait().exit, 130);
}

}  // namespace
}  // namespace aisp::lab
