#include "comm/rank_processes.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <optional>
#include <stdexcept>

#include "base/refuse.hpp"
#include "comm/admission.hpp"
#include "comm/rank_service.hpp"
#include "comm/world.hpp"

namespace aisp::comm {
namespace {

using Clock = std::chrono::steady_clock;

// Runs in the new process, between fork and exec: only async-signal-safe calls.
[[noreturn]] void become_rank(char* const* words, int channel, pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(127);
  if (channel == rank_channel)
    fcntl(channel, F_SETFD, 0);
  else
    dup2(channel, rank_channel);
  execv(words[0], words);
  _exit(127);
}

pid_t start_rank(std::vector<std::string> command, int channel) {
  std::vector<char*> words;
  words.reserve(command.size() + 1);
  for (auto& word : command) words.push_back(word.data());
  words.push_back(nullptr);
  const pid_t parent = getpid();
  const pid_t process = fork();
  if (process == 0) become_rank(words.data(), channel, parent);
  if (process < 0)
    base::refuse(base::Exit::environment, "cannot start a rank: ", std::strerror(errno));
  return process;
}

// How it has ended, if it has within that time. Its number is nobody's then: it is set to 0.
std::optional<int> reap_within(pid_t& process, std::chrono::milliseconds time) {
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

}  // namespace

std::string RankProcesses::ending_of(Rank& rank) {
  const auto ended =
      rank.process == 0 ? std::nullopt : reap_within(rank.process, std::chrono::seconds(2));
  if (!ended) return "has closed its channel";
  const int status = *ended;
  if (WIFSIGNALED(status))
    return base::say("was killed by SIG", sigabbrev_np(WTERMSIG(status)), " (",
                     sigdescr_np(WTERMSIG(status)), ")");
  return base::say("ended with exit code ", WEXITSTATUS(status));
}

RankProcesses::RankProcesses(int ranks, const std::string& service, RankProcessesOptions options)
    : options_(std::move(options)), stop_(eventfd(0, EFD_CLOEXEC)) {
  if (given_world() > 1)
    find(ranks);
  else
    start(ranks);
  for (auto& rank : ranks_) {
    rank.unanswered = 1;
    rank.channel.send(base::say(rank.rank, ' ', ranks, ' ', service));
  }
  watcher_ = std::jthread([this] { watch(); });
}

void RankProcesses::start(int ranks) {
  for (int rank = 1; rank < ranks; ++rank) {
    auto [own, theirs] = Channel::pair();
    const pid_t process = start_rank(options_.command, theirs.descriptor());
    ranks_.push_back({rank, process, std::move(own)});
  }
}

void RankProcesses::find(int ranks) {
  if (given_world() != ranks)
    base::refuse(base::Exit::usage, "mpirun has started ", given_world(), " ranks, this size has ",
                 ranks, "; start as many, or give another number of ranks in --sizes");
  const Meeting meeting(meeting_name());
  for (auto& [rank, channel] :
       admit(meeting, {.ranks = ranks, .secret = given_secret()}, std::chrono::seconds(60)))
    ranks_.push_back({rank, 0, std::move(channel)});
}

RankProcesses::~RankProcesses() {
  stop_watching();
  for (auto& rank : ranks_) {
    { const Channel closed = std::move(rank.channel); }
    if (rank.process == 0 || reap_within(rank.process, std::chrono::seconds(10))) continue;
    ::kill(rank.process, SIGKILL);
    waitpid(rank.process, nullptr, 0);
  }
}

void RankProcesses::stop_watching() {
  const std::uint64_t one = 1;
  if (write(stop_.get(), &one, sizeof one) == sizeof one && watcher_.joinable()) watcher_.join();
}

void RankProcesses::kill() {
  stop_watching();
  for (const auto& rank : ranks_)
    if (rank.process != 0) ::kill(rank.process, SIGKILL);
}

void RankProcesses::tell(const std::string& line, const std::vector<int>& files) {
  const std::lock_guard lock(mutex_);
  if (!lost_.empty()) throw std::runtime_error(lost_);
  for (auto& rank : ranks_) {
    ++rank.unanswered;
    rank.channel.send(line, files);  // one that is gone is the watcher's to report
  }
}

bool RankProcesses::settled() const {
  return !lost_.empty() || std::all_of(ranks_.begin(), ranks_.end(),
                                       [](const Rank& rank) { return rank.unanswered == 0; });
}

void RankProcesses::wait() {
  std::unique_lock lock(mutex_);
  answered_.wait(lock, [&] { return settled(); });
  if (!lost_.empty()) throw std::runtime_error(lost_);
}

bool RankProcesses::wait_for(std::chrono::milliseconds time) {
  std::unique_lock lock(mutex_);
  return answered_.wait_for(lock, time, [&] { return settled(); }) && lost_.empty();
}

void RankProcesses::watch() {
  try {
    watch_all();
  } catch (const std::exception& error) {  // nobody would hear of it on this thread
    lose(base::say("the ranks cannot be watched: ", error.what()));
  }
}

void RankProcesses::watch_all() {
  std::vector<pollfd> watched{{stop_.get(), POLLIN, 0}};
  for (const auto& rank : ranks_) watched.push_back({rank.channel.descriptor(), POLLIN, 0});
  for (;;) {
    if (poll(watched.data(), watched.size(), -1) < 0 && errno != EINTR)
      return lose(base::say("poll: ", std::strerror(errno)));
    if (watched[0].revents != 0) return;
    for (std::size_t i = 0; i < ranks_.size(); ++i)
      if (watched[i + 1].revents != 0 && !hear(ranks_[i])) return;
  }
}

bool RankProcesses::hear(Rank& rank) {
  const auto message = rank.channel.receive();
  const auto answer = message ? read_answer(*message) : std::nullopt;
  if (answer && answer->done) {
    const std::lock_guard lock(mutex_);
    if (rank.unanswered > 0) {
      --rank.unanswered;
      answered_.notify_all();
      return true;
    }
  }
  if (!message)
    lose(base::say("rank ", rank.rank, ' ', ending_of(rank)));
  else if (answer && !answer->done)
    lose(base::say("rank ", rank.rank, ": ", answer->error));
  else
    lose(base::say("rank ", rank.rank, " has sent ", message->line.size(),
                   " bytes that are no answer to anything"));
  return false;
}

void RankProcesses::lose(const std::string& line) {
  {
    const std::lock_guard lock(mutex_);
    lost_ = line;
    answered_.notify_all();
  }
  try {
    if (options_.lost) options_.lost(line);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "aisp: %s; and nobody could be told: %s\n", line.c_str(), error.what());
  }
}

}  // namespace aisp::comm
