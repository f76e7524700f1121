#include "comm/world.hpp"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <list>
#include <string_view>
#include <thread>
#include <vector>

#include "base/refuse.hpp"
#include "base/text.hpp"
#include "comm/mpi/mpi.hpp"
#include "comm/mpi/relay.hpp"
#include "comm/process/admission.hpp"
#include "comm/process/peer.hpp"
#include "comm/process/rank_service.hpp"

namespace aisp::comm {
namespace {

constexpr const char* size_variable = "AISP_WORLD_SIZE";
constexpr const char* name_variable = "AISP_WORLD_NAME";
constexpr const char* secret_variable = "AISP_WORLD_SECRET";
constexpr const char* mpi_variable = "AISP_WORLD_MPI";
constexpr std::string_view welcome = "welcome ";

std::optional<int> number(const char* variable) {
  const char* text = std::getenv(variable);
  const auto value = text == nullptr ? std::nullopt : base::parse_integer(text);
  return value ? std::optional<int>(static_cast<int>(*value)) : std::nullopt;
}

std::string world_name(const World& world) { return base::say("aisp-", getuid(), '-', world.job); }
std::string work_name(const std::string& world) { return world + "-work"; }

constexpr int start_seconds = 60;  // from the first rank to the last

bool is_gone(const Channel& rank_zero, int wait_ms) {
  pollfd watched{rank_zero.descriptor(), POLLRDHUP, 0};
  return poll(&watched, 1, wait_ms) > 0;
}

struct RankZero {
  Channel channel;
  pid_t process;
  std::string secret;  // of the job
};

// Another process may have taken the name: rank 0 is this user's and has the same parent. Where the
// user gave all ranks a secret, parents differ, and this user's process is believed.
std::optional<RankZero> join(Channel channel, const World& world) {
  const auto peer = peer_of(channel);
  const std::string given = given_secret();
  if (!peer || peer->user != getuid() || (given.empty() && parent_of(peer->process) != getppid()) ||
      !channel.send(hello_of(world.rank, given)))
    return std::nullopt;
  const auto answer = channel.receive_within(std::chrono::seconds(start_seconds));
  if (!answer || answer->cut || !answer->line.starts_with(welcome)) return std::nullopt;
  return RankZero{std::move(channel), peer->process, answer->line.substr(welcome.size())};
}

// Rank 0 may come later than this one.
std::optional<RankZero> wait_for_rank_zero(const World& world) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(start_seconds);
  while (std::chrono::steady_clock::now() < end) {
    if (auto channel = meet(world_name(world)))
      if (auto found = join(std::move(*channel), world)) return found;
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  return std::nullopt;
}

// PMIx's server on this machine says where it is: only then can a process become a rank of MPI.
bool has_pmix() {
  for (char** entry = environ; *entry != nullptr; ++entry)
    if (std::string_view(*entry).starts_with("PMIX_SERVER_URI")) return true;
  return false;
}

// A process of rank 0 that has work for its ranks.
std::optional<Channel> meet_worker(const std::string& name, const RankZero& rank_zero) {
  auto channel = meet(name);
  const auto peer = channel ? peer_of(*channel) : std::nullopt;
  if (!peer || peer->user != getuid() || !descends_from(peer->process, rank_zero.process))
    return std::nullopt;
  return channel;
}

}  // namespace

std::optional<World> world_of_launcher() {
  struct Names {
    const char *rank, *size, *local_size;
  };
  for (const Names& names :
       {Names{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_SIZE"},
        Names{"PMIX_RANK", "SLURM_STEP_NUM_TASKS", "SLURM_STEP_TASKS_PER_NODE"},
        Names{"PMI_RANK", "PMI_SIZE", "MPI_LOCALNRANKS"}}) {
    const auto rank = number(names.rank), size = number(names.size);
    if (!rank || !size || *size < 2) continue;
    const char* given = std::getenv("PMIX_NAMESPACE");
    // Without a name for the job: the launcher's process, which has started all of them.
    World world{*rank, *size, given != nullptr ? given : base::say(getppid())};
    const std::string problem = has_pmix() ? problem_with_mpi() : "the launcher has no PMIx";
    world.over_mpi = problem.empty();
    const int local = number(names.local_size).value_or(*size);
    if (local != *size && !world.over_mpi)
      base::refuse(base::Exit::usage, local, " of ", *size,
                   " ranks are on this machine, and ranks on several need Open MPI (", problem,
                   "); install libopenmpi3, or start them all on one");
    return world;
  }
  return std::nullopt;
}

void open_world(const World& world, const std::string& version) {
  if (given_world() > 1) return;  // this process has become another program since
  const std::string name = world_name(world);
  const auto make_known = [&](int ranks, const std::string& secret) {
    setenv(size_variable, std::to_string(ranks).c_str(), 1);
    setenv(name_variable, name.c_str(), 1);
    setenv(secret_variable, secret.c_str(), 1);
  };
  if (world.over_mpi) {
    const auto [ranks, secret] = start_relay(work_name(name), {.version = version});
    make_known(ranks, secret);
    setenv(mpi_variable, "1", 1);
    return;
  }
  const std::string given = given_secret();
  const std::string secret = given.empty() ? new_secret() : given;
  const Meeting start(name);
  // Open until this process ends, whatever it becomes: that is how the others know that it lives.
  static std::vector<Admitted> others;
  others = admit(start, {.ranks = world.size, .secret = secret, .launcher = getppid()},
                 std::chrono::seconds(start_seconds));
  for (const auto& [rank, channel] : others) {
    fcntl(channel.descriptor(), F_SETFD, 0);
    channel.send(base::say(welcome, secret));
  }
  make_known(world.size, secret);
}

void close_world() {
  if (world_over_mpi()) end_relay(meeting_name(), given_secret());
}

int serve_world(const World& world, const std::string& version) {
  if (world.over_mpi) return serve_relay({.version = version});
  const std::string name = work_name(world_name(world));
  const auto rank_zero = wait_for_rank_zero(world);
  if (!rank_zero)
    base::refuse(base::Exit::environment, "rank ", world.rank,
                 " has not been let in by rank 0 within ", start_seconds,
                 " s; where a script stands between mpirun and aisp, give all ranks one ",
                 secret_variable, " of 32 hexadecimal digits");
  // A process of rank 0 may have several jobs for its ranks at a time. What fails is told there.
  std::list<std::jthread> services;
  for (int wait_ms = 20;;) {
    if (is_gone(rank_zero->channel, wait_ms)) return 0;
    auto channel = meet_worker(name, *rank_zero);
    wait_ms = channel ? 200 : 20;
    if (!channel) continue;
    channel->send(hello_of(world.rank, rank_zero->secret));
    services.emplace_back([own = std::move(*channel)]() mutable { serve_rank(std::move(own)); });
  }
}

bool world_over_mpi() { return std::getenv(mpi_variable) != nullptr; }

int given_world() { return number(size_variable).value_or(1); }

std::string given_secret() {
  const char* given = std::getenv(secret_variable);
  const std::string secret = given == nullptr ? "" : given;
  if (!secret.empty() && !is_secret(secret))
    base::refuse(base::Exit::usage, secret_variable, " has ", secret.size(),
                 " characters; it is 32 hexadecimal digits in lower case: openssl rand -hex 16");
  return secret;
}

std::string meeting_name() {
  const char* name = std::getenv(name_variable);
  return work_name(name == nullptr ? "" : name);
}

}  // namespace aisp::comm
