#include "lab/record/history.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <map>
#include <set>
#include <thread>

#include "tests/lab/record/sample_records.hpp"

namespace aisp::lab {
namespace {

RunFile run_at(const std::string& id, const std::string& started) {
  RunFile run = small_run(id, 4, 1, 0, 0);
  run.header.started = started;
  return run;
}

TEST(History, KeepsRunsAndRowsNewestFirst) {
  const TemporaryFolder folder;
  {
    History history(folder.path() / history_name);
    history.record(run_at("old", "2026-01-01T00:00:00Z"));
    history.record(run_at("new", "2026-01-02T00:00:00Z"));
  }
  History history(folder.path() / history_name);
  const auto rows = history.rows(std::nullopt, 10);
  ASSERT_EQ(rows.size(), 4u);
  EXPECT_EQ(rows[0].run, "new");
  EXPECT_EQ(rows[0].rung, "baseline");
  EXPECT_EQ(rows[1].rung, "one_pass");
  EXPECT_EQ(rows[1].median_ms, 1.0);
  EXPECT_EQ(rows[1].speedup, 4.0);
  EXPECT_EQ(rows[1].hardware, "h200");
  EXPECT_EQ(rows[1].target, "ch09:memory_bound");
  EXPECT_EQ(rows[1].commit, "abc123");
  EXPECT_EQ(name_of(rows[1].status), "measured");
  EXPECT_EQ(rows[1].roof_share, std::nullopt);
  EXPECT_EQ(rows[2].run, "old");
  EXPECT_EQ(history.rows(std::nullopt, 3).size(), 3u);
  EXPECT_EQ(history.latest_run(), "new");
}

TEST(History, FindsByTargetAndChapter) {
  const TemporaryFolder folder;
  History history(folder.path() / history_name);
  EXPECT_EQ(history.latest_run(), std::nullopt);
  history.record(run_at("nine", "2026-01-01T00:00:00Z"));
  RunFile ten = run_at("ten", "2026-01-02T00:00:00Z");
  ten.header.plan[0] = {"ch10:matmul/64", "ch10:matmul", "", {64}, {"baseline"}};
  ten.rows = {row_of("ch10:matmul/64", "baseline", 1, RowStatus::failed, "illegal address")};
  history.record(ten);
  EXPECT_EQ(history.rows("ch09:memory_bound", 10).size(), 2u);
  EXPECT_EQ(history.rows("ch10", 10).size(), 1u);
  EXPECT_EQ(history.rows("ch10", 10)[0].reason, "illegal address");
  EXPECT_EQ(history.rows("ch1", 10).size(), 0u);
  EXPECT_EQ(history.latest_run("ch09"), "nine");
  EXPECT_EQ(history.latest_run("ch10"), "ten");
  EXPECT_EQ(history.latest_run("ch11"), std::nullopt);
}

TEST(History, RecordingARunAgainReplacesIt) {
  const TemporaryFolder folder;
  History history(folder.path() / history_name);
  RunFile run = small_run("a");
  for (int i = 0; i < 3; ++i) history.record(run);
  EXPECT_EQ(history.rows(std::nullopt, 100).size(), 2u);
  run.rows[1].median_ms = 0.5;
  run.rows.erase(run.rows.begin());
  history.record(run);
  const auto rows = history.rows(std::nullopt, 100);
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].median_ms, 0.5);
}

TEST(History, ARunWithoutDeviceOrEndIsKeptToo) {
  const TemporaryFolder folder;
  History history(folder.path() / history_name);
  RunFile run = small_run("a");
  run.device.reset();
  run.end.reset();
  run.rows[0].median_ms = std::numeric_limits<double>::quiet_NaN();
  history.record(run);
  EXPECT_EQ(history.rows(std::nullopt, 100).size(), 2u);
}

void write_runs(const std::filesystem::path& path, const std::string& who, int count) {
  History history(path);
  for (int i = 0; i < count; ++i) {
    RunFile run = small_run(who + std::to_string(i), 4, 1, 0, 0);
    run.rows.pop_back();
    history.record(run);
  }
}

void expect_all(History& history, const std::vector<std::string>& writers, int count) {
  std::set<std::string> runs;
  for (const auto& row : history.rows(std::nullopt, 100'000)) runs.insert(row.run);
  EXPECT_EQ(runs.size(), writers.size() * static_cast<std::size_t>(count));
  for (const auto& who : writers)
    for (int i = 0; i < count; ++i) EXPECT_TRUE(runs.contains(who + std::to_string(i))) << who << i;
}

// Both processes also create the file, at the same moment.
TEST(History, TwoProcessesWriteAtOnce) {
  for (int round = 0; round < 3; ++round) {
    const TemporaryFolder folder;
    const auto path = folder.path() / history_name;
    std::vector<pid_t> children;
    for (const char* who : {"left", "right"}) {
      const pid_t child = ::fork();
      if (child == 0) {
        try {
          write_runs(path, who, 200);
          ::_exit(0);
        } catch (const std::exception& error) {
          ::_exit((std::fputs(error.what(), stderr), 1));
        }
      }
      children.push_back(child);
    }
    for (const pid_t child : children) {
      int status = -1;
      ASSERT_EQ(::waitpid(child, &status, 0), child);
      EXPECT_EQ(status, 0);
    }
    History history(path);
    expect_all(history, {"left", "right"}, 200);
  }
}

TEST(History, ThreadsWriteAtOnceWithOneHistoryOrTheirOwn) {
  const TemporaryFolder folder;
  const auto path = folder.path() / history_name;
  History shared(path);
  const auto write_shared = [&](const std::string& who) {
    for (int i = 0; i < 50; ++i) {
      RunFile run = small_run(who + std::to_string(i), 4, 1, 0, 0);
      shared.record(run);
    }
  };
  std::thread a([&] { write_shared("a"); }), b([&] { write_shared("b"); });
  std::thread c([&] { write_runs(path, "c", 50); }), d([&] { write_runs(path, "d", 50); });
  for (auto* thread : {&a, &b, &c, &d}) thread->join();
  expect_all(shared, {"a", "b", "c", "d"}, 50);
}

// Killed while writing: the file opens again, and each run is there whole or not at all.
TEST(History, AKilledWriterLeavesNoHalfRun) {
  const TemporaryFolder folder;
  const auto path = folder.path() / history_name;
  { History create(path); }
  for (int round = 0; round < 10; ++round) {
    const pid_t child = ::fork();
    if (child == 0) {
      History history(path);
      for (int i = 0;; ++i) history.record(small_run(base::say(round, '-', i), 4, 1, 0, 0));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5 + 7 * round));
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    History history(path);
    std::map<std::string, int> rows;
    for (const auto& row : history.rows(std::nullopt, 1'000'000)) ++rows[row.run];
    for (const auto& [run, count] : rows) ASSERT_EQ(count, 2) << run;
  }
}

void expect_refused_untouched(const std::filesystem::path& path, const std::string& expected) {
  const std::string before = text_of(path);
  const auto refusal = refusal_of([&] { History history(path); });
  const std::string line = refusal.what();
  EXPECT_EQ(refusal.exit(), base::Exit::environment);
  EXPECT_NE(line.find(expected), std::string::npos) << line;
  EXPECT_NE(line.find(path.string()), std::string::npos) << line;
  EXPECT_EQ(line.find('\n'), std::string::npos) << line;
  EXPECT_EQ(text_of(path), before) << "a refused history must stay as it was";
}

void execute(const std::filesystem::path& path, const char* sql) {
  Database database(path.string());
  database.execute(sql);
}

TEST(History, WhatIsNotAHistoryIsRefusedAndLeftAlone) {
  const TemporaryFolder folder;
  const auto text = folder.path() / "text.sqlite";
  write_text(text, std::string(5000, 'x'));
  expect_refused_untouched(text, "move the file away");

  const auto newer = folder.path() / "newer.sqlite";
  execute(newer, "CREATE TABLE t(x); PRAGMA user_version = 7");
  expect_refused_untouched(newer, "newer aisp (schema 7, this one knows 1)");

  const auto foreign = folder.path() / "foreign.sqlite";
  execute(foreign, "CREATE TABLE somebody(x)");
  expect_refused_untouched(foreign, "another program's database");

  const auto no_folder = folder.path() / "no" / "history.sqlite";
  const auto refusal = refusal_of([&] { History history(no_folder); });
  EXPECT_EQ(refusal.exit(), base::Exit::environment);
  EXPECT_NE(std::string(refusal.what()).find("--out DIR"), std::string::npos) << refusal.what();
}

TEST(History, ADamagedPageIsRefusedNotRepaired) {
  const TemporaryFolder folder;
  const auto path = folder.path() / history_name;
  write_runs(path, "a", 100);
  std::string bytes = text_of(path);
  ASSERT_GT(bytes.size(), 3 * 4096u);
  // All pages but the first, which says that it is a database.
  std::fill(bytes.begin() + 4096, bytes.end(), '\x5a');
  write_text(path, bytes);
  const auto refusal = refusal_of([&] { History(path).record(small_run("b")); });
  EXPECT_EQ(refusal.exit(), base::Exit::environment);
  EXPECT_NE(std::string(refusal.what()).find("malformed; move the file away"), std::string::npos)
      << refusal.what();
}

}  // namespace
}  // namespace aisp::lab
