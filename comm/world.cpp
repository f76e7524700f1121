#include "comm/world.hpp"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <list>
#include <thread>
#include <vector>

#include "base/refuse.hpp"
#include "base/text.hpp"
#include "comm/channel.hpp"
#include "comm/rank_service.hpp"

namespace aisp::comm {
namespace {

constexpr const char* size_variable = "AISP_WORLD_SIZE";
constexpr const char* name_variable = "AISP_WORLD_NAME";

std::optional<int> number(const char* variable) {
  const char* text = std::getenv(variable);
  const auto value = text == nullptr ? std::nullopt : base::parse_integer(text);
  return value ? std::optional<int>(static_cast<int>(*value)) : std::nullopt;
}

std::string world_name(const World& world) { return base::say("aisp-", getuid(), '-', world.job); }
std::string work_name(const std::string& world) { return world + "-work"; }

constexpr int start_seconds = 60;  // from the first rank to the last

bool is_readable(int descriptor, int wait_ms) {
  pollfd watched{descriptor, POLLIN, 0};
  return poll(&watched, 1, wait_ms) > 0;
}

bool is_gone(const Channel& rank_zero, int wait_ms) {
  pollfd watched{rank_zero.descriptor(), POLLRDHUP, 0};
  return poll(&watched, 1, wait_ms) > 0;
}

// Rank 0 may come later than this one.
std::optional<Channel> wait_for_rank_zero(const std::string& name) {
  for (int tries = 0; tries < 10 * start_seconds; ++tries) {
    if (auto channel = meet(name)) return channel;
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  return std::nullopt;
}

}  // namespace

std::optional<World> world_of_launcher() {
  struct Names {
    const char *rank, *size, *local_size;
  };
  for (const Names& names :
       {Names{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_SIZE"},
        Names{"PMI_RANK", "PMI_SIZE", "MPI_LOCALNRANKS"}}) {
    const auto rank = number(names.rank), size = number(names.size);
    if (!rank || !size || *size < 2) continue;
    const int local = number(names.local_size).value_or(*size);
    if (local != *size)
      base::refuse(base::Exit::usage, "aisp's ranks share one machine: mpirun has put ", local,
                   " of ", *size, " on this one; start them all on one");
    const char* given = std::getenv("PMIX_NAMESPACE");
    // Without a name for the job: the launcher's process, which has started all of them.
    return World{*rank, *size, given != nullptr ? given : base::say(getppid())};
  }
  return std::nullopt;
}

void open_world(const World& world) {
  if (given_world() > 1) return;  // this process has become another program since
  const std::string name = world_name(world);
  const Meeting start(name);
  // Open until this process ends, whatever it becomes: that is how the others know that it lives.
  static std::vector<Channel> others;
  while (static_cast<int>(others.size()) < world.size - 1) {
    if (!is_readable(start.descriptor(), start_seconds * 1000))
      base::refuse(base::Exit::environment, "of ", world.size - 1, " other ranks under mpirun ",
                   others.size(), " have come within ", start_seconds, " s");
    fcntl(others.emplace_back(start.accept()).descriptor(), F_SETFD, 0);
  }
  setenv(size_variable, std::to_string(world.size).c_str(), 1);
  setenv(name_variable, name.c_str(), 1);
}

int serve_world(const World& world) {
  const std::string name = world_name(world);
  const auto rank_zero = wait_for_rank_zero(name);
  if (!rank_zero)
    base::refuse(base::Exit::environment, "rank ", world.rank, " has not found rank 0 within ",
                 start_seconds, " s");
  // A process of rank 0 may have several jobs for its ranks at a time. What fails is told there.
  std::list<std::jthread> services;
  for (int wait_ms = 20;;) {
    if (is_gone(*rank_zero, wait_ms)) return 0;
    auto channel = meet(work_name(name));
    wait_ms = channel ? 200 : 20;
    if (!channel) continue;
    channel->send(std::to_string(world.rank));
    services.emplace_back([own = std::move(*channel)]() mutable { serve_rank(std::move(own)); });
  }
}

int given_world() { return number(size_variable).value_or(1); }

std::string meeting_name() {
  const char* name = std::getenv(name_variable);
  return work_name(name == nullptr ? "" : name);
}

}  // namespace aisp::comm
