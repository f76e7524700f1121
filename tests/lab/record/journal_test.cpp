#include "lab/record/journal.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <random>
#include <thread>

#include "tests/lab/record/sample_records.hpp"

namespace aisp::lab {
namespace {

std::string what(const base::Refusal& refusal) { return refusal.what(); }

TEST(Journal, WritesWhatItIsGivenLineByLine) {
  const TemporaryFolder folder;
  const RunFile run = small_run("a");
  {
    Journal journal(folder.path() / "runs" / "a", Journal::Open::fresh);
    journal.append(records_of(run));
  }
  EXPECT_EQ(read_run(folder.path() / "runs" / "a"), run);
  EXPECT_EQ(read_run(folder.path() / "runs" / "a" / "run.jsonl"), run);
}

TEST(Journal, ResumeGoesOnAfterTheLastLine) {
  const TemporaryFolder folder;
  const RunFile run = small_run("a");
  const auto records = records_of(run);
  for (std::size_t i = 0; i < records.size(); ++i) {
    Journal journal(folder.path(), i == 0 ? Journal::Open::fresh : Journal::Open::resume);
    EXPECT_EQ(journal.warning(), "");
    journal.append(records[i]);
  }
  EXPECT_EQ(read_run(folder.path()), run);
}

// Cut at every byte of the last two lines: what was whole before stays, the rest is dropped, and
// what is appended afterwards can be read.
TEST(Journal, ATornLastLineIsCutOffAndReported) {
  const TemporaryFolder folder;
  const RunFile run = small_run("a");
  { Journal(folder.path(), Journal::Open::fresh).append(records_of(run)); }
  const auto path = folder.path() / journal_name;
  const std::string whole = text_of(path);
  const auto last = whole.rfind('\n', whole.size() - 2) + 1;
  const auto start = whole.rfind('\n', last - 2) + 1;
  for (auto size = start; size <= whole.size(); ++size) {
    write_text(path, whole.substr(0, size));
    const auto kept = size == whole.size() ? size : size >= last ? last : start;
    {
      Journal journal(folder.path(), Journal::Open::resume);
      EXPECT_EQ(journal.warning().empty(), kept == size) << size;
      if (kept != size) {
        EXPECT_NE(journal.warning().find(base::say("at byte ", kept)), std::string::npos)
            << journal.warning();
      }
      journal.append(*run.end);
    }
    ASSERT_EQ(text_of(path), whole.substr(0, kept) + to_line(*run.end)) << size;
  }
}

TEST(Journal, ALastLineOfGarbageWithANewlineIsTornToo) {
  const std::string good = to_line(small_run("a").header);
  const std::string zeros = std::string(20, '\0') + "\n";
  EXPECT_EQ(whole_lines(good).bytes, good.size());
  EXPECT_EQ(whole_lines(good + zeros).bytes, good.size());
  EXPECT_EQ(whole_lines(good + "{\"kind\":\"ro\n").bytes, good.size());
  EXPECT_EQ(whole_lines("").bytes, 0u);
  EXPECT_EQ(whole_lines("").warning, "");
}

TEST(Journal, AFreshOneNeverOverwritesAnother) {
  const TemporaryFolder folder;
  { Journal(folder.path(), Journal::Open::fresh).append(small_run("a").header); }
  const std::string before = text_of(folder.path() / journal_name);
  const auto refusal = refusal_of([&] { Journal(folder.path(), Journal::Open::fresh); });
  EXPECT_EQ(refusal.exit(), base::Exit::usage);
  EXPECT_NE(what(refusal).find("--resume"), std::string::npos) << what(refusal);
  EXPECT_EQ(text_of(folder.path() / journal_name), before);
}

TEST(Journal, ResumeWithoutAJournalIsRefused) {
  const TemporaryFolder folder;
  EXPECT_EQ(refusal_of([&] { Journal(folder.path(), Journal::Open::resume); }).exit(),
            base::Exit::usage);
  EXPECT_EQ(refusal_of([&] { Journal(folder.path() / "no", Journal::Open::resume); }).exit(),
            base::Exit::usage);
}

TEST(Journal, TwoProcessesNeverShareOne) {
  const TemporaryFolder folder;
  Journal journal(folder.path(), Journal::Open::fresh);
  const auto here = refusal_of([&] { Journal(folder.path(), Journal::Open::resume); });
  EXPECT_EQ(here.exit(), base::Exit::usage);
  EXPECT_NE(what(here).find("another process is writing " + journal.path().string()),
            std::string::npos);
  const pid_t child = ::fork();
  if (child == 0) {
    const auto there = refusal_of([&] { Journal(folder.path(), Journal::Open::resume); });
    ::_exit(there.exit() == base::Exit::usage ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

TEST(Journal, AFolderThatCannotBeMadeIsRefusedWithAWayOut) {
  const TemporaryFolder folder;
  write_text(folder.path() / "file", "");
  const auto refusal =
      refusal_of([&] { Journal(folder.path() / "file" / "run", Journal::Open::fresh); });
  EXPECT_EQ(refusal.exit(), base::Exit::environment);
  for (const char* part : {"file/run", "Not a directory", "--out DIR"})
    EXPECT_NE(what(refusal).find(part), std::string::npos) << what(refusal);
}

TEST(Journal, AFolderThatCannotBeWrittenIsRefusedWithAWayOut) {
  const TemporaryFolder folder;
  std::filesystem::permissions(
      folder.path(), std::filesystem::perms::owner_read | std::filesystem::perms::owner_exec);
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    if (::geteuid() == 0 && ::setuid(65534) != 0) ::_exit(1);  // root may write everywhere
    const auto refusal = refusal_of([&] { Journal(folder.path() / "run", Journal::Open::fresh); });
    write_whole(ends[1], what(refusal), "pipe", "");
    ::_exit(static_cast<int>(refusal.exit()));
  }
  ::close(ends[1]);
  const FileDescriptor reader(ends[0]);
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(WEXITSTATUS(status), static_cast<int>(base::Exit::environment));
  char text[1024];
  const std::string line(text, static_cast<std::size_t>(::read(reader.get(), text, sizeof text)));
  for (const char* part : {"/run", "Permission denied", "--out DIR"})
    EXPECT_NE(line.find(part), std::string::npos) << line;
}

// The file may grow to a limit and no further, as on a full disk: the append that does not fit is
// refused as a whole, and the next one that fits goes in behind the last whole line.
TEST(Journal, AFullDiskKeepsWholeLines) {
  const TemporaryFolder folder;
  const RunFile run = small_run("a");
  Journal journal(folder.path(), Journal::Open::fresh);
  journal.append(run.header);
  const auto size = std::filesystem::file_size(journal.path());

  const auto old_action = std::signal(SIGXFSZ, SIG_IGN);
  rlimit old_limit{};
  ::getrlimit(RLIMIT_FSIZE, &old_limit);
  const rlimit limit{size + 100, old_limit.rlim_max};
  ::setrlimit(RLIMIT_FSIZE, &limit);
  const auto refusal = refusal_of([&] { journal.append(records_of(small_run("b"))); });
  ::setrlimit(RLIMIT_FSIZE, &old_limit);
  std::signal(SIGXFSZ, old_action);

  EXPECT_EQ(refusal.exit(), base::Exit::environment);
  for (const char* part : {"run.jsonl", "File too large", "--out DIR"})
    EXPECT_NE(what(refusal).find(part), std::string::npos) << what(refusal);
  EXPECT_EQ(std::filesystem::file_size(journal.path()), size);
  journal.append(*run.end);
  EXPECT_EQ(text_of(journal.path()), to_line(run.header) + to_line(*run.end));
}

// The writer is killed at random moments: the file always reads, and holds every record whose
// append had returned.
TEST(Journal, KilledAtAnyMomentItLosesNothingThatWasRecorded) {
  std::mt19937 random(7);
  for (int round = 0; round < 50; ++round) {
    const TemporaryFolder folder;
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    const pid_t child = ::fork();
    if (child == 0) {
      Journal journal(folder.path(), Journal::Open::fresh);
      journal.append(small_run("a").header);
      for (int i = 0;; ++i) {
        journal.append(sample_of("e", "r", 1, i, 1.0));
        if (::write(ends[1], &i, sizeof i) != sizeof i) ::_exit(1);
      }
    }
    ::close(ends[1]);
    const FileDescriptor reader(ends[0]);
    int acknowledged = -1;
    ASSERT_EQ(::read(ends[0], &acknowledged, sizeof acknowledged),
              static_cast<ssize_t>(sizeof acknowledged));
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 8000));
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    for (int i; ::read(ends[0], &i, sizeof i) == sizeof i;) acknowledged = i;
    const RunFile run = read_run(folder.path());
    ASSERT_GT(run.samples.size(), static_cast<std::size_t>(acknowledged));
    for (std::size_t i = 0; i < run.samples.size(); ++i)
      ASSERT_EQ(run.samples[i].index, static_cast<int>(i));
  }
}

}  // namespace
}  // namespace aisp::lab
