// Runs the fixture program as a user would: in a folder of its own, output into files, and with
// signals at chosen moments.
#pragma once

#include <gtest/gtest.h>
#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "lab/record/run_file.hpp"
#include "tests/support/files.hpp"

namespace aisp::lab {

using Words = std::vector<std::string>;

Words operator+(Words a, const Words& b);

// Few samples on few elements, without the 64 MiB that a cold cache costs.
inline const Words briefly{"--quick", "--l2", "hot", "--iterations", "10", "--warmup", "1"};

Words bench(const std::string& targets);

std::vector<std::string> lines_of(const std::string& text);

struct Outcome {
  int exit = -1;   // -1: a signal ended it
  int signal = 0;  // 0: it exited
  std::string out, err;

  std::string last_line() const;
};

// A started program. Killed at the end of its life when it still runs.
class Program {
 public:
  // `before` runs in the new process: limits and the like.
  Program(const std::string& program, const Words& arguments, const std::filesystem::path& folder,
          const std::string& output, const std::function<void()>& before);
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;
  ~Program();

  pid_t process() const { return process_; }
  void send(int number) const;
  bool running() const;
  // Its workers, by process number.
  std::vector<pid_t> children() const;

  Outcome wait();

 private:
  pid_t process_ = -1;
  std::filesystem::path out_, err_;
};

bool process_is_gone(pid_t process);

// Tries until the condition holds; false when it does not within the time. Generous: a busy machine
// must not fail a test.
template <class Condition>
bool eventually(const Condition& condition, double seconds = 30) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

// Built beside the tests.
std::string fixture_program();

// A test's own folder with runs/, home/ and chapters/ in it.
class FixtureTest : public testing::Test {
 protected:
  FixtureTest();

  std::filesystem::path folder() const { return folder_.path(); }
  std::filesystem::path runs() const { return folder() / "runs"; }
  std::filesystem::path chapter() const { return folder() / "chapters" / "fx"; }
  std::filesystem::path expectations() const { return chapter() / "expectations_host.json"; }
  std::filesystem::path ceilings() const {
    return folder() / "home" / "ceilings" / "host-host.json";
  }

  std::unique_ptr<Program> start(
      const Words& arguments, const std::function<void()>& before = [] {});
  Outcome run(
      const Words& arguments, const std::function<void()>& before = [] {});

  std::vector<std::filesystem::path> run_folders() const;
  std::filesystem::path run_folder() const;  // the only run there is
  RunFile recorded() const;

 private:
  TemporaryFolder folder_;
  int started_ = 0;
};

// A refusal is one line on standard error and nothing else.
void expect_refused(const Outcome& outcome, int exit, const std::string& part);

RowRecord row_in(const RunFile& run, const std::string& entry, const std::string& rung);

}  // namespace aisp::lab
