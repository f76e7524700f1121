#include "sim/launch/cluster.hpp"

#include <algorithm>
#include <cstring>

#include "base/refuse.hpp"
#include "sim/launch/interpreter.hpp"
#include "sim/launch/report.hpp"
#include "sim/machine/async.hpp"
#include "sim/machine/collective.hpp"

namespace aisp::sim {
namespace {

constexpr std::uint32_t turn_of_a_warp = 4096;    // instructions before another warp has its turn
constexpr std::uint32_t turn_of_a_spinner = 256;  // ... of one that did nothing but poll last time

// Lanes that used their turn up and polled memory in at least one of so many instructions spin.
constexpr std::uint64_t poll_share = 32;

// A lane group that waits at a join goes on alone when the others of its warp have spun for so many
// turns, or run so many instructions while nothing else moved: they may be waiting for something
// that only these lanes will do.
constexpr std::uint32_t spins_at_joins = 8;
constexpr std::uint64_t patience_at_joins = 1u << 17;

bool may_try(const Cluster& cluster, const LaneGroup& lane_group) {
  if (lane_group.mask == 0) return false;
  switch (lane_group.wait.kind) {
    case Wait::Kind::none:
      return true;
    case Wait::Kind::sleep:
      return cluster.instructions >= lane_group.wait.value;
    default:
      return lane_group.wait.progress != cluster.progress;
  }
}

struct Ran {
  bool any = false;     // an instruction was done
  bool useful = false;  // ... and not only loops that poll memory
};

// Lanes that wait at joins go on alone.
bool release_joins(Warp& warp) {
  bool any = false;
  for (LaneGroup& lane_group : warp.lane_groups) {
    if (lane_group.mask == 0 || lane_group.wait.kind != Wait::Kind::reconverge) continue;
    give_up_join(warp, lane_group);
    any = true;
  }
  return any;
}

// Runs the lane groups of a warp that can run.
Ran run_warp(Cluster& cluster, Warp& warp, std::uint32_t budget) {
  const std::uint32_t all = budget;
  Ran ran;
  const std::size_t count = warp.lane_groups.size();
  const bool shuffled = cluster.grid->settings.order == Order::random && count > 1;
  const std::size_t first = shuffled ? next_random(cluster.random) % count : 0;
  // Lane groups made in this turn have theirs in the next one.
  const std::uint32_t share = count > 1 ? std::max<std::uint32_t>(budget / 4, 1) : budget;
  for (std::size_t i = 0; i < count && budget != 0; ++i) {
    LaneGroup& lane_group = warp.lane_groups[(first + i) % count];
    if (!may_try(cluster, lane_group)) continue;
    std::uint32_t part = std::min(share, budget);
    const std::uint32_t before = part;
    const std::uint64_t polls = warp.counters->polls;
    cluster.running = &warp;
    cluster.running_group = &lane_group;
    const Stop stop = run_group(warp, lane_group, part);
    const std::uint32_t done = before - part;
    budget -= done;
    if (stop == Stop::waiting) lane_group.wait.progress = cluster.progress;
    const bool spun = stop == Stop::budget && (warp.counters->polls - polls) * poll_share > done;
    ran.any |= done != 0;
    ran.useful |= done != 0 && !spun;
  }
  cluster.instructions += all - budget;
  // Half is kept: a lane that took a lock and gave it back leaves the others spinning.
  warp.spins = ran.any && !ran.useful ? warp.spins + 1 : warp.spins / 2;
  if (warp.spins % spins_at_joins == spins_at_joins - 1) release_joins(warp);
  return ran;
}

template <class Body>
void each_lane_group(Cluster& cluster, Body&& body) {
  for (auto& block : cluster.blocks)
    for (auto& warp : block->warps)
      for (LaneGroup& lane_group : warp->lane_groups)
        if (lane_group.mask != 0) body(*warp, lane_group);
}

bool wake_sleepers(Cluster& cluster) {
  bool any = false;
  each_lane_group(cluster, [&](Warp&, LaneGroup& lane_group) {
    if (lane_group.wait.kind != Wait::Kind::sleep) return;
    lane_group.wait.value = 0;
    any = true;
  });
  return any;
}

// In all warps, or in those that can do nothing else.
bool release_joins(Cluster& cluster, bool spinning_too) {
  bool any = false;
  for (auto& block : cluster.blocks)
    for (auto& warp : block->warps)
      if (spinning_too || warp->spins == 0) any |= release_joins(*warp);
  return any;
}

bool give_up_polls(Cluster& cluster) {
  bool any = false;
  each_lane_group(cluster, [&](Warp&, LaneGroup& lane_group) {
    if (lane_group.wait.kind == Wait::Kind::none || !lane_group.wait.polling) return;
    lane_group.wait.gave_up = true;
    lane_group.wait.progress = 0;
    any = true;
  });
  return any;
}

// A warp of which some lanes wait at a join while others have been running for long.
void lose_patience(Cluster& cluster) {
  if (cluster.instructions < cluster.next_patience) return;
  cluster.next_patience = cluster.instructions + patience_at_joins;
  if (cluster.progress == cluster.patience_progress) release_joins(cluster, true);
  cluster.patience_progress = cluster.progress;
}

std::uint32_t budget_of_a_turn(Cluster& cluster, const Warp& warp) {
  if (cluster.grid->settings.order == Order::random)
    return 1 + static_cast<std::uint32_t>(next_random(cluster.random) % 256);
  return warp.spins != 0 ? turn_of_a_spinner : turn_of_a_warp;
}

// One pass over all warps.
Ran run_pass(Cluster& cluster, std::vector<Warp*>& warps) {
  const Order order = cluster.grid->settings.order;
  if (order == Order::random)
    for (std::size_t i = warps.size(); i > 1; --i)
      std::swap(warps[i - 1], warps[next_random(cluster.random) % i]);
  Ran all;
  for (Warp* warp : warps) {
    if (warp->alive == 0) continue;
    const Ran ran = run_warp(cluster, *warp, budget_of_a_turn(cluster, *warp));
    all.any |= ran.any;
    all.useful |= ran.useful;
    if (order == Order::random && !cluster.pending.empty() && next_random(cluster.random) % 2 == 0)
      run_one_pending(cluster);
  }
  return all;
}

}  // namespace

Turn run_cluster(Cluster& cluster, std::uint32_t budget) {
  std::vector<Warp*> warps;
  for (auto& block : cluster.blocks)
    for (auto& warp : block->warps) warps.push_back(warp.get());
  // Latest: those that would come last by number come first.
  if (cluster.grid->settings.order == Order::latest) std::reverse(warps.begin(), warps.end());
  const std::uint64_t end = cluster.instructions + budget;
  while (cluster.exited != cluster.threads) {
    if (cluster.grid->stop.load(std::memory_order_relaxed)) return Turn::done;
    const std::uint64_t before = cluster.progress;
    const Ran ran = run_pass(cluster, warps);
    if (ran.any) {
      if (cluster.progress != before) cluster.fruitless = 0;
      lose_patience(cluster);
      if (cluster.instructions >= end) {
        cluster.fruitless = 0;
        return Turn::busy;
      }
      if (ran.useful) continue;
    }
    // From here on nothing runs but loops that poll memory, if they do.
    if (cluster.exited == cluster.threads || cluster.progress != before) continue;
    if (run_one_pending(cluster) || release_joins(cluster, false)) continue;
    const bool sleepers = wake_sleepers(cluster);
    const bool pollers = give_up_polls(cluster);
    if (!ran.any && !sleepers && !pollers)
      throw Fault{FaultKind::deadlock, "deadlock: " + describe_waits(cluster), 0, -1};
    // Other clusters can help those that poll memory, in a loop or between two sleeps.
    if (ran.any)
      cluster.fruitless = 0;
    else if (pollers)
      cluster.fruitless += sleepers ? 1 : fruitless_without_sleep;
    return Turn::idle;
  }
  while (run_one_pending(cluster)) continue;
  return Turn::done;
}

}  // namespace aisp::sim
