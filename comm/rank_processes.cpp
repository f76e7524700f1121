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
#include <cstring>
#include <stdexcept>

#include "base/refuse.hpp"
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

// Whether it has ended within that time, and how.
bool ended_within(pid_t process, std::chrono::milliseconds time, int& status) {
  for (const auto end = Clock::now() + time;;) {
    if (waitpid(process, &status, WNOHANG) != 0) return true;
    if (Clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
}

std::string ending_of(pid_t process) {
  int status = 0;
  if (process == 0 || !ended_within(process, std::chrono::seconds(2), status))
    return "has closed its channel";
  if (WIFSIGNALED(status))
    return base::say("was killed by SIG", sigabbrev_np(WTERMSIG(status)), " (",
                     sigdescr_np(WTERMSIG(status)), ")");
  return base::say("ended with exit code ", WEXITSTATUS(status));
}

}  // namespace

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
  const auto deadline = Clock::now() + std::chrono::seconds(60);
  while (static_cast<int>(ranks_.size()) < ranks - 1) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    pollfd waiting{meeting.descriptor(), POLLIN, 0};
    if (left <= 0 || poll(&waiting, 1, static_cast<int>(left)) == 0)
      base::refuse(base::Exit::environment, "of ", ranks - 1, " other ranks under mpirun ",
                   ranks_.size(), " have come within 60 s; are all on this machine?");
    Channel channel = meeting.accept();
    const auto hello = channel.receive();
    if (!hello) continue;
    const int number = std::stoi(hello->line);
    const auto is_it = [&](const Rank& rank) { return rank.rank == number; };
    // One that has come already has tried again meanwhile.
    if (std::none_of(ranks_.begin(), ranks_.end(), is_it))
      ranks_.push_back({number, 0, std::move(channel)});
  }
}

RankProcesses::~RankProcesses() {
  stop_watching();
  for (auto& rank : ranks_) {
    { const Channel closed = std::move(rank.channel); }
    int status = 0;
    if (rank.process == 0 || ended_within(rank.process, std::chrono::seconds(10), status)) continue;
    ::kill(rank.process, SIGKILL);
    waitpid(rank.process, &status, 0);
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
  if (message && message->line == "done") {
    const std::lock_guard lock(mutex_);
    --rank.unanswered;
    answered_.notify_all();
    return true;
  }
  constexpr std::size_t prefix = 6;  // "error "
  lose(message ? base::say("rank ", rank.rank, ": ", message->line.substr(prefix))
               : base::say("rank ", rank.rank, ' ', ending_of(rank.process)));
  return false;
}

void RankProcesses::lose(const std::string& line) {
  {
    const std::lock_guard lock(mutex_);
    lost_ = line;
    answered_.notify_all();
  }
  if (options_.lost) options_.lost(line);
}

}  // namespace aisp::comm
