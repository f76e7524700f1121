#include "sim/launch/interpreter.hpp"

#include "sim/machine/async.hpp"
#include "sim/machine/collective.hpp"
#include "sim/machine/observer.hpp"

namespace sim {
namespace {

// Apart: one test of both flags is all that other instructions pay.
[[gnu::noinline]] void before_product_registers(Warp& warp, const Op& op, Mask mask) {
  if (op.drains_products && warp.products)
    complete_all(*warp.block->cluster, *warp.products, all_lanes);
  if (warp.observer != nullptr) warp.observer->product_register(warp, op, mask);
}

}  // namespace

Stop run_fragment(Warp& warp, Fragment& fragment, std::uint32_t& budget) {
  const Op* const ops = warp.program->ops.data();
  Counters& counters = *warp.counters;
  warp.fragment = &fragment;
  while (budget != 0) {
    if (fragment.pc == fragment.join_pc && !arrive_at_join(warp, fragment)) return Stop::waiting;
    const Op& op = ops[fragment.pc];
    --budget;
    Mask mask = fragment.mask;
    if (op.guard != no_ref) {
      mask &= warp.predicate(op.guard) ^ (op.guard_negated ? all_lanes : 0);
      if (mask == 0) {
        ++fragment.pc;
        ++counters.by_class[static_cast<int>(op.kind)];
        continue;
      }
    }
    if (op.drains_products | op.touches_products) [[unlikely]]
      before_product_registers(warp, op, mask);
    const Flow flow = op.run(warp, op, mask);
    if (flow == Flow::next) {
      ++fragment.pc;
    } else if (flow == Flow::wait) {
      ++budget;
      return Stop::waiting;
    } else if (fragment.mask == 0) {
      ++counters.by_class[static_cast<int>(op.kind)];
      return Stop::gone;
    }
    ++counters.by_class[static_cast<int>(op.kind)];
  }
  return Stop::budget;
}

}  // namespace sim
