#include "peers/python/briefly.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstring>

#include "base/refuse.hpp"
#include "base/text.hpp"

extern char** environ;

namespace aisp::peers {
namespace {

// The reading end stays here, the writing end is the program's.
class Pipe {
 public:
  Pipe() {
    if (pipe2(ends_.data(), O_CLOEXEC) != 0)
      base::refuse(base::Exit::environment, "no pipe to another program: ", std::strerror(errno));
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  ~Pipe() {
    close(ends_[0]);
    close_writing();
  }
  int reading() const { return ends_[0]; }
  int writing() const { return ends_[1]; }
  void close_writing() {
    if (ends_[1] >= 0) close(ends_[1]);
    ends_[1] = -1;
  }

 private:
  std::array<int, 2> ends_{-1, -1};
};

int spawn(const std::vector<std::string>& words, const Pipe& out, const Pipe& err, pid_t& process) {
  std::vector<char*> pointers;
  for (const auto& word : words) pointers.push_back(const_cast<char*>(word.c_str()));
  pointers.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, out.writing(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, err.writing(), STDERR_FILENO);
  const int error =
      posix_spawnp(&process, pointers[0], &actions, nullptr, pointers.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

// Reads both until they end; false when the time is up first.
bool drain(const Pipe& out, const Pipe& err, Answer& answer, double seconds) {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::duration<double>(seconds);
  std::array<pollfd, 2> watched{{{out.reading(), POLLIN, 0}, {err.reading(), POLLIN, 0}}};
  const std::array<std::string*, 2> texts{&answer.out, &answer.err};
  for (int open = 2; open > 0;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now());
    if (left.count() <= 0) return false;
    if (poll(watched.data(), watched.size(), static_cast<int>(left.count())) <= 0) continue;
    for (std::size_t i = 0; i < watched.size(); ++i) {
      if (watched[i].revents == 0) continue;
      std::array<char, 4096> part;
      const auto got = read(watched[i].fd, part.data(), part.size());
      if (got > 0) texts[i]->append(part.data(), static_cast<std::size_t>(got));
      if (got > 0 || (got < 0 && errno == EINTR)) continue;
      watched[i].fd = -1;  // poll passes over it
      --open;
    }
  }
  return true;
}

}  // namespace

Answer run_briefly(const std::vector<std::string>& words, double seconds) {
  Answer answer;
  Pipe out, err;
  pid_t process = -1;
  if (const int error = spawn(words, out, err, process); error != 0) {
    answer.failure = base::say("cannot be run (", std::strerror(error), ")");
    return answer;
  }
  out.close_writing();
  err.close_writing();
  const bool in_time = drain(out, err, answer, seconds);
  if (!in_time) kill(process, SIGKILL);
  int status = 0;
  while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  if (!in_time)
    answer.failure = base::say("did not answer within ", seconds, " s");
  else if (WIFSIGNALED(status))
    answer.failure = base::say("was killed by signal ", WTERMSIG(status));
  else if (WEXITSTATUS(status) == 127 && answer.err.empty())
    answer.failure = "cannot be run";
  else if (WEXITSTATUS(status) != 0)
    answer.failure = base::say("ended with exit code ", WEXITSTATUS(status));
  if (!answer.failure.empty() && !answer.err.empty())
    answer.failure += ": " + last_line(answer.err);
  return answer;
}

std::string last_line(const std::string& text) {
  std::string last;
  for (const auto& line : base::split(text, '\n'))
    if (line.find_first_not_of(" \r\t") != std::string::npos) last = line;
  return last;
}

}  // namespace aisp::peers
