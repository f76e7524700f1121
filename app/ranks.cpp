#include "app/ranks.hpp"

#include <sys/stat.h>

#include <cstdio>
#include <string_view>

#include "base/refuse.hpp"
#include "comm/process/rank_service.hpp"
#include "comm/world.hpp"
#include "lab/run/plan/build_info.hpp"
#include "lab/trace/together.hpp"

namespace aisp::app {
namespace {

// Not where a user has typed the word.
bool has_channel() {
  struct stat file {};
  return fstat(comm::rank_channel, &file) == 0 && S_ISSOCK(file.st_mode);
}

}  // namespace

std::optional<int> run_as_rank(int count, char** words) {
  lab::offer_process_trace();
  if (count == 2 && std::string_view(words[1]) == "rank" && has_channel())
    return comm::serve_rank(comm::Channel(comm::Descriptor(comm::rank_channel)));
  // Other commands are as many programs as the launcher starts: `mpirun -n 4 aisp sim -- ./mine`.
  if (count < 2 || std::string_view(words[1]) != "bench") return std::nullopt;
  try {
    const auto world = comm::world_of_launcher();
    if (!world) return std::nullopt;
    const std::string version = base::say(lab::version, " (", lab::commit, ")");
    if (world->rank > 0) return comm::serve_world(*world, version);
    comm::open_world(*world, version);
    return std::nullopt;
  } catch (const base::Refusal& refusal) {
    std::fprintf(stderr, "aisp: %s\n", refusal.what());
    return static_cast<int>(refusal.exit());
  }
}

int leave_ranks(int exit_code) {
  comm::close_world();
  return exit_code;
}

}  // namespace aisp::app
