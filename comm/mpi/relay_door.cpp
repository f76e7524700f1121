// The way to rank 0's relay, for the processes of the program.
#include <poll.h>
#include <unistd.h>

#include <chrono>

#include "base/refuse.hpp"
#include "comm/mpi/relay.hpp"
#include "comm/process/rank_service.hpp"

namespace aisp::comm {
namespace {

// What this process sees of its device, the other ranks' processes must see too. What belongs to
// one machine or to the launcher stays there.
std::string shared_environment() {
  std::string text;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view variable(*entry);
    const bool ours = variable.starts_with("AISP_") && !variable.starts_with("AISP_WORLD_");
    const bool loaders =
        variable.starts_with("LD_PRELOAD=") || variable.starts_with("LD_LIBRARY_PATH=");
    if ((ours || loaders) && variable.find('\n') == std::string_view::npos)
      text += base::say(variable, '\n');
  }
  return text;
}

}  // namespace

std::string work_line(const std::string& secret) { return base::say("work ", secret, '\n'); }
std::string end_line(const std::string& secret) { return base::say("end ", secret); }

void end_relay(const std::string& name, const std::string& secret) {
  const auto door = meet(name);
  if (!door || !door->send(end_line(secret))) return;  // it has ended
  constexpr int longest_ms = 20000;
  pollfd closed{door->descriptor(), POLLIN, 0};
  poll(&closed, 1, longest_ms);
}

RelayedRanks relayed_ranks(const std::string& name, const std::string& secret) {
  const auto door = meet(name);
  if (!door)
    base::refuse(base::Exit::environment,
                 "the process that speaks MPI for rank 0 is gone; start the job again");
  const std::string line = work_line(secret) + shared_environment();
  if (line.size() > Channel::longest)
    base::refuse(base::Exit::environment,
                 "the variables AISP_*, LD_PRELOAD and LD_LIBRARY_PATH have ", line.size(),
                 " bytes, other ranks get at most ", Channel::longest);
  door->send(line);
  RelayedRanks ranks;
  for (int left = 1; left > 0;) {
    auto message = door->receive_within(std::chrono::seconds(30));
    const auto link = message ? read_link_line(message->line) : std::nullopt;
    if (!link || message->files.size() != 2)
      base::refuse(base::Exit::environment,
                   "the process that speaks MPI for rank 0 does not answer; start the job again");
    ranks.over = link->over;
    ranks.others.push_back(
        {link->rank, Channel(std::move(message->files[0])), std::move(message->files[1])});
    left = link->ranks - 1 - static_cast<int>(ranks.others.size());
  }
  return ranks;
}

}  // namespace aisp::comm
