// Barriers of warps, blocks and clusters as edges.
#include "sim/watch/device/grid_watch.hpp"

namespace aisp::sim::watch {
namespace {

void arrived(BarrierWatch& barrier, std::uint64_t generation, const ClockPtr& told) {
  BarrierPhase& phase = barrier.begin(generation);
  phase.told = join(phase.told, told);
}

// A whole warp, whose lanes know the same as those that came before. False: they do not.
bool arrived_alike(BarrierPhase& phase, WarpWatch& warp, Mask mask) {
  if (mask != all_lanes || warp.groups.size() != 1) return false;
  const ClockPtr& known = warp.groups.front().clock;
  if (phase.has_common && phase.common != known) return false;
  phase.has_common = true;
  phase.common = known;
  add_own_entries(warp, mask, phase.did);
  ++warp.now;
  return true;
}

void passed(WarpWatch& warp, Mask mask, BarrierWatch& barrier, std::uint64_t generation,
            bool told_all) {
  BarrierPhase* const phase = barrier.find(generation);
  if (phase == nullptr) return;
  if (told_all)
    become(warp, mask, phase->together());
  else
    acquire(warp, mask, phase->together());
}

}  // namespace

BarrierPhase& BarrierWatch::begin(std::uint64_t generation) {
  BarrierPhase& phase = phases[generation % phases.size()];
  if (phase.generation != generation) {
    phase.generation = generation;
    phase.told = phase.common = {};
    phase.has_common = false;
    phase.did.clear();
  }
  return phase;
}

const ClockPtr& BarrierPhase::together() {
  if (!has_common) return told;
  auto known = copy_of(common);
  (*known)[Layer::ordered] = with((*known)[Layer::ordered], did);
  told = join(told, known);
  did.clear();  // keeps its memory for a later phase
  common = {};
  has_common = false;
  return told;
}

void GridWatch::warp_barrier(Warp& warp, Mask mask) {
  WarpWatch& self = of(warp);
  mask &= warp.exists;
  const ClockPtr told = release(self, mask);
  become(self, mask, told);
}

void GridWatch::collective(Warp& warp, Mask mask) {
  WarpWatch& self = of(warp);
  if ((warp.alive & ~mask) == 0) {
    self.executed = self.now++;
    return;
  }
  const Entry together{self.actor, mask, self.now};
  each_group_of(self, mask, [&](Group& group) {
    auto known = copy_of(group.clock);
    (*known)[Layer::performed] = with((*known)[Layer::performed], {together});
    group.clock = std::move(known);
  });
  ++self.now;
}

void GridWatch::barrier_arrived(Warp& warp, Mask mask, std::uint32_t index,
                                std::uint64_t generation) {
  BarrierPhase& phase = of(*warp.block).barriers[index].begin(generation);
  if (!arrived_alike(phase, of(warp), mask)) phase.told = join(phase.told, release(of(warp), mask));
}

void GridWatch::barrier_passed(Warp& warp, Mask mask, std::uint32_t index,
                               std::uint64_t generation) {
  passed(of(warp), mask, of(*warp.block).barriers[index], generation, true);
}

void GridWatch::cluster_arrived(Warp& warp, Mask mask, std::uint64_t generation, bool releases) {
  WarpWatch& self = of(warp);
  BarrierWatch& barrier = of(*warp.block->cluster).barrier;
  if (releases) return arrived(barrier, generation, release(self, mask));
  // Relaxed: tells others only that these lanes have come, and what their fences released.
  auto come = std::make_shared<Clock>();
  for (const Group& group : self.groups) {
    if ((group.mask & mask) == 0) continue;
    if (group.released) arrived(barrier, generation, group.released);
    (*come)[Layer::init] = join((*come)[Layer::init], layer_of(group.clock, Layer::init));
  }
  (*come)[Layer::performed] = with({}, own_entries(self, mask));
  // A load that was waited for is over: its values are in registers, and need no fence.
  if (self.tensor_loaded != 0)
    (*come)[Layer::tensor] = with({}, {{self.own(Channel::tensor_load), 1, self.tensor_loaded}});
  ++self.now;
  arrived(barrier, generation, come);
}

void GridWatch::cluster_passed(Warp& warp, Mask mask, std::uint64_t generation) {
  WarpWatch& self = of(warp);
  passed(self, mask, of(*warp.block->cluster).barrier, generation, false);
  // The first barrier behind tcgen05.alloc tells the pair that both have their columns. What a
  // block does afterwards the other one hears of at the next barrier.
  const TensorShadow::Returned& allocated = self.block->tensor.allocated;
  if (allocated.actor == self.actor && self.tensor_used_at < allocated.time)
    self.tensor_used_at = self.now;
}

void GridWatch::dependency_wait(Warp& warp, Mask mask) {
  auto ahead = std::make_shared<Clock>();
  (*ahead)[Layer::ordered] = with({}, {{actor_of(0, Channel::grid_ahead), 1, 1}});
  acquire(of(warp), mask, ahead);
  of(warp).block->waited_for_grid = true;
}

void GridWatch::dependents_released(Warp& warp, Mask) {
  touched_.triggered = true;
  touched_.released_early |= programmatic_ && !of(warp).block->waited_for_grid;
}

}  // namespace aisp::sim::watch
