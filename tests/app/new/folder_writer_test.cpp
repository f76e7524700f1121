// All files or none, whatever happens in between.
#include "app/new/folder_writer.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "tests/support/files.hpp"

namespace aisp::app {
namespace {

namespace fs = std::filesystem;
using lab::refusal_of;
using lab::text_of;

const std::vector<NewFile> files{{"a.txt", "first\n"}, {"deep/er/b.txt", std::string(4096, 'x')}};

class FolderWriter : public testing::Test {
 protected:
  fs::path at(const std::string& name) const { return folder_.path() / name; }
  std::size_t entries() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(folder_.path()), fs::directory_iterator()));
  }

 private:
  lab::TemporaryFolder folder_;
};

TEST_F(FolderWriter, MakesTheFolder) {
  write_folder(at("new"), files);
  EXPECT_EQ(text_of(at("new/a.txt")), "first\n");
  EXPECT_EQ(text_of(at("new/deep/er/b.txt")).size(), 4096u);
  EXPECT_EQ(entries(), 1u);
  const mode_t mask = umask(0);
  umask(mask);
  EXPECT_EQ(fs::status(at("new")).permissions(), static_cast<fs::perms>(0777 & ~mask));
}

TEST_F(FolderWriter, FillsAnEmptyFolderAndLeavesItInItsPlace) {
  fs::create_directory(at("there"));
  struct stat before {
  }, after{};
  stat(at("there").c_str(), &before);
  write_folder(at("there"), files);
  stat(at("there").c_str(), &after);
  EXPECT_EQ(before.st_ino, after.st_ino);
  EXPECT_EQ(text_of(at("there/a.txt")), "first\n");
  EXPECT_EQ(std::distance(fs::directory_iterator(at("there")), fs::directory_iterator()), 2);
}

TEST_F(FolderWriter, LetsTheFilesBeFinished) {
  write_folder(at("new"), files, [](const auto& paths) {
    ASSERT_EQ(paths.size(), 2u);
    lab::write_text(paths[0], "other\n");
  });
  EXPECT_EQ(text_of(at("new/a.txt")), "other\n");
}

TEST_F(FolderWriter, LeavesNothingWhenTheDiskIsFull) {
  // A limit on the size of a file is refused by the same call as a full disk.
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const auto handler = signal(SIGXFSZ, SIG_IGN);
  const rlimit small{1000, before.rlim_max};
  setrlimit(RLIMIT_FSIZE, &small);
  const auto refusal = refusal_of([&] { write_folder(at("new"), files); });
  setrlimit(RLIMIT_FSIZE, &before);
  signal(SIGXFSZ, handler);
  EXPECT_EQ(refusal.exit(), base::Exit::environment);
  EXPECT_NE(std::string(refusal.what()).find("deep/er/b.txt': File too large; nothing was made"),
            std::string::npos)
      << refusal.what();
  EXPECT_EQ(entries(), 0u);
}

TEST_F(FolderWriter, LeavesNothingWhenInterrupted) {
  sigset_t interrupt, before;
  sigemptyset(&interrupt);
  sigaddset(&interrupt, SIGINT);
  sigprocmask(SIG_BLOCK, &interrupt, &before);
  raise(SIGINT);
  const auto refusal = refusal_of([&] { write_folder(at("new"), files); });
  int number = 0;
  sigwait(&interrupt, &number);
  sigprocmask(SIG_SETMASK, &before, nullptr);
  EXPECT_EQ(refusal.exit(), base::Exit::interrupted);
  EXPECT_EQ(entries(), 0u);
}

TEST_F(FolderWriter, NamesAPlaceThatCannotBeWritten) {
  const auto refusal = refusal_of([] { write_folder("/proc/new", files); });
  EXPECT_EQ(refusal.exit(), base::Exit::environment);
  EXPECT_NE(std::string(refusal.what()).find("cannot write '/proc': "), std::string::npos);
}

TEST_F(FolderWriter, KeepsWhatAppearedMeanwhile) {
  const auto refusal = refusal_of([&] {
    write_folder(at("new"), files, [&](const auto&) {
      fs::create_directory(at("new"));
      lab::write_text(at("new/theirs"), "kept");
    });
  });
  EXPECT_EQ(refusal.exit(), base::Exit::environment);
  EXPECT_EQ(text_of(at("new/theirs")), "kept");
  EXPECT_EQ(entries(), 1u);
}

}  // namespace
}  // namespace aisp::app
