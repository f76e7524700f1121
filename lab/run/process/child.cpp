#include "lab/run/process/child.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fstream>
#include <string_view>
#include <utility>

#include "base/file.hpp"
#include "base/refuse.hpp"

namespace aisp::lab {
namespace {

using Pipe = std::array<int, 2>;

Pipe make_pipe() {
  Pipe ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0)
    base::refuse(base::Exit::environment, "cannot make a pipe: ", std::strerror(errno));
  return ends;
}

// Runs in the new process, between fork and exec: only async-signal-safe calls.
[[noreturn]] void become_worker(const char* program, char* const* arguments,
                                char* const* environment, int input, int stream, int log,
                                pid_t parent) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(127);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) std::signal(signal, SIG_DFL);
  // All three sources are above descriptor 3, so no dup2 overwrites one that is still needed.
  dup2(input, STDIN_FILENO);
  dup2(log, STDOUT_FILENO);
  dup2(log, STDERR_FILENO);
  dup2(stream, worker_stream);
  execve(program, arguments, environment);
  _exit(127);
}

int above_standard(int descriptor) {
  const int moved = fcntl(descriptor, F_DUPFD_CLOEXEC, worker_stream + 1);
  close(descriptor);
  return moved;
}

// As execve takes them; they live as long as the words.
std::vector<char*> pointers_to(std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (auto& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

// This process's variables, those that are given in the place of their own: "NAME=value".
std::vector<std::string> with_own(const Environment& given) {
  std::vector<std::string> all;
  for (char** at = environ; *at != nullptr; ++at) {
    const std::string one = *at;
    if (!given.contains(one.substr(0, one.find('=')))) all.push_back(one);
  }
  for (const auto& [name, value] : given) all.push_back(name + "=" + value);
  return all;
}

}  // namespace

Child::Child(const std::string& program, const std::vector<std::string>& arguments,
             const std::string& input, const std::filesystem::path& log,
             const Environment& environment)
    : log_(log) {
  Pipe job = make_pipe(), stream = make_pipe();
  const base::OpenedFile opened = base::open_to_append(log);
  if (!opened.problem.empty())
    base::refuse(base::Exit::environment, "cannot write ", log.string(), ": ", opened.problem,
                 "; choose another folder with --out");
  fcntl(opened.file.get(), F_SETFL, O_APPEND);  // a worker's output need not expect O_NONBLOCK
  const int log_file = fcntl(opened.file.get(), F_DUPFD_CLOEXEC, worker_stream + 1);
  std::error_code ignored;
  log_start_ = std::filesystem::file_size(log, ignored);
  job[0] = above_standard(job[0]);
  stream[1] = above_standard(stream[1]);

  std::vector<std::string> words{"aisp"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<std::string> variables = with_own(environment);
  const std::vector<char*> arguments_to = pointers_to(words), variables_to = pointers_to(variables);

  const pid_t parent = getpid();
  process_ = fork();
  if (process_ == 0)
    become_worker(program.c_str(), arguments_to.data(), variables_to.data(), job[0], stream[1],
                  log_file, parent);
  close(job[0]);
  close(stream[1]);
  close(log_file);
  stream_ = stream[0];
  if (process_ < 0)
    base::refuse(base::Exit::environment, "cannot start a worker: ", std::strerror(errno));
  setpgid(process_, process_);
  // A worker that died at once makes this write fail; its end is reported by wait().
  const auto old = std::signal(SIGPIPE, SIG_IGN);
  for (std::size_t done = 0; done < input.size();) {
    const auto written = write(job[1], input.data() + done, input.size() - done);
    if (written < 0 && errno != EINTR) break;
    done += static_cast<std::size_t>(std::max<ssize_t>(written, 0));
  }
  std::signal(SIGPIPE, old);
  close(job[1]);
}

Child::~Child() {
  if (process_ > 0) {
    kill();
    wait();
  }
  if (stream_ >= 0) close(stream_);
}

Child::Read Child::read(std::vector<std::string>& lines,
                        std::chrono::steady_clock::time_point deadline, int interrupt) {
  lines.clear();
  while (lines.empty()) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
                          deadline - std::chrono::steady_clock::now())
                          .count();
    if (left <= 0) return Read::deadline;
    std::array<pollfd, 2> watched{{{stream_, POLLIN, 0}, {interrupt, POLLIN, 0}}};
    const int ready = poll(watched.data(), watched.size(),
                           static_cast<int>(std::min<std::int64_t>(left, 60'000)));
    if (ready < 0 && errno != EINTR)
      base::refuse(base::Exit::environment, "poll: ", std::strerror(errno));
    if (ready <= 0) continue;
    // First of all: a worker that always has something to say must not make Ctrl-C wait.
    if (watched[1].revents != 0) return Read::interrupted;
    if (watched[0].revents != 0) {
      std::array<char, 1 << 16> chunk{};
      const auto got = ::read(stream_, chunk.data(), chunk.size());
      if (got == 0) return Read::end;
      if (got < 0) continue;
      std::string_view rest(chunk.data(), static_cast<std::size_t>(got));
      for (auto end = rest.find('\n'); end != rest.npos; end = rest.find('\n')) {
        lines.push_back(std::exchange(partial_, "") + std::string(rest.substr(0, end)));
        rest.remove_prefix(end + 1);
      }
      partial_ += rest;
      if (partial_.size() > longest_line) return Read::overlong;
    }
  }
  return Read::lines;
}

void Child::kill() {
  // The whole group: a rung may have started processes of its own.
  if (process_ > 0) ::kill(-process_, SIGKILL);
}

std::string Child::wait() {
  if (process_ < 0) return "";  // it was waited for before
  int status = 0;
  while (waitpid(process_, &status, 0) < 0 && errno == EINTR) {
  }
  process_ = -1;
  if (WIFSIGNALED(status)) {
    const int signal = WTERMSIG(status);
    return base::say("killed by SIG", sigabbrev_np(signal), " (", sigdescr_np(signal), ")");
  }
  return WEXITSTATUS(status) == 0 ? "" : base::say("exit code ", WEXITSTATUS(status));
}

std::string Child::last_words() const {
  std::ifstream log(log_);
  log.seekg(static_cast<std::streamoff>(log_start_));
  std::string line, last;
  while (std::getline(log, line))
    if (line.find_first_not_of(" \t\r") != std::string::npos) last = line;
  constexpr std::size_t most = 300;
  return last.substr(0, most);
}

}  // namespace aisp::lab
