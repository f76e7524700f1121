// The cache among processes: many at once, killed ones, and those whose disk or home is of no use.
#include <fcntl.h>
#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <csignal>
#include <fstream>

#include "tests/jit/cache/cache_test.hpp"

namespace aisp::jit {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class Processes : public CacheTest {
 protected:
  Store quiet_store(double wait_seconds = 60) {
    return Store({.folder = folder, .wait_seconds = wait_seconds, .say = [](const auto&) {}});
  }
  int lines_of_compiles() const {
    std::ifstream file(files.path() / "compiles");
    int lines = 0;
    for (std::string line; std::getline(file, line);) ++lines;
    return lines;
  }
  // A compile that leaves a line behind.
  Entry compile_slowly(int microseconds) const {
    const std::string path = (files.path() / "compiles").string();
    const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
    if (write(file, "one\n", 4) != 4) _exit(9);
    close(file);
    usleep(microseconds);
    return some_entry();
  }
};

TEST_F(Processes, OfSixteenOnOneColdKeyOneCompiles) {
  std::vector<pid_t> children;
  for (int number = 0; number < 16; ++number) {
    const pid_t child = fork();
    if (child == 0) {
      Store store = quiet_store();
      const Entry entry = store.get(some_key, [&] { return compile_slowly(300000); });
      _exit(same(entry, some_entry()) ? 0 : 1);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = -1;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(lines_of_compiles(), 1);
}

TEST_F(Processes, ADeadOneFreesItsLock) {
  const pid_t holder = fork();
  if (holder == 0) {
    Store store = quiet_store();
    store.get(some_key, [&] { return compile_slowly(60000000); });
    _exit(0);
  }
  while (lines_of_compiles() == 0) usleep(1000);
  kill(holder, SIGKILL);
  waitpid(holder, nullptr, 0);
  Store store = quiet_store();
  EXPECT_TRUE(same(get(store), some_entry()));
  EXPECT_EQ(compiles, 1);
  EXPECT_TRUE(store.find(some_key));
}

TEST_F(Processes, AStuckOneIsNotWaitedForTooLong) {
  const pid_t holder = fork();
  if (holder == 0) {
    Store store = quiet_store();
    store.get(some_key, [&] { return compile_slowly(60000000); });
    _exit(0);
  }
  while (lines_of_compiles() == 0) usleep(1000);
  Store store = quiet_store(0.05);
  EXPECT_TRUE(same(get(store), some_entry()));
  EXPECT_EQ(compiles, 1);
  kill(holder, SIGKILL);
  waitpid(holder, nullptr, 0);
}

// Runs until its `stop`-th stop at a system call, counted from its own mark (getppid), and is
// killed there. False where it ended before.
bool killed_at(int stop, const std::function<void()>& body) {
  const pid_t child = fork();
  if (child == 0) {
    ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
    raise(SIGSTOP);
    body();
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  for (int seen = 0; WIFSTOPPED(status); ++seen) {
    if (seen == stop) {
      kill(child, SIGKILL);
      waitpid(child, &status, 0);
      return true;
    }
    ptrace(PTRACE_SYSCALL, child, nullptr, nullptr);
    waitpid(child, &status, 0);
  }
  return false;
}

TEST_F(Processes, KilledAtAnySystemCallLeaveNothingHalf) {
  int stop = 0, whole = 0;
  for (;; ++stop) {
    clear_cache(folder);
    const bool killed = killed_at(stop, [&] {
      Store store = quiet_store();
      store.get(some_key, some_entry);
    });
    Store store = make_store();
    if (const auto kept = store.find(some_key)) {
      ++whole;
      ASSERT_TRUE(same(*kept, some_entry())) << "killed at stop " << stop;
    }
    ASSERT_TRUE(same(get(store), some_entry()));
    ASSERT_TRUE(store.find(some_key)) << "killed at stop " << stop;
    ASSERT_FALSE(std::filesystem::exists(file(".bad"))) << "killed at stop " << stop;
    if (!killed) break;
  }
  EXPECT_GT(stop, 20) << "the child makes so many calls, and was killed at each";
  EXPECT_GT(whole, 1);
  EXPECT_TRUE(said.empty());
}

TEST_F(Processes, GoOnWhenTheDiskIsFull) {
  std::filesystem::create_directories(folder.parent_path());
  const int code = in_child([&] {
    signal(SIGXFSZ, SIG_IGN);  // so that the write fails, as it does on a full disk
    const rlimit limit{100000, 100000};
    setrlimit(RLIMIT_FSIZE, &limit);
    Store store = make_store();
    const bool good = same(get(store), some_entry()) && same(get(store), some_entry());
    return good && compiles == 2 && said.size() == 1 &&
                   said[0] == "kernel cache: cannot write: File too large; going on without it"
               ? 0
               : 1;
  });
  EXPECT_EQ(code, 0);
  for (const auto& one : std::filesystem::directory_iterator(folder))
    EXPECT_EQ(one.path().extension(), ".lock") << "no half file is left";
}

TEST_F(Processes, GoOnWhenAFileSystemIsFull) {
  const auto disk = files.path() / "disk";
  std::filesystem::create_directory(disk);
  if (mount("tmpfs", disk.c_str(), "tmpfs", 0, "size=64k,mode=0700") != 0)
    GTEST_SKIP() << "a small file system needs the right to mount";
  folder = disk / "kernels";
  {
    Store store = make_store();
    EXPECT_TRUE(same(get(store), some_entry()));
    EXPECT_TRUE(same(get(store), some_entry()));
  }
  EXPECT_EQ(compiles, 2);
  EXPECT_THAT(said, ElementsAre(HasSubstr("No space left on device; going on without it")));
  umount2(disk.c_str(), MNT_DETACH);
}

TEST_F(Processes, GoOnInAReadOnlyHome) {
  std::filesystem::create_directories(files.path() / "home");
  chmod(files.path().c_str(), 0755);
  chmod((files.path() / "home").c_str(), 0555);
  folder = files.path() / "home" / "kernels";
  const int code = in_child([&] {
    if (geteuid() == 0 && setuid(65534) != 0) return 2;
    Store store = make_store();
    const bool good = same(get(store), some_entry()) && same(get(store), some_entry());
    return good && compiles == 2 && said.size() == 1 &&
                   said[0].find("going on without it") != std::string::npos
               ? 0
               : 1;
  });
  EXPECT_EQ(code, 0);
}

TEST_F(Processes, ReadAReadOnlyCache) {
  Store writer = make_store();
  get(writer);
  chmod(folder.c_str(), 0500);
  Store reader = make_store();
  EXPECT_TRUE(same(get(reader), some_entry()));
  EXPECT_EQ(compiles, 1);
  chmod(folder.c_str(), 0700);
}

}  // namespace
}  // namespace aisp::jit
