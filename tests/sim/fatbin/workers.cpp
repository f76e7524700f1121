#include "tests/sim/fatbin/workers.hpp"

#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstring>
#include <exception>
#include <stdexcept>
#include <thread>

namespace fatbin_fuzz {
namespace {

constexpr auto patience = std::chrono::seconds(30);  // a mutant costs about a millisecond

constexpr std::uint64_t most_hangs = 3;

// What a worker tells: in memory that outlives its crash.
struct Board {
  std::atomic<std::uint64_t> current;
  std::atomic<bool> done;
  std::uint64_t refused, right, loaded;
  std::uint64_t failures;
  struct {
    std::uint64_t index;
    char problem[200];
  } failure[1000];
};

class SharedBoard {
 public:
  SharedBoard()
      : board_(mmap(nullptr, sizeof(Board), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
                    0)) {
    if (board_ == MAP_FAILED) throw std::runtime_error("no shared memory");
  }
  SharedBoard(const SharedBoard&) = delete;
  SharedBoard& operator=(const SharedBoard&) = delete;
  ~SharedBoard() { munmap(board_, sizeof(Board)); }
  Board& operator*() { return *static_cast<Board*>(board_); }

 private:
  void* board_;
};

// What was written to stderr since the last call.
class Heard {
 public:
  Heard() : file_(memfd_create("stderr", 0)) { dup2(file_, STDERR_FILENO); }
  std::string take() {
    std::string text(static_cast<std::size_t>(lseek(file_, 0, SEEK_END)), '\0');
    const ssize_t got = pread(file_, text.data(), text.size(), 0);
    text.resize(static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    lseek(file_, 0, SEEK_SET);
    return ftruncate(file_, 0) == 0 ? text : "";
  }

 private:
  int file_;
};

// A refusal is one line of the simulator's. A kernel that is not there has none, or had one before.
std::string problem_of_words(const Result& result, const std::string& words) {
  constexpr int not_found = 500, no_such_kernel = 98;
  if (result.outcome != Outcome::refused || result.error == not_found ||
      result.error == no_such_kernel)
    return "";
  const bool one_line = words.starts_with("aisp sim: ") && words.ends_with("\n") &&
                        std::count(words.begin(), words.end(), '\n') == 1;
  return one_line ? "" : "refused with " + std::to_string(result.error) + ", saying: " + words;
}

void add_failure(Board& board, std::uint64_t index, const std::string& problem) {
  if (board.failures == std::size(board.failure)) return;
  auto& failure = board.failure[board.failures++];
  failure.index = index;
  problem.copy(failure.problem, sizeof failure.problem - 1);
}

void work(const std::vector<Sample>& samples, std::uint64_t seed, std::uint64_t first,
          std::uint64_t end, const Folder& files, Board& board) {
  Heard heard;
  Doors doors(files);
  heard.take();
  for (std::uint64_t index = first; index < end; ++index) {
    board.current = index;
    Result result;
    try {
      result = doors.try_mutant(make_mutant(samples, seed, index));
    } catch (const std::exception& error) {
      result = {Outcome::wrong, 0, error.what()};
    }
    std::string problem = result.problem;
    const std::string words = heard.take();
    if (problem.empty()) problem = problem_of_words(result, words);
    if (!problem.empty())
      add_failure(board, index, problem + ", error " + std::to_string(result.error));
    board.refused += result.outcome == Outcome::refused ? 1 : 0;
    board.right += result.outcome == Outcome::right ? 1 : 0;
    board.loaded += result.outcome == Outcome::loaded ? 1 : 0;
  }
  board.done = true;
}

// Kills a worker that stays at one mutant.
int wait_for(pid_t worker, const Board& board, rusage& used) {
  auto since = std::chrono::steady_clock::now();
  std::uint64_t at = board.current;
  for (int status = 0;;) {
    if (wait4(worker, &status, WNOHANG, &used) == worker) return status;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    const auto now = std::chrono::steady_clock::now();
    if (board.current != at) {
      at = board.current;
      since = now;
    }
    if (now - since > patience) kill(worker, SIGKILL);
  }
}

}  // namespace

Tally run_mutants(const std::vector<Sample>& samples, std::uint64_t seed, std::uint64_t first,
                  std::uint64_t count) {
  Tally tally;
  tally.mutants = count;
  SharedBoard shared;
  const Folder files;
  Board& board = *shared;
  for (std::uint64_t from = first; from < first + count; from = board.current + 1) {
    board.current = from;
    const pid_t worker = fork();
    if (worker < 0) throw std::runtime_error("no process for a worker");
    if (worker == 0) {
      work(samples, seed, from, first + count, files, board);
      _exit(0);  // what a crash would leave open, nobody closes
    }
    rusage used{};
    const int status = wait_for(worker, board, used);
    tally.most_memory = std::max(tally.most_memory, used.ru_maxrss);
    if (board.done) break;
    const bool hung = WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
    ++(hung ? tally.hung : tally.crashed);
    add_failure(board, board.current,
                hung ? "hung" : "crashed (signal " + std::to_string(WTERMSIG(status)) + ")");
    if (tally.hung == most_hangs) {
      tally.mutants = board.current + 1 - first;  // more of them say nothing new
      break;
    }
  }
  tally.refused = board.refused;
  tally.right = board.right;
  tally.loaded = board.loaded;
  for (std::uint64_t i = 0; i < board.failures; ++i)
    tally.failures.push_back({board.failure[i].index, board.failure[i].problem});
  return tally;
}

}  // namespace fatbin_fuzz
