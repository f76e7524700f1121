// One cluster from its first instruction to its last, in turns that the host thread hands out.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "sim/machine/device_part.hpp"
#include "sim/machine/warp.hpp"

namespace aisp::sim {

// `part`: the SMs that its blocks may run on; null: all.
std::unique_ptr<Cluster> make_cluster(Grid& grid, std::uint32_t index, Counters& counters,
                                      const DevicePart* part);

enum class Turn : std::uint8_t {
  done,  // every thread has exited and nothing is under way
  busy,  // its turn was used up
  idle,  // its lane groups only poll or sleep: others should run
};

// Runs up to `budget` warp instructions. Throws Fault; a deadlock inside the cluster is one. The
// cluster's `culprit` names warp and lane group at fault.
Turn run_cluster(Cluster& cluster, std::uint32_t budget);

// A cluster is taken as stuck after 64 turns in a row in which nothing moved and everything polled
// mbarriers. Turns in which something also slept count little: it may count its sleeps.
inline constexpr std::uint32_t stuck_after = 1u << 20;
inline constexpr std::uint32_t fruitless_without_sleep = stuck_after / 64;

}  // namespace aisp::sim
