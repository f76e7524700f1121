#include "sim/exec/mbarrier.hpp"

#include "base/refuse.hpp"
#include "sim/exec/copy_operands.hpp"
#include "sim/exec/opcodes.hpp"
#include "sim/machine/access.hpp"

namespace sim {
namespace {

using base::say;

std::string numbers(const MBarrier& object) {
  return say("phase ", object.phase ? 1 : 0, ", ", object.pending, " of ", object.expected,
             " arrivals pending, ", object.transactions, " transaction bytes");
}

std::string place(std::uint32_t address) {
  return say("mbarrier at shared offset ", own_offset(address), " of block ",
             address >> shared_rank_shift);
}

MBarrier alive(std::uint64_t bits, std::uint32_t address) {
  const MBarrier object = MBarrier::decode(bits);
  if (!object.alive)
    misuse(say(place(address), " is not initialised, or has been invalidated"), address);
  return object;
}

struct ActionRow {
  const char* name;
  bool (MBarrier::*apply)(std::uint32_t count);
};

// In the order of MBarrierAction.
constexpr ActionRow actions[] = {
    {"arrive", &MBarrier::arrive},
    {"arrive_drop", &MBarrier::arrive_drop},
    {"cp.async.mbarrier.arrive", &MBarrier::await_more},
    {"expect_tx", &MBarrier::expect_tx},
    {"complete_tx", &MBarrier::complete_tx},
};

}  // namespace

MBarrier mbarrier_apply(Block& from, std::uint32_t address, MBarrierAction action,
                        std::uint32_t count, const MBarrierActor& actor) {
  std::uint64_t& bits = *mbarrier_at(from, address);
  const MBarrier before = alive(bits, address);
  const ActionRow& row = actions[static_cast<int>(action)];
  MBarrier object = before;
  if (!(object.*row.apply)(count))
    misuse(say(place(address), ": ", row.name, " of ", count, " leaves the range of the object (",
               numbers(before), "; counts end at ", MBarrier::max_count, ")"),
           address);
  bits = object.encode();
  if (object.phase != before.phase) from.cluster->moved();
  if (Observer* observer = from.grid->observer; observer != nullptr) [[unlikely]]
    observer->mbarrier_applied(from, actor, address, action, count, before, object);
  return before;
}

MBarrier mbarrier_read(Block& from, std::uint32_t address) {
  return alive(*mbarrier_at(from, address), address);
}

namespace {

// imm: bit 0 wide address | 1..2 CopySpace | 3..4 kind of arrival | 5 noComplete | 6 relaxed
constexpr int space_shift = 1, arrival_shift = 3, no_complete_shift = 5, relaxed_shift = 6;
enum class Arrival : std::uint8_t { plain, with_count, expect_tx };

CopySpace space_of(const Op& op) { return static_cast<CopySpace>(op.imm >> space_shift & 3); }

bool relaxed(const Op& op) { return (op.imm >> relaxed_shift & 1) != 0; }

std::uint32_t barrier_address(const Warp& warp, const Op& op, int lane) {
  return lane_shared(warp, op, 0, lane, space_of(op));
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

template <MBarrierAction action>
Flow run_arrive(Warp& warp, const Op& op, Mask mask) {
  const auto arrival = static_cast<Arrival>(op.imm >> arrival_shift & 3);
  const bool no_complete = (op.imm >> no_complete_shift & 1) != 0;
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
                       {&warp, self, !relaxed(op)});
    if (no_complete && mbarrier_read(*warp.block, address).phase != before.phase)
      misuse(say(place(address), ": the arrival of ", count,
                 " says .noComplete and completes the phase"),
             address);
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
  Wait& wait = warp.fragment->wait;
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

enum Group { semantics_group, scope_group, type_group, form_group };
enum Form { expect_tx_form, no_complete_form, parity_form };

constexpr Choice choices[] = {
    {"release", semantics_group, 0},
    {"acquire", semantics_group, 1},
    {"relaxed", semantics_group, 2},
    {"cta", scope_group, 0},
    {"cluster", scope_group, 1},
    {"shared", space_group, static_cast<int>(CopySpace::shared_cta)},
    {"shared::cta", space_group, static_cast<int>(CopySpace::shared_cta)},
    {"shared::cluster", space_group, static_cast<int>(CopySpace::shared_cluster)},
    {"expect_tx", form_group, expect_tx_form},
    {"noComplete", form_group, no_complete_form},
    {"parity", form_group, parity_form},
    {"b64", type_group, 0},
};

struct Allowed {
  bool semantics = false, remote = false, acquire = false;
  bool forms[3] = {false, false, false};  // by Form
  int architecture = 80;
};

Chosen bind_modifiers(Binding& b, const Allowed& allowed) {
  require_architecture(b, allowed.architecture, b.instruction().text);
  const Chosen chosen = take_modifiers(b, choices);
  if (!chosen.has(type_group)) b.refuse("the type .b64 is missing");
  if (chosen.spaces.size() > 1) b.refuse("one state space only");
  if (!allowed.semantics && (chosen.has(semantics_group) || chosen.has(scope_group)))
    b.refuse("takes no .sem and no .scope");
  if (chosen.has(semantics_group) && chosen.group[semantics_group] != 2 &&
      (chosen.group[semantics_group] == 1) != allowed.acquire)
    b.refuse(allowed.acquire ? "takes .acquire or .relaxed" : "takes .release or .relaxed");
  if (chosen.has(semantics_group) != chosen.has(scope_group))
    b.refuse("semantics and scope come together");
  if (chosen.has(form_group) && !allowed.forms[chosen.group[form_group]])
    b.refuse("no such form of this instruction");
  if (chosen.value_or(scope_group, 0) == 1 || chosen.value_or(semantics_group, 0) == 2)
    require_architecture(b, 90, ".cluster and .relaxed");
  const CopySpace space = chosen.spaces.empty() ? CopySpace::generic : chosen.spaces[0];
  if (space == CopySpace::shared_cluster) {
    require_architecture(b, 90, ".shared::cluster");
    if (!allowed.remote) b.refuse("works on barriers of the own block only: .shared::cta");
  }
  b.op.imm |= static_cast<std::uint64_t>(space) << space_shift |
              std::uint64_t{chosen.value_or(semantics_group, 0) == 2} << relaxed_shift;
  return chosen;
}

void bind_init(Binding& b) {
  bind_modifiers(b, {});
  b.expect_operands(2, 2);
  bind_address(b, 0, b.operand(0));
  b.op.a = b.read(1, Type::u32);
  b.op.run = run_init;
}

void bind_inval(Binding& b) {
  bind_modifiers(b, {});
  b.expect_operands(1, 1);
  bind_address(b, 0, b.operand(0));
  b.op.run = run_inval;
}

template <MBarrierAction action>
void bind_arrive(Binding& b) {
  const Chosen chosen = bind_modifiers(
      b, {.semantics = true, .remote = true, .acquire = false, .forms = {true, true, false}});
  const int form = chosen.value_or(form_group, -1);
  b.expect_operands(form >= 0 ? 3 : 2, 3);
  if (!chosen.spaces.empty() && chosen.spaces[0] == CopySpace::shared_cluster &&
      b.operand(0).kind != ptx::Operand::Kind::sink)
    b.refuse("an arrival at .shared::cluster returns no state: write _");
  if (!chosen.spaces.empty() && chosen.spaces[0] == CopySpace::shared_cluster &&
      form == no_complete_form)
    b.refuse(".noComplete is for the block's own barriers");
  bind_address(b, 0, b.operand(1));
  Arrival arrival = Arrival::plain;
  if (b.operands() == 3) {
    arrival = form == expect_tx_form ? Arrival::expect_tx : Arrival::with_count;
    if (form != no_complete_form)
      require_architecture(b, 90, "a count without .noComplete, or .expect_tx");
    if (arrival == Arrival::with_count && b.is_constant(b.operand(2)) &&
        b.constant(b.operand(2)) <= 0)
      b.refuse("an arrival counts at least 1");
    b.op.a = b.read(2, Type::u32);
  }
  b.op.dst = b.write(0, Type::b64);
  b.op.imm |= static_cast<std::uint64_t>(arrival) << arrival_shift |
              std::uint64_t{form == no_complete_form} << no_complete_shift;
  b.op.run = run_arrive<action>;
}

template <MBarrierAction action>
void bind_transactions(Binding& b) {
  const Chosen chosen = bind_modifiers(b, {.semantics = true, .remote = true, .architecture = 90});
  if (chosen.value_or(semantics_group, 2) != 2) b.refuse("takes .relaxed only");
  b.expect_operands(2, 2);
  bind_address(b, 0, b.operand(0));
  b.op.a = b.read(1, Type::u32);
  b.op.run = run_transactions<action>;
}

template <bool may_suspend>
void bind_wait(Binding& b) {
  const Chosen chosen = bind_modifiers(b, {.semantics = true,
                                           .acquire = true,
                                           .forms = {false, false, true},
                                           .architecture = may_suspend ? 90 : 80});
  b.expect_operands(3, may_suspend ? 4 : 3);
  bind_address(b, 0, b.operand(1));
  const bool by_parity = chosen.has(form_group);
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
    {"mbarrier.init", OpClass::barrier, bind_init, ".b64, generic, .shared::cta"},
    {"mbarrier.inval", OpClass::barrier, bind_inval, ".b64, generic, .shared::cta"},
    {"mbarrier.arrive", OpClass::barrier, bind_arrive<MBarrierAction::arrive>, arrive_forms},
    {"mbarrier.arrive_drop", OpClass::barrier, bind_arrive<MBarrierAction::arrive_drop>,
     arrive_forms},
    {"mbarrier.expect_tx", OpClass::barrier, bind_transactions<MBarrierAction::expect_tx>,
     ".b64, .relaxed, generic, .shared::cta, .shared::cluster"},
    {"mbarrier.complete_tx", OpClass::barrier, bind_transactions<MBarrierAction::complete_tx>,
     ".b64, .relaxed, generic, .shared::cta, .shared::cluster"},
    {"mbarrier.test_wait", OpClass::barrier, bind_wait<false>, wait_forms},
    {"mbarrier.try_wait", OpClass::barrier, bind_wait<true>, wait_forms},
    {"mbarrier.pending_count", OpClass::barrier, bind_pending_count, ".b64"},
};

}  // namespace

std::span<const OpcodeRow> mbarrier_rows() { return rows; }

}  // namespace sim
