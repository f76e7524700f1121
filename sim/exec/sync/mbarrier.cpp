#include "sim/exec/sync/mbarrier.hpp"

#include <bit>

#include "base/refuse.hpp"
#include "sim/exec/memory/address_slots.hpp"
#include "sim/exec/opcodes.hpp"
#include "sim/machine/access.hpp"

namespace aisp::sim {
namespace {

using base::say;

enum class Arrival : std::uint8_t { plain, with_count, expect_tx };

struct MBarrierForm {
  AddressSlots slots;
  CopySpace space = CopySpace::generic;
  Arrival arrival = Arrival::plain;
  bool no_complete = false, relaxed = false;
};

bool relaxed(const Op& op) { return form_of<MBarrierForm>(op).relaxed; }

std::uint32_t barrier_address(const Warp& warp, const Op& op, int lane) {
  return lane_shared(warp, op, 0, lane, form_of<MBarrierForm>(op).space);
}

void require_own(const Warp& warp, std::uint32_t address, std::string_view what) {
  if (address >> shared_rank_shift != warp.block->rank)
    misuse(say(what, " needs a barrier of the own block: this one is of block ",
               address >> shared_rank_shift, ", the thread of block ", warp.block->rank),
           address);
}

Flow run_init(Warp& warp, const Op& op, Mask mask) {
  const auto* count = warp.read<std::uint32_t>(op.a);
  each_lane_checked(mask, [&](int lane) {
    const std::uint32_t address = barrier_address(warp, op, lane);
    require_own(warp, address, "mbarrier.init");
    MBarrier object;
    if (!object.init(count[lane]))
      misuse(say("mbarrier.init with ", count[lane], " arrivals: 1 to ", MBarrier::max_count,
                 " are allowed"),
             address);
    std::uint64_t& bits = *mbarrier_at(*warp.block, address);
    if (warp.observer != nullptr) warp.observer->mbarrier_init(warp, lane, address, count[lane]);
    bits = object.encode();
  });
  return Flow::next;
}

Flow run_inval(Warp& warp, const Op& op, Mask mask) {
  each_lane_checked(mask, [&](int lane) {
    const std::uint32_t address = barrier_address(warp, op, lane);
    require_own(warp, address, "mbarrier.inval");
    mbarrier_read(*warp.block, address);
    if (warp.observer != nullptr) warp.observer->mbarrier_inval(warp, lane, address);
    *mbarrier_at(*warp.block, address) = 0;
  });
  return Flow::next;
}

// Lanes that arrive at one mbarrier, as one arrival of so many: the same unless a phase completes
// before the last of them. Returns the lanes that are left.
Mask arrive_together(Warp& warp, const Op& op, Mask mask) {
  const bool releases = !relaxed(op);
  Mask rest = 0;
  while (mask != 0)
    each_lane_checked(mask & (~mask + 1), [&](int first) {
      const std::uint32_t address = barrier_address(warp, op, first);
      Mask same = 0;
      for (Mask left = mask; left != 0; left &= left - 1)
        if (barrier_address(warp, op, std::countr_zero(left)) == address)
          same |= left & (~left + 1);
      mask &= ~same;
      const auto count = static_cast<std::uint32_t>(std::popcount(same));
      if (count > 1 && mbarrier_read(*warp.block, address).pending >= count)
        mbarrier_apply(*warp.block, address, MBarrierAction::arrive, count,
                       {&warp, same, releases});
      else
        rest |= same;
    });
  return rest;
}

template <MBarrierAction action>
Flow run_arrive(Warp& warp, const Op& op, Mask mask) {
  const auto form = form_of<MBarrierForm>(op);
  const Arrival arrival = form.arrival;
  if (action == MBarrierAction::arrive && arrival == Arrival::plain && op.dst == no_ref &&
      !form.no_complete && (mask & (mask - 1)) != 0)
    mask = arrive_together(warp, op, mask);
  each_lane_checked(mask, [&](int lane) {
    const std::uint32_t address = barrier_address(warp, op, lane);
    if (op.dst != no_ref) require_own(warp, address, "an arrival that returns its phase");
    const std::uint32_t count =
        arrival == Arrival::plain ? 1 : warp.read<std::uint32_t>(op.a)[lane];
    const Mask self = Mask{1} << lane;
    if (arrival == Arrival::expect_tx)
      mbarrier_apply(*warp.block, address, MBarrierAction::expect_tx, count, {&warp, self, false});
    const MBarrier before =
        mbarrier_apply(*warp.block, address, action, arrival == Arrival::with_count ? count : 1,
                       {&warp, self, !form.relaxed});
    if (form.no_complete && mbarrier_read(*warp.block, address).phase != before.phase)
      misuse(say(mbarrier_text(address), ": the arrival of ", count,
                 " says .noComplete and completes the phase"),
             address, FaultSubject::mbarrier_arrivals);
    if (op.dst != no_ref) warp.write<std::uint64_t>(op.dst)[lane] = before.token();
  });
  return Flow::next;
}

template <MBarrierAction action>
Flow run_transactions(Warp& warp, const Op& op, Mask mask) {
  const auto* count = warp.read<std::uint32_t>(op.a);
  each_lane_checked(mask, [&](int lane) {
    mbarrier_apply(*warp.block, barrier_address(warp, op, lane), action, count[lane],
                   {&warp, Mask{1} << lane, false});
  });
  return Flow::next;
}

template <bool by_parity>
bool parity_asked(const Warp& warp, const Op& op, int lane) {
  return by_parity ? (warp.read<std::uint32_t>(op.a)[lane] & 1) != 0
                   : MBarrier::phase_of_token(warp.read<std::uint64_t>(op.a)[lane]);
}

// One call for the lanes that ask for the same and got the same answer.
template <bool by_parity>
[[gnu::noinline]] void tell_tested(Warp& warp, const Op& op, Mask mask, bool complete) {
  while (mask != 0) {
    const int first = std::countr_zero(mask);
    const std::uint32_t address = barrier_address(warp, op, first);
    const bool parity = parity_asked<by_parity>(warp, op, first);
    Mask same = 0;
    for (Mask left = mask; left != 0; left &= left - 1) {
      const int lane = std::countr_zero(left);
      if (barrier_address(warp, op, lane) == address &&
          parity_asked<by_parity>(warp, op, lane) == parity)
        same |= Mask{1} << lane;
    }
    warp.observer->mbarrier_tested(warp, same, address, parity, complete, !relaxed(op));
    mask &= ~same;
  }
}

// test_wait and try_wait both wait here: the scheduler says when nothing else can run, and only
// then the answer is no. Lanes on different barriers go on as soon as one of them may.
template <bool by_parity>
Flow run_wait(Warp& warp, const Op& op, Mask mask) {
  Mask complete = 0;
  std::uint32_t waits_at = 0;
  bool waits_for = false;
  each_lane_checked(mask, [&](int lane) {
    const std::uint32_t address = barrier_address(warp, op, lane);
    require_own(warp, address, "mbarrier.test_wait and try_wait");
    const bool parity = parity_asked<by_parity>(warp, op, lane);
    if (mbarrier_read(*warp.block, address).complete_since(parity)) {
      complete |= Mask{1} << lane;
    } else {
      waits_at = address;
      waits_for = parity;
    }
  });
  Wait& wait = warp.lane_group->wait;
  if (complete == 0 && !wait.gave_up) {
    if (wait.kind == Wait::Kind::none) {
      ++warp.counters->barrier_waits;
      if (warp.observer != nullptr) tell_tested<by_parity>(warp, op, mask, false);
    }
    wait = {.kind = Wait::Kind::mbarrier,
            .polling = true,
            .address = waits_at,
            .value = waits_for,
            .progress = warp.block->cluster->progress};
    return Flow::wait;
  }
  wait = {};
  warp.set_predicate(op.dst, mask, complete);
  if (warp.observer != nullptr) [[unlikely]] {
    tell_tested<by_parity>(warp, op, complete, true);
    tell_tested<by_parity>(warp, op, mask & ~complete, false);
  }
  return Flow::next;
}

Flow run_pending_count(Warp& warp, const Op& op, Mask mask) {
  const auto* token = warp.read<std::uint64_t>(op.a);
  auto* count = warp.write<std::uint32_t>(op.dst);
  each_lane_checked(mask, [&](int lane) { count[lane] = MBarrier::decode(token[lane]).pending; });
  return Flow::next;
}

enum class Kind : std::uint8_t { order, scope, space, variant, type };
enum class Variant : std::uint8_t { plain, expect_tx, no_complete, parity };

constexpr Modifier words[] = {
    {"release", Kind::order, MemoryOrder::release},
    {"acquire", Kind::order, MemoryOrder::acquire},
    {"relaxed", Kind::order, MemoryOrder::relaxed, sm_90},
    {"cta", Kind::scope},
    {"cluster", Kind::scope},
    {"shared", Kind::space, CopySpace::shared_cta},
    {"shared::cta", Kind::space, CopySpace::shared_cta},
    {"shared::cluster", Kind::space, CopySpace::shared_cluster},
    {"expect_tx", Kind::variant, Variant::expect_tx},
    {"noComplete", Kind::variant, Variant::no_complete},
    {"parity", Kind::variant, Variant::parity},
    {"b64", Kind::type},
};

// What one of the instructions takes.
struct Allowed {
  MemoryOrder order = MemoryOrder::weak;  // beside .relaxed; weak: neither order nor scope
  bool remote = false;                    // barriers of other blocks
  bool expect_tx = false, no_complete = false, parity = false;
};

struct Taken {
  MBarrierForm form;
  Variant variant = Variant::plain;
};

Taken take_modifiers(Binding& b, const Allowed& allowed) {
  const ModifierSet given = b.read_all({.words = words});
  const auto order = given.get(Kind::order, MemoryOrder::weak);
  const auto variant = given.get(Kind::variant, Variant::plain);
  const auto space = given.get(Kind::space, CopySpace::generic);
  if (!given.has(Kind::type)) b.refuse("the type .b64 is missing");
  if (allowed.order == MemoryOrder::weak && (given.has(Kind::order) || given.has(Kind::scope)))
    b.refuse("takes no .sem and no .scope");
  if (given.has(Kind::order) && order != MemoryOrder::relaxed && order != allowed.order)
    b.refuse(allowed.order == MemoryOrder::acquire   ? "takes .acquire or .relaxed"
             : allowed.order == MemoryOrder::release ? "takes .release or .relaxed"
                                                     : "takes .relaxed only");
  if (given.has(Kind::order) != given.has(Kind::scope))
    b.refuse("semantics and scope come together");
  if ((variant == Variant::expect_tx && !allowed.expect_tx) ||
      (variant == Variant::no_complete && !allowed.no_complete) ||
      (variant == Variant::parity && !allowed.parity))
    b.refuse("no such form of this instruction");
  if (space == CopySpace::shared_cluster && !allowed.remote)
    b.refuse("works on barriers of the own block only: .shared::cta");
  return {.form = {.space = space, .relaxed = order == MemoryOrder::relaxed}, .variant = variant};
}

void bind_init(Binding& b) {
  MBarrierForm form = take_modifiers(b, {}).form;
  b.expect_operands(2, 2);
  bind_address(b, form.slots, 0, b.operand(0));
  set_form(b.op, form);
  b.op.a = b.read(1, Type::u32);
  b.op.run = run_init;
}

void bind_inval(Binding& b) {
  MBarrierForm form = take_modifiers(b, {}).form;
  b.expect_operands(1, 1);
  bind_address(b, form.slots, 0, b.operand(0));
  set_form(b.op, form);
  b.op.run = run_inval;
}

template <MBarrierAction action>
void bind_arrive(Binding& b) {
  auto [form, variant] = take_modifiers(
      b, {.order = MemoryOrder::release, .remote = true, .expect_tx = true, .no_complete = true});
  b.expect_operands(variant != Variant::plain ? 3 : 2, 3);
  const bool remote = form.space == CopySpace::shared_cluster;
  if (remote && b.operand(0).kind != ptx::Operand::Kind::sink)
    b.refuse("an arrival at .shared::cluster returns no state: write _");
  if (remote && variant == Variant::no_complete)
    b.refuse(".noComplete is for the block's own barriers");
  bind_address(b, form.slots, 0, b.operand(1));
  if (b.operands() == 3) {
    form.arrival = variant == Variant::expect_tx ? Arrival::expect_tx : Arrival::with_count;
    if (variant != Variant::no_complete)
      b.require(sm_90, "a count without .noComplete, or .expect_tx");
    if (form.arrival == Arrival::with_count && b.is_constant(b.operand(2)) &&
        b.constant(b.operand(2)) <= 0)
      b.refuse("an arrival counts at least 1");
    b.op.a = b.read(2, Type::u32);
  }
  form.no_complete = variant == Variant::no_complete;
  b.op.dst = b.write(0, Type::b64);
  set_form(b.op, form);
  b.op.run = run_arrive<action>;
}

template <MBarrierAction action>
void bind_transactions(Binding& b) {
  MBarrierForm form = take_modifiers(b, {.order = MemoryOrder::relaxed, .remote = true}).form;
  b.expect_operands(2, 2);
  bind_address(b, form.slots, 0, b.operand(0));
  set_form(b.op, form);
  b.op.a = b.read(1, Type::u32);
  b.op.run = run_transactions<action>;
}

template <bool may_suspend>
void bind_wait(Binding& b) {
  auto [form, variant] = take_modifiers(b, {.order = MemoryOrder::acquire, .parity = true});
  b.expect_operands(3, may_suspend ? 4 : 3);
  bind_address(b, form.slots, 0, b.operand(1));
  set_form(b.op, form);
  const bool by_parity = variant == Variant::parity;
  if (by_parity && b.is_constant(b.operand(2)) && (b.constant(b.operand(2)) & ~1) != 0)
    b.refuse("the parity of a phase is 0 or 1");
  b.op.a = b.read(2, by_parity ? Type::u32 : Type::b64);
  if (b.operands() == 4) b.op.b = b.read(3, Type::u32);  // time to suspend: a hint
  b.op.dst = b.write_predicate(b.operand(0));
  b.op.run = by_parity ? run_wait<true> : run_wait<false>;
}

void bind_pending_count(Binding& b) {
  b.expect("b64");
  b.expect_operands(2, 2);
  b.op.a = b.read(1, Type::b64);
  b.op.dst = b.write(0, Type::u32);
  b.op.run = run_pending_count;
}

constexpr std::string_view arrive_forms =
    ".b64 with .expect_tx or .noComplete, count, .release .relaxed, .cta .cluster, generic, "
    ".shared::cta, .shared::cluster";
constexpr std::string_view wait_forms =
    ".b64 by state or .parity, .acquire .relaxed, .cta .cluster, generic, .shared::cta";

constexpr OpcodeRow rows[] = {
    {"mbarrier.init", OpClass::barrier, bind_init, ".b64, generic, .shared::cta", sm_80},
    {"mbarrier.inval", OpClass::barrier, bind_inval, ".b64, generic, .shared::cta", sm_80},
    {"mbarrier.arrive", OpClass::barrier, bind_arrive<MBarrierAction::arrive>, arrive_forms, sm_80},
    {"mbarrier.arrive_drop", OpClass::barrier, bind_arrive<MBarrierAction::arrive_drop>,
     arrive_forms, sm_80},
    {"mbarrier.expect_tx", OpClass::barrier, bind_transactions<MBarrierAction::expect_tx>,
     ".b64, .relaxed, generic, .shared::cta, .shared::cluster", sm_90},
    {"mbarrier.complete_tx", OpClass::barrier, bind_transactions<MBarrierAction::complete_tx>,
     ".b64, .relaxed, generic, .shared::cta, .shared::cluster", sm_90},
    {"mbarrier.test_wait", OpClass::barrier, bind_wait<false>, wait_forms, sm_80},
    {"mbarrier.try_wait", OpClass::barrier, bind_wait<true>, wait_forms, sm_90},
    {"mbarrier.pending_count", OpClass::barrier, bind_pending_count, ".b64"},
};

}  // namespace

std::span<const OpcodeRow> mbarrier_rows() { return rows; }

}  // namespace aisp::sim
