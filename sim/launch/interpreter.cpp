#include "sim/launch/interpreter.hpp"

#include "sim/machine/async.hpp"
#include "sim/machine/collective.hpp"
#include "sim/machine/observer.hpp"

namespace aisp::sim {
namespace {

// Apart: one test of all flags is all that other instructions pay.
[[gnu::noinline]] void before_late_registers(Warp& warp, const Op& op, Mask mask) {
  if (op.touches_loads) {
    if (warp.tensor_loads) settle_loads(warp, op);
    if (warp.observer != nullptr) warp.observer->load_register(warp, op, mask);
  }
  if (!op.drains_products && !op.touches_products) return;
  if (op.drains_products && warp.products)
    complete_all(*warp.block->cluster, *warp.products, all_lanes);
  if (warp.observer != nullptr) warp.observer->product_register(warp, op, mask);
}

}  // namespace

Stop run_group(Warp& warp, LaneGroup& lane_group, std::uint32_t& budget) {
  const Op* const ops = warp.program->ops.data();
  Counters& counters = *warp.counters;
  warp.lane_group = &lane_group;
  while (budget != 0) {
    if (lane_group.pc == lane_group.join_pc && !arrive_at_join(warp, lane_group))
      return Stop::waiting;
    const Op& op = ops[lane_group.pc];
    --budget;
    Mask mask = lane_group.mask;
    if (op.guard != no_ref) {
      mask &= warp.predicate(op.guard) ^ (op.guard_negated ? all_lanes : 0);
      if (mask == 0) {
        ++lane_group.pc;
        ++counters.by_class[static_cast<int>(op.kind)];
        continue;
      }
    }
    if (op.drains_products | op.touches_products | op.touches_loads) [[unlikely]]
      before_late_registers(warp, op, mask);
    const Flow flow = op.run(warp, op, mask);
    if (flow == Flow::next) {
      ++lane_group.pc;
    } else if (flow == Flow::wait) {
      ++budget;
      return Stop::waiting;
    } else if (lane_group.mask == 0) {
      ++counters.by_class[static_cast<int>(op.kind)];
      return Stop::gone;
    }
    ++counters.by_class[static_cast<int>(op.kind)];
  }
  return Stop::budget;
}

}  // namespace aisp::sim
