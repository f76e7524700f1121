// Fences, and the instructions that steer a grid's launch and registers. A cluster runs on one
// thread of the host in program order, so only fences of a wider scope need to do anything.
#include <atomic>

#include "base/refuse.hpp"
#include "sim/exec/barrier.hpp"
#include "sim/machine/collective.hpp"
#include "sim/machine/observer.hpp"

namespace sim {
namespace {

Flow let_dependents_launch(Warp& warp, const Op&, Mask) {
  warp.block->let_dependents_launch = true;
  return Flow::next;
}

// Op::imm of fences: what the observer is told.
struct FenceForm {
  FenceKind kind = FenceKind::thread;
  MemoryOrder order = MemoryOrder::acq_rel;
  Scope scope = Scope::cta;
  bool sequential = false;
  std::uint64_t pack() const {
    return static_cast<std::uint64_t>(kind) | static_cast<std::uint64_t>(order) << 8 |
           static_cast<std::uint64_t>(scope) << 16 | std::uint64_t{sequential} << 24;
  }
  static FenceForm of(std::uint64_t imm) {
    return {static_cast<FenceKind>(imm & 255), static_cast<MemoryOrder>(imm >> 8 & 255),
            static_cast<Scope>(imm >> 16 & 255), (imm >> 24 & 1) != 0};
  }
};

void tell(Warp& warp, const Op& op, Mask mask) {
  if (warp.observer == nullptr) return;
  const FenceForm form = FenceForm::of(op.imm);
  warp.observer->fence(warp, mask, form.kind, form.order, form.scope, form.sequential);
}

Flow host_fence(Warp&, const Op&, Mask) {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  return Flow::next;
}

Flow fence(Warp& warp, const Op& op, Mask mask) {
  tell(warp, op, mask);
  return host_fence(warp, op, mask);
}

Flow fence_in_cluster(Warp& warp, const Op& op, Mask mask) {
  tell(warp, op, mask);
  return Flow::next;
}

void bind_form(Binding& b, const FenceForm& form, Handler run) {
  b.op.imm = form.pack();
  b.op.run = run;
}

// Of a fence that orders no more than its scope.
void bind_form(Binding& b, const FenceForm& form) {
  bind_form(b, form, form.scope > Scope::cluster ? fence : fence_in_cluster);
}

Scope take_scope(Binding& b) {
  const int scope = b.accept_one_of({"cta", "cluster", "gpu", "sys"});
  if (scope < 0) b.refuse("the scope is missing");
  return static_cast<Scope>(scope);
}

// `sync_restrict` names the memory whose synchronisation is meant: the reader's is the cluster's,
// the writer's its own.
bool take_restriction(Binding& b, bool acquire) {
  const bool found =
      b.accept(acquire ? "sync_restrict::shared::cluster" : "sync_restrict::shared::cta");
  if (found) b.expect("cluster");
  return found;
}

void bind_async_proxy(Binding& b) {
  const int space = b.accept_one_of({"global", "shared::cta", "shared::cluster"});
  const FenceKind kind = space < 0    ? FenceKind::async_all
                         : space == 0 ? FenceKind::async_global
                                      : FenceKind::async_shared;
  bind_form(b, {.kind = kind}, fence);
}

void bind_proxy_fence(Binding& b) {
  const int proxy = b.accept_one_of({"alias", "async", "async::generic", "tensormap::generic"});
  b.op.run = host_fence;
  if (proxy < 0) b.refuse("the proxy is missing or unknown");
  if (proxy == 1) bind_async_proxy(b);
  if (proxy >= 2) {
    const int order = b.accept_one_of({"acquire", "release"});
    if (order < 0) b.refuse("acquire or release is missing");
    const bool acquire = order == 0;
    FenceForm form{.order = acquire ? MemoryOrder::acquire : MemoryOrder::release};
    if (proxy == 2) {
      if (!take_restriction(b, acquire)) b.refuse("sync_restrict is missing");
      form.kind = FenceKind::async_shared;
      form.scope = Scope::cluster;
      bind_form(b, form);
    } else {
      form.kind = acquire ? FenceKind::tensormap_acquire : FenceKind::tensormap_release;
      form.scope = take_scope(b);
      bind_form(b, form);
      if (acquire) {
        b.expect_operands(2, 2);
        b.address(0);
        if (b.constant(b.operand(1)) != 128) b.refuse("the size must be 128");
        return;
      }
    }
  }
  b.expect_operands(0, 0);
}

// Op::imm: 15..0 the count, 16 inc
Flow change_registers(Warp& warp, const Op& op, Mask mask) {
  if (gather(warp, mask, all_lanes) == 0) return Flow::wait;
  if (warp.observer != nullptr)
    warp.observer->registers_changed(warp, (op.imm >> 16 & 1) != 0,
                                     static_cast<std::uint32_t>(op.imm & 0xffff));
  return Flow::next;
}

Flow wait_for_grids(Warp& warp, const Op&, Mask mask) {
  if (warp.observer != nullptr) warp.observer->dependency_wait(warp, mask);
  return Flow::next;
}

}  // namespace

void bind_membar(Binding& b) {
  b.expect_operands(0, 0);
  if (b.accept("proxy")) {
    b.expect("alias");
    b.op.run = host_fence;
    return;
  }
  const int level = b.accept_one_of({"cta", "gl", "sys"});
  if (level < 0) b.refuse("the level is missing");
  constexpr Scope scopes[] = {Scope::cta, Scope::gpu, Scope::sys};
  bind_form(b, {.scope = scopes[level], .sequential = true});
}

void bind_fence(Binding& b) {
  if (b.accept("proxy")) return bind_proxy_fence(b);
  b.expect_operands(0, 0);
  if (b.accept("mbarrier_init")) {
    b.expect("release");
    b.expect("cluster");
    bind_form(
        b,
        {.kind = FenceKind::mbarrier_init, .order = MemoryOrder::release, .scope = Scope::cluster});
    return;
  }
  constexpr MemoryOrder orders[] = {MemoryOrder::acquire, MemoryOrder::release,
                                    MemoryOrder::acq_rel, MemoryOrder::acq_rel};
  const int order = b.accept_one_of({"acquire", "release", "acq_rel", "sc"});
  if ((order == 0 || order == 1) && take_restriction(b, order == 0)) {
    bind_form(b, {.order = orders[order], .scope = Scope::cluster});
    return;
  }
  bind_form(
      b,
      {.order = orders[order < 0 ? 2 : order], .scope = take_scope(b), .sequential = order == 3});
}

void bind_griddepcontrol(Binding& b) {
  b.expect_operands(0, 0);
  const int verb = b.accept_one_of({"wait", "launch_dependents"});
  if (verb < 0) b.refuse("wait or launch_dependents is missing");
  b.op.run = verb == 0 ? wait_for_grids : let_dependents_launch;
}

void bind_setmaxnreg(Binding& b) {
  const int direction = b.accept_one_of({"inc", "dec"});
  if (direction < 0) b.refuse("inc or dec is missing");
  for (const char* modifier : {"sync", "aligned", "u32"}) b.expect(modifier);
  b.expect_operands(1, 1);
  const std::int64_t count = b.constant(b.operand(0));
  if (count < 24 || count > 256 || count % 8 != 0)
    b.refuse(base::say(count, " registers: the count must be a multiple of 8 from 24 to 256"));
  if (b.architecture() < 90 || !b.arch_specific()) b.refuse("it needs sm_90a");
  b.op.imm = static_cast<std::uint64_t>(count) | std::uint64_t{direction == 0} << 16;
  b.op.run = change_registers;
}

}  // namespace sim
