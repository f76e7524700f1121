#include "lab/module/probe.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "base/refuse.hpp"
#include "base/shared_library.hpp"
#include "base/text.hpp"
#include "lab/module/face.hpp"

namespace aisp::lab {
namespace {

using Clock = std::chrono::steady_clock;

// In the new process: what goes wrong in an orderly way is written, the rest is seen from outside.
[[noreturn]] void try_to_load(const std::string& file, int words) {
  dup2(words, STDOUT_FILENO);
  dup2(words, STDERR_FILENO);
  const base::SharedLibrary library(file);
  if (!library) {
    dprintf(words, "%s\n", library.problem().c_str());
    _exit(1);
  }
  ModuleSymbol* face = nullptr;
  // Of another version nothing is used but what it says of itself.
  if (library.find(face, module_symbol) && std::string(face()->interface) == interface_stamp) {
    Announced announced;
    face()->hand_over(announced);
  }
  _exit(0);
}

// Everything the process writes until it closes its end; false when the time is over first.
bool read_until(int from, Clock::time_point deadline, std::string& text) {
  std::array<char, 4096> buffer{};
  while (true) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
    pollfd waiting{.fd = from, .events = POLLIN, .revents = 0};
    const int ready = poll(&waiting, 1, static_cast<int>(std::max<std::int64_t>(left.count(), 0)));
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) return false;
    const auto got = read(from, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return true;
    text.append(buffer.data(), static_cast<std::size_t>(got));
  }
}

std::string last_line(const std::string& text) {
  std::string last;
  for (const auto& line : base::split(text, '\n'))
    if (!line.empty()) last = line;
  return last;
}

std::string with_words(const std::string& ending, const std::string& written) {
  const std::string last = last_line(written);
  return last.empty() ? ending : ending + ": " + last;
}

}  // namespace

std::string problem_with_loading(const std::string& file, std::chrono::milliseconds limit) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0)
    base::refuse(base::Exit::environment, "cannot make a pipe: ", std::strerror(errno));
  const pid_t process = fork();
  if (process == 0) {
    close(ends[0]);
    try_to_load(file, ends[1]);
  }
  close(ends[1]);
  if (process < 0)
    base::refuse(base::Exit::environment, "cannot start a process: ", std::strerror(errno));
  std::string written;
  const bool in_time = read_until(ends[0], Clock::now() + limit, written);
  close(ends[0]);
  if (!in_time) kill(process, SIGKILL);
  int status = 0;
  while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  if (!in_time)
    return base::say("its constructors did not return within ", limit.count() / 1000.0, " s");
  if (WIFSIGNALED(status))
    return with_words(
        base::say("it crashes when it is loaded, killed by SIG", sigabbrev_np(WTERMSIG(status))),
        written);
  if (WEXITSTATUS(status) == 0) return "";
  if (WEXITSTATUS(status) == 1 && !written.empty()) return last_line(written);
  return with_words(
      base::say("it ends the process when it is loaded, exit code ", WEXITSTATUS(status)), written);
}

}  // namespace aisp::lab
