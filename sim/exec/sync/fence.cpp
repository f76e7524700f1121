// Fences, and the instructions that steer a grid's launch and registers. A cluster runs on one
// thread of the host in program order, so only fences of a wider scope need to do anything.
#include <atomic>

#include "base/refuse.hpp"
#include "sim/exec/form.hpp"
#include "sim/exec/memory/modifiers.hpp"
#include "sim/exec/sync/barrier.hpp"
#include "sim/machine/collective.hpp"
#include "sim/machine/observer.hpp"

namespace aisp::sim {
namespace {

Flow let_dependents_launch(Warp& warp, const Op&, Mask mask) {
  warp.block->let_dependents_launch = true;
  if (warp.observer != nullptr) warp.observer->dependents_released(warp, mask);
  return Flow::next;
}

// What the observer is told.
struct FenceForm {
  FenceKind kind = FenceKind::thread;
  MemoryOrder order = MemoryOrder::acq_rel;
  Scope scope = Scope::cta;
  bool sequential = false;
};

void tell(Warp& warp, const Op& op, Mask mask) {
  if (warp.observer == nullptr) return;
  const FenceForm form = form_of<FenceForm>(op);
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
  set_form(b.op, form);
  b.op.run = run;
}

// Of a fence that orders no more than its scope.
void bind_form(Binding& b, const FenceForm& form) {
  bind_form(b, form, form.scope > Scope::cluster ? fence : fence_in_cluster);
}

Scope take_scope(Binding& b) { return b.one_of(scopes, "the scope is missing"); }

// `sync_restrict` names the memory whose synchronisation is meant: the reader's is the cluster's,
// the writer's its own.
bool take_restriction(Binding& b, bool acquire) {
  const bool found =
      b.accept(acquire ? "sync_restrict::shared::cluster" : "sync_restrict::shared::cta");
  if (found) b.expect("cluster");
  return found;
}

constexpr Word<FenceKind> async_spaces[] = {
    {"global", FenceKind::async_global},
    {"shared::cta", FenceKind::async_shared},
    {"shared::cluster", FenceKind::async_shared},
};
constexpr Word<MemoryOrder> proxy_orders[] = {
    {"acquire", MemoryOrder::acquire},
    {"release", MemoryOrder::release},
};

enum class Proxy : std::uint8_t { alias, async, async_generic, tensormap };
constexpr Word<Proxy> proxies[] = {
    {"alias", Proxy::alias},
    {"async", Proxy::async, sm_90},
    {"async::generic", Proxy::async_generic, sm_90},
    {"tensormap::generic", Proxy::tensormap},
};

void bind_async_proxy(Binding& b) {
  bind_form(b, {.kind = b.accept(async_spaces).value_or(FenceKind::async_all)}, fence);
}

// The generic proxy on one side of the order, the one that is named on the other.
void bind_generic_proxy(Binding& b, Proxy proxy) {
  FenceForm form{.order = b.one_of(proxy_orders, "acquire or release is missing")};
  const bool acquire = form.order == MemoryOrder::acquire;
  if (proxy == Proxy::async_generic) {
    if (!take_restriction(b, acquire)) b.refuse("sync_restrict is missing");
    form.kind = FenceKind::async_shared;
    form.scope = Scope::cluster;
    bind_form(b, form);
    return b.expect_operands(0, 0);
  }
  form.kind = acquire ? FenceKind::tensormap_acquire : FenceKind::tensormap_release;
  form.scope = take_scope(b);
  bind_form(b, form);
  if (!acquire) return b.expect_operands(0, 0);
  b.expect_operands(2, 2);
  b.address(0);
  if (b.constant(b.operand(1)) != 128) b.refuse("the size must be 128");
}

void bind_proxy_fence(Binding& b) {
  const Proxy proxy = b.one_of(proxies, "the proxy is missing or unknown");
  if (proxy == Proxy::async_generic || proxy == Proxy::tensormap)
    return bind_generic_proxy(b, proxy);
  b.op.run = host_fence;
  if (proxy == Proxy::async) bind_async_proxy(b);
  b.expect_operands(0, 0);
}

struct RegistersForm {
  std::uint32_t count = 0;
  bool increase = false;
};

Flow change_registers(Warp& warp, const Op& op, Mask mask) {
  if (gather(warp, mask, all_lanes) == 0) return Flow::wait;
  const auto form = form_of<RegistersForm>(op);
  if (warp.observer != nullptr) warp.observer->registers_changed(warp, form.increase, form.count);
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
  constexpr Word<Scope> levels[] = {{"cta", Scope::cta}, {"gl", Scope::gpu}, {"sys", Scope::sys}};
  bind_form(b, {.scope = b.one_of(levels, "the level is missing"), .sequential = true});
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
  struct Order {
    MemoryOrder order = MemoryOrder::acq_rel;
    bool sequential = false;
  };
  constexpr Word<Order> orders[] = {{"acquire", {MemoryOrder::acquire}},
                                    {"release", {MemoryOrder::release}},
                                    {"acq_rel", {MemoryOrder::acq_rel}},
                                    {"sc", {MemoryOrder::acq_rel, true}}};
  const Order order = b.accept(orders).value_or(Order{});
  if (order.order != MemoryOrder::acq_rel &&
      take_restriction(b, order.order == MemoryOrder::acquire))
    return bind_form(b, {.order = order.order, .scope = Scope::cluster});
  bind_form(b, {.order = order.order, .scope = take_scope(b), .sequential = order.sequential});
}

void bind_griddepcontrol(Binding& b) {
  b.expect_operands(0, 0);
  constexpr Word<Handler> verbs[] = {{"wait", wait_for_grids},
                                     {"launch_dependents", let_dependents_launch}};
  b.op.run = b.one_of(verbs, "wait or launch_dependents is missing");
}

void bind_setmaxnreg(Binding& b) {
  constexpr Word<bool> directions[] = {{"inc", true}, {"dec", false}};
  const bool increase = b.one_of(directions, "inc or dec is missing");
  for (const char* modifier : {"sync", "aligned", "u32"}) b.expect(modifier);
  b.expect_operands(1, 1);
  const std::int64_t count = b.constant(b.operand(0));
  if (count < 24 || count > 256 || count % 8 != 0)
    b.refuse(base::say(count, " registers: the count must be a multiple of 8 from 24 to 256"));
  set_form(b.op, RegistersForm{static_cast<std::uint32_t>(count), increase});
  b.op.run = change_registers;
}

}  // namespace aisp::sim
