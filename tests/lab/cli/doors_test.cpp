// Files that are no files, and folders that somebody else made: each is refused in one sentence,
// nothing waits, and nothing is read or written elsewhere.
#include <sys/stat.h>

#include <csignal>

#include "tests/lab/cli/program.hpp"

namespace aisp::lab {
namespace {

namespace fs = std::filesystem;

class Doors : public FixtureTest {
 protected:
  fs::path make_fifo(const fs::path& path) {
    fs::create_directories(path.parent_path());
    EXPECT_EQ(mkfifo(path.c_str(), 0600), 0) << path;
    return path;
  }
  // Fails, and does not wait, where the program does.
  Outcome run_soon(const Words& words) {
    const auto program = start(words);
    const bool ended = eventually([&] { return !program->running(); }, 10);
    EXPECT_TRUE(ended) << "it waits: " << words.front();
    if (!ended) program->send(SIGKILL);
    return program->wait();
  }
};

TEST_F(Doors, AFifoIsNoFileToRead) {
  const std::string said = "it is a FIFO, not a regular file";
  const std::string fifo = make_fifo(folder() / "fifo").string();
  const std::string json = make_fifo(folder() / "fifo.json").string();
  make_fifo(folder() / "run" / "run.jsonl");
  for (const Words& words :
       {Words{"report", fifo}, Words{"report", json}, Words{"report", "run"},
        Words{"compare", fifo, fifo}, Words{"history", "import", "run"},
        Words{"bench", "run", "--resume", "run"}, Words{"sweep", "--resume", "run"},
        Words{"expectations", "check", fifo},
        Words{"check", "--suppressions", fifo, "--", "/bin/true"}})
    expect_refused(run_soon(words), 4, said);
  expect_refused(run_soon(bench("fx:good") + briefly + Words{"--load", fifo}), 4, "is no file");
  expect_refused(run_soon({"report", "/dev/zero"}), 4, "it is a device, not a regular file");
}

TEST_F(Doors, AFifoInThePlaceOfOwnFilesIsRefused) {
  const std::string said = "it is a FIFO, not a regular file";
  make_fifo(ceilings());
  expect_refused(run_soon(bench("fx:good") + briefly), 4, said);
  fs::remove(ceilings());
  make_fifo(expectations());
  expect_refused(run_soon(bench("fx:good") + briefly), 4, said);
  fs::remove(expectations());
  make_fifo(runs() / "history.sqlite");
  expect_refused(run_soon({"history"}), 4, said);
  const auto outcome = run_soon(bench("fx:good") + briefly);
  EXPECT_EQ(outcome.exit, 0) << "a history costs no result";
  EXPECT_NE(outcome.err.find(said), std::string::npos) << outcome.err;
}

TEST_F(Doors, AFifoIsNoFileToWrite) {
  ASSERT_EQ(run(bench("fx:good") + briefly).exit, 0);
  const std::string fifo = make_fifo(folder() / "fifo").string();
  for (const char* option : {"--out", "--markdown"}) {
    const auto outcome = run_soon({"report", option, fifo});
    EXPECT_EQ(outcome.exit, 4);
    EXPECT_NE(outcome.err.find("it is a FIFO, not a regular file; choose another file with"),
              std::string::npos)
        << outcome.err;
  }
  EXPECT_TRUE(fs::is_fifo(fifo));
}

TEST_F(Doors, AResumedRunWritesBelowItsOwnFolder) {
  ASSERT_EQ(run(bench("fx:good") + briefly).exit, 0);
  const Words resume{"bench", "run", "--resume", run_folder().string()};
  fs::create_directories(folder() / "elsewhere");
  for (const char* name : {"traces", "profiles"}) {
    fs::create_directory_symlink(folder() / "elsewhere", run_folder() / name);
    expect_refused(run(resume), 2,
                   "is a symbolic link, and a run writes only below its own folder");
    fs::remove(run_folder() / name);
  }
  const fs::path journal = run_folder() / "run.jsonl", moved = folder() / "moved.jsonl";
  fs::rename(journal, moved);
  fs::create_symlink(moved, journal);
  expect_refused(run(resume), 4, "run.jsonl: it is a symbolic link");
}

TEST_F(Doors, AnImportedRunBringsItsOwnFilesAlong) {
  ASSERT_EQ(run(bench("fx:good") + briefly).exit, 0);
  fs::create_directories(folder() / "private");
  write_text(folder() / "private" / "key.json", "secret");
  fs::create_directory_symlink(folder() / "private", run_folder() / "traces");
  ASSERT_EQ(run({"history", "import", run_folder().string(), "--out", "copies"}).exit, 0);
  EXPECT_FALSE(fs::exists(folder() / "copies" / run_folder().filename() / "traces"));
}

// Chapters of a run file name folders, where expectations are read and written.
TEST_F(Doors, AChapterIsNoPath) {
  ASSERT_EQ(run(bench("fx:good") + briefly).exit, 0);
  std::string journal = text_of(run_folder() / "run.jsonl");
  for (auto at = journal.find("fx:good"); at != std::string::npos; at = journal.find("fx:good"))
    journal.replace(at, 7, "../x:g");
  write_text(run_folder() / "run.jsonl", journal);
  fs::create_directories(folder() / "x");
  expect_refused(run({"bench", "run", "--resume", run_folder().string()}), 2,
                 "'../x' is no name of a chapter");
}

TEST_F(Doors, ASweepWithoutATargetIsRefused) {
  ASSERT_EQ(run({"sweep", "fx:good", "--axis", "N=64,128", "--l2", "hot", "--iterations", "3",
                 "--warmup", "1"})
                .exit,
            0);
  std::string journal = text_of(run_folder() / "run.jsonl");
  const auto at = journal.find("\"command\":[\"sweep\",\"fx:good\",");
  ASSERT_NE(at, std::string::npos);
  journal.replace(at, 29, "\"command\":[\"sweep\",");
  write_text(run_folder() / "run.jsonl", journal);
  expect_refused(run({"sweep", "--resume", run_folder().string()}), 2,
                 "does not say which target it sweeps");
}

}  // namespace
}  // namespace aisp::lab
