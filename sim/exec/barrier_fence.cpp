// Fences, and the instructions that steer a grid's launch and registers. A cluster runs on one
// thread of the host in program order, so only fences of a wider scope need to do anything.
#include <atomic>

#include "base/refuse.hpp"
#include "sim/exec/barrier.hpp"
#include "sim/machine/collective.hpp"

namespace sim {
namespace {

Flow nothing(Warp&, const Op&, Mask) { return Flow::next; }

Flow fence(Warp&, const Op&, Mask) {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  return Flow::next;
}

enum Scope { cta, cluster, gpu, sys };

Scope take_scope(Binding& b) {
  const int scope = b.accept_one_of({"cta", "cluster", "gpu", "sys"});
  if (scope < 0) b.refuse("the scope is missing");
  return static_cast<Scope>(scope);
}

Handler fence_of(Scope scope) { return scope > cluster ? fence : nothing; }

// `sync_restrict` names the memory whose synchronisation is meant: the reader's is the cluster's,
// the writer's its own.
bool take_restriction(Binding& b, bool acquire) {
  const bool found =
      b.accept(acquire ? "sync_restrict::shared::cluster" : "sync_restrict::shared::cta");
  if (found) b.expect("cluster");
  return found;
}

void bind_proxy_fence(Binding& b) {
  const int proxy = b.accept_one_of({"alias", "async", "async::generic", "tensormap::generic"});
  b.op.run = fence;
  if (proxy < 0) b.refuse("the proxy is missing or unknown");
  if (proxy == 1) b.accept_one_of({"global", "shared::cta", "shared::cluster"});
  if (proxy >= 2) {
    const int order = b.accept_one_of({"acquire", "release"});
    if (order < 0) b.refuse("acquire or release is missing");
    if (proxy == 2) {
      if (!take_restriction(b, order == 0)) b.refuse("sync_restrict is missing");
      b.op.run = nothing;
    } else {
      b.op.run = fence_of(take_scope(b));
      if (order == 0) {
        b.expect_operands(2, 2);
        b.address(0);
        if (b.constant(b.operand(1)) != 128) b.refuse("the size must be 128");
        return;
      }
    }
  }
  b.expect_operands(0, 0);
}

Flow change_registers(Warp& warp, const Op&, Mask mask) {
  return gather(warp, mask, all_lanes) == 0 ? Flow::wait : Flow::next;
}

}  // namespace

void bind_membar(Binding& b) {
  b.expect_operands(0, 0);
  if (b.accept("proxy")) {
    b.expect("alias");
    b.op.run = fence;
    return;
  }
  const int level = b.accept_one_of({"cta", "gl", "sys"});
  if (level < 0) b.refuse("the level is missing");
  b.op.run = level == 0 ? nothing : fence;
}

void bind_fence(Binding& b) {
  if (b.accept("proxy")) return bind_proxy_fence(b);
  b.expect_operands(0, 0);
  if (b.accept("mbarrier_init")) {
    b.expect("release");
    b.expect("cluster");
    b.op.run = nothing;
    return;
  }
  const int order = b.accept_one_of({"acquire", "release", "acq_rel", "sc"});
  if ((order == 0 || order == 1) && take_restriction(b, order == 0)) {
    b.op.run = nothing;
    return;
  }
  b.op.run = fence_of(take_scope(b));
}

void bind_griddepcontrol(Binding& b) {
  b.expect_operands(0, 0);
  if (b.accept_one_of({"wait", "launch_dependents"}) < 0)
    b.refuse("wait or launch_dependents is missing");
  b.op.run = nothing;
}

void bind_setmaxnreg(Binding& b) {
  if (b.accept_one_of({"inc", "dec"}) < 0) b.refuse("inc or dec is missing");
  for (const char* modifier : {"sync", "aligned", "u32"}) b.expect(modifier);
  b.expect_operands(1, 1);
  const std::int64_t count = b.constant(b.operand(0));
  if (count < 24 || count > 256 || count % 8 != 0)
    b.refuse(base::say(count, " registers: the count must be a multiple of 8 from 24 to 256"));
  if (b.architecture() < 90 || !b.arch_specific()) b.refuse("it needs sm_90a");
  b.op.run = change_registers;
}

}  // namespace sim
