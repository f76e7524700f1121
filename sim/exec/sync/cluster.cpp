// barrier.cluster: each thread arrives, then waits. Which phase a lane has arrived in is kept as
// its parity, since the next phase cannot end before the lane has waited and arrived again.
#include "base/refuse.hpp"
#include "sim/exec/form.hpp"
#include "sim/exec/lanes.hpp"
#include "sim/exec/sync/barrier.hpp"
#include "sim/machine/collective.hpp"
#include "sim/machine/observer.hpp"

namespace aisp::sim {
namespace {

using base::say;

struct ClusterForm {
  bool aligned = false, relaxed = false;
};

Mask parity_mask(const ClusterBarrier& barrier) {
  return (barrier.generation & 1) != 0 ? all_lanes : 0;
}

// Lanes of the warp that have arrived in the phase under way.
Mask arrived_now(const Warp& warp, const ClusterBarrier& barrier) {
  return warp.cluster_arrived & ~(warp.cluster_parity ^ parity_mask(barrier));
}

// Threads that exited count as arrived. The counts only say when a closer look is worthwhile:
// `arrived` may include threads that have exited since.
void complete_if_all_here(Cluster& cluster) {
  ClusterBarrier& barrier = cluster.barrier;
  if (barrier.arrived == 0 || barrier.arrived < cluster.threads - cluster.exited) return;
  for (const auto& block : cluster.blocks)
    for (const auto& warp : block->warps)
      if ((warp->alive & ~arrived_now(*warp, barrier)) != 0) return;
  ++barrier.generation;
  barrier.arrived = 0;
  cluster.moved();
}

Flow cluster_arrive(Warp& warp, const Op& op, Mask mask) {
  const auto form = form_of<ClusterForm>(op);
  const Mask together = form.aligned ? gather(warp, mask, all_lanes) : mask;
  if (together == 0) return Flow::wait;
  Cluster& cluster = *warp.block->cluster;
  if (const Mask again = warp.cluster_arrived & together; again != 0)
    throw Fault{FaultKind::illegal_instruction,
                "barrier.cluster.arrive twice without a wait in between", 0,
                std::countr_zero(again)};
  warp.cluster_arrived |= together;
  warp.cluster_parity =
      (warp.cluster_parity & ~together) | (parity_mask(cluster.barrier) & together);
  cluster.barrier.arrived += static_cast<std::uint32_t>(std::popcount(together));
  if (warp.observer != nullptr)
    warp.observer->cluster_arrived(warp, together, cluster.barrier.generation + 1, !form.relaxed);
  complete_if_all_here(cluster);
  return Flow::next;
}

Flow cluster_wait(Warp& warp, const Op& op, Mask mask) {
  LaneGroup& lane_group = *warp.lane_group;
  Cluster& cluster = *warp.block->cluster;
  Mask together = mask;
  if (lane_group.wait.kind != Wait::Kind::cluster) {
    if (form_of<ClusterForm>(op).aligned) together = gather(warp, mask, all_lanes);
    if (together == 0) return Flow::wait;
    if (const Mask without = together & ~warp.cluster_arrived; without != 0)
      throw Fault{FaultKind::illegal_instruction,
                  say("barrier.cluster.wait without an arrive before it, in phase ",
                      cluster.barrier.generation),
                  0, std::countr_zero(without)};
  }
  complete_if_all_here(cluster);
  if ((arrived_now(warp, cluster.barrier) & together) != 0) {
    if (lane_group.wait.kind != Wait::Kind::cluster) ++warp.counters->barrier_waits;
    lane_group.wait = {.kind = Wait::Kind::cluster, .value = cluster.barrier.generation + 1};
    return Flow::wait;
  }
  warp.cluster_arrived &= ~together;
  lane_group.wait = {};
  // No later phase can have ended: these lanes have not arrived in one.
  if (warp.observer != nullptr)
    warp.observer->cluster_passed(warp, together, cluster.barrier.generation);
  return Flow::next;
}

// One order and `.aligned`, in either order. The words are true for a relaxed order.
template <std::size_t count>
void bind_cluster(Binding& b, const Word<bool> (&orders)[count], Handler run) {
  ClusterForm form;
  form.aligned = b.accept("aligned");
  form.relaxed = b.accept(orders).value_or(false);
  form.aligned = form.aligned || b.accept("aligned");
  b.expect_operands(0, 0);
  set_form(b.op, form);
  b.op.run = run;
}

constexpr Word<bool> arrive_orders[] = {{"release", false}, {"relaxed", true}};
constexpr Word<bool> wait_orders[] = {{"acquire", false}};

}  // namespace

void bind_cluster_arrive(Binding& b) { bind_cluster(b, arrive_orders, cluster_arrive); }
void bind_cluster_wait(Binding& b) { bind_cluster(b, wait_orders, cluster_wait); }

}  // namespace aisp::sim
