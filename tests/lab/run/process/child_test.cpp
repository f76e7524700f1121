// Child starts the program it is in once more: here, this test program with a role to play.
#include "lab/run/process/child.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <iterator>
#include <map>

#include "base/text.hpp"
#include "tests/support/files.hpp"

namespace aisp::lab {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;
using Lines = std::vector<std::string>;

void say(const std::string& text) {
  if (write(worker_stream, text.data(), text.size()) < 0) _exit(99);
}

std::string standard_input() { return {std::istreambuf_iterator<char>(std::cin), {}}; }

const std::map<std::string, void (*)()> roles{
    {"echo", [] { say(standard_input()); }},
    {"exit5", [] { _exit(5); }},
    {"segfault", [] { std::raise(SIGSEGV); }},
    {"sleep",
     [] {
       say("asleep\n");
       while (true) pause();
     }},
    {"in pieces",
     [] {
       for (const char* piece : {"on", "e\ntw", "o\nthree", "\nno end"}) {
         say(piece);
         usleep(20'000);
       }
     }},
    {"endless",
     [] {
       say("first\n");
       const std::string part(1 << 20, 'x');
       for (int i = 0; i < 1024; ++i) say(part);
     }},
    {"log",
     [] {
       std::cout << "to standard output\n" << std::flush;
       std::cerr << "the last word\n   \n";
     }},
    {"environment",
     [] {
       for (const char* name : {"AISP_CHILD_TEST", "AISP_CHILD_TEST_TOO"}) {
         const char* value = std::getenv(name);
         say(std::string(value != nullptr ? value : "none") + "\n");
       }
     }},
    {"long word", [] { std::cerr << std::string(5000, 'x') << '\n'; }},
    {"signals",
     [] {
       std::string text;
       for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) {
         struct sigaction action {};
         sigaction(signal, nullptr, &action);
         text += action.sa_handler == SIG_DFL ? "default " : "other ";
       }
       say(text + (getpgrp() == getpid() ? "own group\n" : "parent's group\n"));
     }},
    // Starts a process that outlives it unless the whole group is killed.
    {"with child", [] {
       const pid_t child = fork();
       if (child == 0)
         while (true) pause();
       say(std::to_string(child) + "\n");
       while (true) pause();
     }}};

// Before main: a role never becomes a test program.
const bool played = [] {
  const auto words = base::split(text_of("/proc/self/cmdline"), '\0');
  if (words.size() < 3 || words[1] != "play") return false;
  roles.at(words[2])();
  _exit(0);
}();

class ChildTest : public testing::Test {
 protected:
  std::unique_ptr<Child> play(const std::string& role, const std::string& input = "") {
    return std::make_unique<Child>(Lines{"play", role}, input, log());
  }
  std::filesystem::path log() const { return folder_.path() / "worker.log"; }

  // All lines until the stream ends.
  static Lines all(Child& child) {
    Lines collected, lines;
    while (child.read(lines, Clock::now() + std::chrono::seconds(30), -1) == Child::Read::lines)
      collected.insert(collected.end(), lines.begin(), lines.end());
    return collected;
  }

 private:
  TemporaryFolder folder_;
};

TEST_F(ChildTest, GetsItsJobAndStreamsLines) {
  const auto child = play("echo", "first\nsecond\n");
  EXPECT_EQ(all(*child), (Lines{"first", "second"}));
  EXPECT_EQ(child->wait(), "");
  EXPECT_EQ(child->last_words(), "");
}

TEST_F(ChildTest, HasTheVariablesItIsGivenInThePlaceOfTheParents) {
  setenv("AISP_CHILD_TEST", "the parent's", 1);
  setenv("AISP_CHILD_TEST_TOO", "kept", 1);
  const auto with = [&](const Environment& environment) {
    Child child(Lines{"play", "environment"}, "", log(), environment);
    return all(child);
  };
  EXPECT_EQ(with({{"AISP_CHILD_TEST", "8"}}), (Lines{"8", "kept"}));
  EXPECT_EQ(with({}), (Lines{"the parent's", "kept"}));
  unsetenv("AISP_CHILD_TEST_TOO");
  EXPECT_EQ(with({{"AISP_CHILD_TEST", ""}}), (Lines{"", "none"}));
  EXPECT_STREQ(getenv("AISP_CHILD_TEST"), "the parent's");
  unsetenv("AISP_CHILD_TEST");
}

TEST_F(ChildTest, TakesAJobLargerThanAPipe) {
  std::string input;
  for (int i = 0; i < 40'000; ++i) input += "line " + std::to_string(i) + '\n';
  const auto child = play("echo", input);
  const Lines lines = all(*child);
  ASSERT_EQ(lines.size(), 40'000u);
  EXPECT_EQ(lines.back(), "line 39999");
}

TEST_F(ChildTest, ALineWithoutAnEndIsGivenUpBeforeItFillsTheMemory) {
  const auto child = play("endless");
  Lines lines;
  const auto until = Clock::now() + std::chrono::seconds(30);
  ASSERT_EQ(child->read(lines, until, -1), Child::Read::lines);
  EXPECT_EQ(lines, (Lines{"first"}));
  EXPECT_EQ(child->read(lines, until, -1), Child::Read::overlong);
  EXPECT_GT(child->partial().size(), longest_line);
  EXPECT_LT(child->partial().size(), longest_line + (1 << 20));
}

// A folder that somebody else made may have more in it than a run.
TEST_F(ChildTest, TheLogIsAFileOfItsOwn) {
  const auto refused = [&] { return std::string(refusal_of([&] { play("exit5"); }).what()); };
  std::filesystem::create_symlink(log().parent_path() / "elsewhere", log());
  EXPECT_NE(refused().find("worker.log: it is a symbolic link"), std::string::npos) << refused();
  EXPECT_FALSE(std::filesystem::exists(log().parent_path() / "elsewhere"));
  std::filesystem::remove(log());
  ASSERT_EQ(mkfifo(log().c_str(), 0600), 0);
  EXPECT_NE(refused().find("worker.log: it is a FIFO"), std::string::npos) << refused();
}

TEST_F(ChildTest, SaysHowItEnded) {
  EXPECT_EQ(play("exit5")->wait(), "exit code 5");
  EXPECT_EQ(play("segfault")->wait(), "killed by SIGSEGV (Segmentation fault)");
  const auto child = play("sleep");
  child->kill();
  EXPECT_EQ(child->wait(), "killed by SIGKILL (Killed)");
}

TEST_F(ChildTest, DyingAtOnceDoesNotTakeTheParentWithIt) {
  const std::string much(1 << 20, 'x');  // nobody reads it
  const auto child = play("exit5", much);
  EXPECT_EQ(all(*child), Lines{});
  EXPECT_EQ(child->wait(), "exit code 5");
}

TEST_F(ChildTest, LinesMayComeInPiecesAndOneWithoutAnEndIsNone) {
  const auto child = play("in pieces");
  EXPECT_EQ(all(*child), (Lines{"one", "two", "three"}));
  EXPECT_EQ(child->wait(), "");
}

TEST_F(ChildTest, ReadingEndsAtTheDeadline) {
  const auto child = play("sleep");
  Lines lines;
  ASSERT_EQ(child->read(lines, Clock::now() + std::chrono::seconds(30), -1), Child::Read::lines);
  const auto start = Clock::now();
  EXPECT_EQ(child->read(lines, start + milliseconds(50), -1), Child::Read::deadline);
  EXPECT_GE(Clock::now() - start, milliseconds(49));
  EXPECT_TRUE(lines.empty());
  EXPECT_EQ(child->read(lines, start, -1), Child::Read::deadline) << "a deadline in the past";
}

TEST_F(ChildTest, AnInterruptComesBeforeLinesThatAreWaiting) {
  const auto child = play("sleep");
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe2(ends.data(), O_CLOEXEC), 0);
  Lines lines;
  ASSERT_EQ(write(ends[1], "x", 1), 1);
  const auto deadline = Clock::now() + std::chrono::seconds(30);
  EXPECT_EQ(child->read(lines, deadline, ends[0]), Child::Read::interrupted);
  EXPECT_EQ(child->read(lines, deadline, -1), Child::Read::lines) << "nothing was lost";
  EXPECT_EQ(lines, Lines{"asleep"});
  for (const int end : ends) close(end);
}

TEST_F(ChildTest, QuotesTheLastLineOfItsOwnLog) {
  const auto first = play("log");
  EXPECT_EQ(first->wait(), "");
  EXPECT_EQ(first->last_words(), "the last word");
  EXPECT_NE(text_of(log()).find("to standard output"), std::string::npos);
  const auto silent = play("exit5");
  silent->wait();
  EXPECT_EQ(silent->last_words(), "") << "words of an earlier worker are not its own";
  const auto loud = play("long word");
  loud->wait();
  EXPECT_EQ(loud->last_words(), std::string(300, 'x'));
}

TEST_F(ChildTest, HasDefaultSignalsAndAGroupOfItsOwn) {
  const auto old = std::signal(SIGINT, SIG_IGN);
  const auto child = play("signals");
  std::signal(SIGINT, old);
  EXPECT_EQ(all(*child), Lines{"default default default default own group"});
}

TEST_F(ChildTest, IsKilledWithEverythingItStarted) {
  pid_t grandchild = 0;
  {
    const auto child = play("with child");
    Lines lines;
    ASSERT_EQ(child->read(lines, Clock::now() + std::chrono::seconds(30), -1), Child::Read::lines);
    grandchild = std::stoi(lines.at(0));
    ASSERT_EQ(::kill(grandchild, 0), 0);
  }
  const auto gone = [&] {
    const std::string stat = text_of("/proc/" + std::to_string(grandchild) + "/stat");
    const auto name_end = stat.rfind(')');
    return name_end == std::string::npos || stat.compare(name_end, 3, ") Z") == 0;
  };
  for (int tries = 0; tries < 3000 && !gone(); ++tries) usleep(10'000);
  EXPECT_TRUE(gone());
}

TEST_F(ChildTest, ALogThatCannotBeWrittenIsRefused) {
  const auto refusal = refusal_of([] {
    Child({"play", "exit5"}, "", "/nonexistent/folder/worker.log");
  });
  EXPECT_EQ(refusal.exit(), base::Exit::environment);
  EXPECT_NE(std::string(refusal.what()).find("cannot write /nonexistent/folder/worker.log"),
            std::string::npos);
}

}  // namespace
}  // namespace aisp::lab
