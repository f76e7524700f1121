#include "lab/record/file.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <thread>

#include "tests/support/files.hpp"

namespace aisp::lab {
namespace {

std::string what(const base::Refusal& refusal) { return refusal.what(); }

TEST(WriteWhole, AFullDeviceIsRefusedWithReasonAndWayOut) {
  const FileDescriptor full(::open("/dev/full", O_WRONLY));
  if (full.get() < 0) GTEST_SKIP() << "no /dev/full here";
  const auto refusal = refusal_of([&] { write_whole(full.get(), "x", "/dev/full", "free space"); });
  EXPECT_EQ(refusal.exit(), base::Exit::environment);
  EXPECT_EQ(what(refusal), "cannot write /dev/full: No space left on device; free space");
}

// A pipe takes a part at a time and a signal comes every millisecond: every byte arrives once.
TEST(WriteWhole, SignalsAndShortWritesLoseNothing) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const FileDescriptor reader(ends[0]);
  FileDescriptor writer(ends[1]);
  std::string sent(1 << 20, '\0'), got;
  for (std::size_t i = 0; i < sent.size(); ++i) sent[i] = static_cast<char>(i * 2654435761u >> 24);

  struct sigaction action {
  }, old_action{};
  action.sa_handler = [](int) {};  // without SA_RESTART: a blocked write ends in EINTR
  ::sigaction(SIGALRM, &action, &old_action);
  sigset_t alarm;
  ::sigemptyset(&alarm);
  ::sigaddset(&alarm, SIGALRM);
  ::pthread_sigmask(SIG_BLOCK, &alarm, nullptr);  // the reading thread inherits the mask
  std::thread thread([&] {
    char part[4096];
    for (ssize_t count; (count = ::read(reader.get(), part, sizeof part)) > 0;) {
      got.append(part, static_cast<std::size_t>(count));
      std::this_thread::sleep_for(std::chrono::microseconds(300));
    }
  });
  ::pthread_sigmask(SIG_UNBLOCK, &alarm, nullptr);
  const itimerval every_ms{{0, 1000}, {0, 1000}}, never{};
  ::setitimer(ITIMER_REAL, &every_ms, nullptr);
  write_whole(writer.get(), sent, "pipe", "");
  ::setitimer(ITIMER_REAL, &never, nullptr);
  { const FileDescriptor closed = std::move(writer); }
  thread.join();
  ::sigaction(SIGALRM, &old_action, nullptr);
  EXPECT_TRUE(got == sent) << got.size() << " of " << sent.size() << " bytes";
}

// Whoever can write the folder knows the process and counts along.
TEST(ReplaceFile, FollowsNoLinkThatIsPlantedBesideIt) {
  const TemporaryFolder folder;
  const auto path = folder.path() / "x.json", victim = folder.path() / "victim";
  write_text(victim, "untouched");
  for (int count = 0; count < 200; ++count)
    std::filesystem::create_symlink(victim, base::say(path.string(), ".", ::getpid(), ".", count));
  replace_file(path, "new", "");
  EXPECT_EQ(text_of(victim), "untouched");
  EXPECT_EQ(text_of(path), "new");
  EXPECT_FALSE(std::filesystem::is_symlink(path));
}

TEST(ReplaceFile, PutsNothingInThePlaceOfADeviceOrAFifo) {
  const TemporaryFolder folder;
  const auto fifo = folder.path() / "fifo", link = folder.path() / "link";
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  std::filesystem::create_symlink("/dev/null", link);
  EXPECT_EQ(what(refusal_of([&] { replace_file(fifo, "text", "way out"); })),
            "cannot write " + fifo.string() + ": it is a FIFO, not a regular file; way out");
  EXPECT_EQ(what(refusal_of([&] { replace_file(link, "text", "way out"); })),
            "cannot write " + link.string() + ": it is a device, not a regular file; way out");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 2);
}

TEST(ReadWhole, RefusesWhatIsNoRegularFileAndNeverWaits) {
  const TemporaryFolder folder;
  const auto fifo = folder.path() / "fifo";
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  EXPECT_EQ(what(refusal_of([&] { read_whole(fifo); })),
            "cannot read " + fifo.string() +
                ": it is a FIFO, not a regular file; give a regular file that you may read");
  EXPECT_NE(what(refusal_of([&] { read_whole("/dev/zero"); })).find("it is a device"),
            std::string::npos);
}

TEST(ReplaceFile, LeavesTheOldFileWhenTheNewOneCannotBeWritten) {
  const TemporaryFolder folder;
  const auto path = folder.path() / "x.json";
  replace_file(path, "old", "");
  const auto old_action = std::signal(SIGXFSZ, SIG_IGN);
  rlimit old_limit{};
  ::getrlimit(RLIMIT_FSIZE, &old_limit);
  const rlimit limit{10, old_limit.rlim_max};
  ::setrlimit(RLIMIT_FSIZE, &limit);
  const auto refusal = refusal_of([&] { replace_file(path, std::string(100, 'n'), "way out"); });
  ::setrlimit(RLIMIT_FSIZE, &old_limit);
  std::signal(SIGXFSZ, old_action);
  EXPECT_EQ(refusal.exit(), base::Exit::environment);
  EXPECT_EQ(text_of(path), "old");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);
  replace_file(path, "new", "");
  EXPECT_EQ(text_of(path), "new");
}

}  // namespace
}  // namespace aisp::lab
