#include "comm/rank_processes.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <stdexcept>

#include "base/refuse.hpp"
#include "base/text.hpp"
#include "comm/mpi/relay.hpp"
#include "comm/process/admission.hpp"
#include "comm/process/process.hpp"
#include "comm/process/rank_service.hpp"
#include "comm/world.hpp"

namespace aisp::comm {
namespace {

using Clock = std::chrono::steady_clock;

}  // namespace

std::chrono::milliseconds rank_patience() {
  const char* given = std::getenv("AISP_RANK_PATIENCE");
  if (given == nullptr) return std::chrono::minutes(5);
  const auto value = base::parse_integer(given);
  if (!value || *value < 0)
    base::refuse(base::Exit::usage, "AISP_RANK_PATIENCE is '", given,
                 "'; it is a number of seconds, 0 for no limit");
  return std::chrono::seconds(*value);
}

std::string RankProcesses::ending_of(Rank& rank) {
  const auto ended =
      rank.process == 0 ? std::nullopt : reap_within(rank.process, std::chrono::seconds(2));
  if (!ended) return "has closed its channel";
  return ending_words(*ended);
}

RankProcesses::RankProcesses(int ranks, const std::string& service, RankProcessesOptions options)
    : options_(std::move(options)), stop_(eventfd(0, EFD_CLOEXEC)) {
  if (given_world() > 1)
    find(ranks);
  else
    start(ranks);
  if (link_ == nullptr) join_links(ranks);
  for (auto& rank : ranks_) {
    rank.unanswered = 1;
    rank.told = Clock::now();
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
    base::refuse(base::Exit::usage, "the launcher has started ", given_world(),
                 " ranks, this size has ", ranks,
                 "; start as many, or give another number of ranks in --sizes");
  if (world_over_mpi()) return find_over_mpi();
  const Meeting meeting(meeting_name());
  for (auto& [rank, channel] :
       admit(meeting, {.ranks = ranks, .secret = given_secret()}, std::chrono::seconds(60)))
    ranks_.push_back({rank, 0, std::move(channel)});
}

void RankProcesses::find_over_mpi() {
  auto found = relayed_ranks(meeting_name(), given_secret());
  std::vector<Descriptor> links(found.others.size() + 1);
  for (auto& [rank, channel, link] : found.others) {
    links.at(static_cast<std::size_t>(rank)) = std::move(link);
    ranks_.push_back({rank, 0, std::move(channel)});
  }
  link_ = std::make_shared<SocketLink>(0, std::move(links), found.over);
}

void RankProcesses::join_links(int ranks) {
  std::vector<Descriptor> own(static_cast<std::size_t>(ranks));
  const auto channel_to = [&](int rank) -> const Channel& {
    return std::find_if(ranks_.begin(), ranks_.end(),
                        [&](const Rank& one) { return one.rank == rank; })
        ->channel;
  };
  for (int a = 0; a < ranks; ++a)
    for (int b = a + 1; b < ranks; ++b) {
      auto [one, other] = link_pair();
      channel_to(b).send(link_line(a, ranks, "sockets"), {other.get()});
      if (a > 0)
        channel_to(a).send(link_line(b, ranks, "sockets"), {one.get()});
      else
        own[static_cast<std::size_t>(b)] = std::move(one);
    }
  link_ = std::make_shared<SocketLink>(0, std::move(own));
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

void RankProcesses::tell(const std::string& line) {
  const std::lock_guard lock(mutex_);
  if (!lost_.empty()) throw std::runtime_error(lost_);
  for (auto& rank : ranks_) {
    if (rank.unanswered++ == 0) rank.told = Clock::now();
    rank.channel.send(line);  // one that is gone is the watcher's to report
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
    constexpr int look_ms = 200;
    if (poll(watched.data(), watched.size(), look_ms) < 0 && errno != EINTR)
      return lose(base::say("poll: ", std::strerror(errno)));
    if (watched[0].revents != 0 || lose_late(Clock::now())) return;
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
      rank.told = Clock::now();
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

bool RankProcesses::lose_late(Clock::time_point now) {
  std::string line;
  {
    const std::lock_guard lock(mutex_);
    for (const Rank& rank : ranks_)
      if (options_.patience.count() > 0 && rank.unanswered > 0 &&
          now - rank.told > options_.patience && line.empty())
        line = base::say("rank ", rank.rank, " has not answered for ",
                         options_.patience.count() / 1000, " s; AISP_RANK_PATIENCE gives it more");
  }
  if (!line.empty()) lose(line);
  return !line.empty();
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
