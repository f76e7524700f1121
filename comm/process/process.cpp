#include "comm/process/process.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <thread>

#include "base/refuse.hpp"
#include "comm/process/rank_service.hpp"

namespace aisp::comm {
namespace {

// Runs in the new process, between fork and exec: only async-signal-safe calls.
[[noreturn]] void become_rank(char* const* words, char* const* environment, int channel,
                              pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(127);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) std::signal(signal, SIG_DFL);
  if (channel == rank_channel)
    fcntl(channel, F_SETFD, 0);
  else
    dup2(channel, rank_channel);
  execve(words[0], words, environment);
  _exit(127);
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (auto& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

std::string_view name_of_variable(std::string_view variable) {
  return variable.substr(0, variable.find('='));
}

}  // namespace

pid_t start_rank(std::vector<std::string> command, int channel,
                 const std::vector<std::string>& variables) {
  std::vector<std::string> all = variables;
  for (char** own = environ; *own != nullptr; ++own) {
    bool replaced = false;
    for (const auto& variable : variables)
      replaced |= name_of_variable(variable) == name_of_variable(*own);
    if (!replaced) all.emplace_back(*own);
  }
  const auto words = pointers_to(command), environment = pointers_to(all);
  const pid_t parent = getpid();
  const pid_t process = fork();
  if (process == 0) become_rank(words.data(), environment.data(), channel, parent);
  if (process < 0)
    base::refuse(base::Exit::environment, "cannot start a rank: ", std::strerror(errno));
  return process;
}

std::optional<int> reap_within(pid_t& process, std::chrono::milliseconds time) {
  using Clock = std::chrono::steady_clock;
  for (const auto end = Clock::now() + time;;) {
    int status = 0;
    if (waitpid(process, &status, WNOHANG) != 0) {
      process = 0;
      return status;
    }
    if (Clock::now() > end) return std::nullopt;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
}

void end_process(const std::string& line) {
  std::fprintf(stderr, "%s\n", line.c_str());
  constexpr int failed = 70;
  _exit(failed);
}

std::string ending_words(int status) {
  if (WIFSIGNALED(status))
    return base::say("was killed by SIG", sigabbrev_np(WTERMSIG(status)), " (",
                     sigdescr_np(WTERMSIG(status)), ")");
  return base::say("ended with exit code ", WEXITSTATUS(status));
}

}  // namespace aisp::comm
