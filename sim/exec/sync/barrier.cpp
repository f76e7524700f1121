// The sixteen barriers of a block: bar and barrier{.cta}. Arrivals are counted in threads, and
// lanes a warp does not have count as threads where the program gives a number, since that number
// is in whole warps.
#include "sim/exec/sync/barrier.hpp"

#include "base/refuse.hpp"
#include "sim/exec/form.hpp"
#include "sim/exec/lanes.hpp"
#include "sim/exec/opcodes.hpp"
#include "sim/machine/collective.hpp"
#include "sim/machine/observer.hpp"

namespace aisp::sim {
namespace {

using base::say;

enum class Verb : std::uint8_t { sync, arrive, red };
enum class Reduce : std::uint8_t { none, popc, all, any };

constexpr Word<Verb> verbs[] = {{"sync", Verb::sync}, {"arrive", Verb::arrive}, {"red", Verb::red}};
constexpr Word<Reduce> reductions[] = {
    {"popc", Reduce::popc}, {"and", Reduce::all}, {"or", Reduce::any}};

struct BarrierForm {
  Verb verb = Verb::sync;
  Reduce reduce = Reduce::none;
  bool aligned = false;
  bool negated = false;  // the predicate of red
};

template <class... Parts>
[[noreturn]] void misuse(const Parts&... parts) {
  throw Fault{FaultKind::illegal_instruction, say(parts...), 0, -1, FaultSubject::barrier};
}

std::uint32_t uniform(const Warp& warp, Ref ref, Mask mask, const char* what) {
  const auto* values = warp.read<std::uint32_t>(ref);
  const std::uint32_t first = values[std::countr_zero(mask) % lanes];
  for (Mask left = mask; left != 0; left &= left - 1)
    if (values[std::countr_zero(left)] != first)
      misuse("lanes that execute a barrier together name different ", what, "s: ", first, " and ",
             values[std::countr_zero(left)]);
  return first;
}

std::uint32_t threads_named(const Warp& warp, const Op& op, Mask mask, std::uint32_t index) {
  if (op.b == no_ref) return 0;
  const std::uint32_t count = uniform(warp, op.b, mask, "thread count");
  if (count % lanes != 0)
    misuse("barrier ", index, ": ", count, " threads, which is not a multiple of ", lanes);
  if (count == 0 && form_of<BarrierForm>(op).verb == Verb::arrive)
    misuse("barrier ", index, ": arrive needs a thread count");
  return count;
}

// Threads that this arrival stands for when the barrier counts whole warps: the lane that comes
// first among those alive brings the ones the warp does not have (any more).
std::uint32_t weight(const Warp& warp, Mask together) {
  const Mask first_alive = warp.alive & (~warp.alive + 1);
  const int absent = lanes - std::popcount(warp.alive);
  return static_cast<std::uint32_t>(std::popcount(together) +
                                    ((together & first_alive) != 0 ? absent : 0));
}

std::uint64_t packed_result(const NamedBarrier& barrier) {
  return barrier.count | std::uint64_t{barrier.all} << 32 | std::uint64_t{barrier.any} << 33;
}

// Those who wait for bar.red keep their result: the barrier may be used again before they run.
void hand_out(Block& block, std::uint32_t index, std::uint64_t phase, std::uint64_t result) {
  for (auto& warp : block.warps)
    for (LaneGroup& lane_group : warp->lane_groups)
      if (lane_group.mask != 0 && lane_group.wait.kind == Wait::Kind::barrier &&
          lane_group.wait.index == index && lane_group.wait.value == phase)
        lane_group.wait.address = result;
}

// Ends the phase if all have come. Tested again by those who wait, since threads may exit.
void complete_if_all_here(Block& block, std::uint32_t index) {
  NamedBarrier& barrier = block.barriers[index];
  const std::uint32_t expected =
      barrier.expected != 0 ? barrier.expected : block.threads - block.exited;
  if (barrier.arrived == 0 || barrier.arrived < expected) return;
  const std::uint64_t phase = ++barrier.generation;
  if (barrier.reduced) hand_out(block, index, phase, packed_result(barrier));
  barrier.arrived = barrier.expected = barrier.count = 0;
  barrier.any = false;
  barrier.all = true;
  barrier.reduced = false;
  block.cluster->moved();
}

void arrive(Warp& warp, const Op& op, Mask together, std::uint32_t index, std::uint32_t count) {
  Block& block = *warp.block;
  NamedBarrier& barrier = block.barriers[index];
  const std::uint32_t whole_block = (block.threads + lanes - 1) / lanes * lanes;
  if (barrier.arrived == 0) {
    barrier.expected = count;
  } else if (barrier.expected != count) {
    const bool same = (barrier.expected == 0 && count == whole_block) ||
                      (barrier.expected == whole_block && count == 0);
    if (!same)
      misuse("barrier ", index, ": an arrival names ", count, " threads, the phase under way ",
             barrier.expected, " (0: the whole block)");
  }
  barrier.arrived += barrier.expected == 0 ? static_cast<std::uint32_t>(std::popcount(together))
                                           : weight(warp, together);
  if (barrier.expected != 0 && barrier.arrived > barrier.expected)
    misuse("barrier ", index, ": ", barrier.arrived, " threads arrived, ", barrier.expected,
           " are expected");
  const auto form = form_of<BarrierForm>(op);
  if (form.verb != Verb::red) return;
  const Mask yes = (warp.predicate(op.c) ^ (form.negated ? all_lanes : 0)) & together;
  barrier.reduced = true;
  barrier.count += static_cast<std::uint32_t>(std::popcount(yes));
  barrier.any |= yes != 0;
  barrier.all &= yes == together;
}

void write_result(Warp& warp, const Op& op, Mask mask, std::uint64_t result) {
  switch (form_of<BarrierForm>(op).reduce) {
    case Reduce::none:
      return;
    case Reduce::popc: {
      if (op.dst == no_ref) return;
      auto* d = warp.write<std::uint32_t>(op.dst);
      each_lane(mask, [&](int lane) { d[lane] = static_cast<std::uint32_t>(result); });
      return;
    }
    case Reduce::all:
      return warp.set_predicate(op.dst, mask, (result >> 32 & 1) != 0 ? mask : 0);
    case Reduce::any:
      return warp.set_predicate(op.dst, mask, (result >> 33 & 1) != 0 ? mask : 0);
  }
}

Flow leave_barrier(Warp& warp, const Op& op, Mask mask) {
  Wait& wait = warp.lane_group->wait;
  write_result(warp, op, mask, wait.address);
  if (warp.observer != nullptr) [[unlikely]]
    warp.observer->barrier_passed(warp, mask, wait.index, wait.value);
  wait = {};
  return Flow::next;
}

bool passed(Warp& warp) {
  const Wait& wait = warp.lane_group->wait;
  complete_if_all_here(*warp.block, wait.index);
  return warp.block->barriers[wait.index].generation >= wait.value;
}

Flow run_barrier(Warp& warp, const Op& op, Mask mask) {
  if (warp.lane_group->wait.kind == Wait::Kind::barrier)
    return passed(warp) ? leave_barrier(warp, op, mask) : Flow::wait;
  const auto form = form_of<BarrierForm>(op);
  const Mask together = form.aligned ? gather(warp, mask, all_lanes) : mask;
  if (together == 0) return Flow::wait;
  const std::uint32_t index = uniform(warp, op.a, together, "barrier");
  if (index > 15) misuse("barrier ", index, ": a block has barriers 0 to 15");
  Block& block = *warp.block;
  arrive(warp, op, together, index, threads_named(warp, op, together, index));
  const std::uint64_t phase = block.barriers[index].generation + 1;
  if (warp.observer != nullptr) [[unlikely]]
    warp.observer->barrier_arrived(warp, together, index, phase);
  if (form.verb == Verb::arrive) {
    complete_if_all_here(block, index);
    return Flow::next;
  }
  warp.lane_group->wait = {.kind = Wait::Kind::barrier, .index = index, .value = phase};
  if (passed(warp)) return leave_barrier(warp, op, together);
  ++warp.counters->barrier_waits;
  return Flow::wait;
}

void bind_index_and_count(Binding& b, int first, bool has_count) {
  const ptx::Operand& index = b.operand(first);
  if (b.is_constant(index) && (b.constant(index) < 0 || b.constant(index) > 15))
    b.refuse("a block has barriers 0 to 15");
  b.op.a = b.read(index, Type::u32);
  if (!has_count) return;
  const ptx::Operand& count = b.operand(first + 1);
  if (b.is_constant(count) && b.constant(count) % lanes != 0)
    b.refuse("the thread count must be a multiple of 32");
  b.op.b = b.read(count, Type::u32);
}

void bind_red(Binding& b, BarrierForm& form) {
  const bool counts = form.reduce == Reduce::popc;
  b.expect(counts ? "u32" : "pred");
  b.expect_operands(3, 4);
  const int last = b.operands() - 1;
  bind_index_and_count(b, 1, last == 3);
  b.op.c = b.read_predicate(b.operand(last), form.negated);
  b.op.dst = counts ? b.write(0, Type::u32) : b.write_predicate(b.operand(0));
}

void bind_barrier(Binding& b, bool always_aligned) {
  b.accept("cta");
  BarrierForm form{.verb = b.one_of(verbs, "sync, arrive or red is missing")};
  form.aligned = always_aligned || b.accept("aligned");
  if (form.verb == Verb::red) {
    form.reduce = b.one_of(reductions, "popc, and or or is missing");
    form.aligned = form.aligned || b.accept("aligned");
    bind_red(b, form);
  } else {
    b.expect_operands(form.verb == Verb::arrive ? 2 : 1, 2);
    bind_index_and_count(b, 0, b.operands() == 2);
  }
  set_form(b.op, form);
  b.op.run = run_barrier;
}

constexpr OpcodeRow rows[] = {
    {"bar", OpClass::barrier, [](Binding& b) { bind_barrier(b, true); },
     "{.cta}.sync .arrive .red.{popc,and,or}, with or without thread count"},
    {"barrier", OpClass::barrier, [](Binding& b) { bind_barrier(b, false); },
     "{.cta}.sync .arrive .red.{popc,and,or}{.aligned}"},
    {"barrier.cluster.arrive", OpClass::barrier, bind_cluster_arrive,
     "{.release,.relaxed}{.aligned}", sm_90},
    {"barrier.cluster.wait", OpClass::barrier, bind_cluster_wait, "{.acquire}{.aligned}", sm_90},
    {"membar", OpClass::fence, bind_membar, ".cta .gl .sys .proxy.alias"},
    {"fence", OpClass::fence, bind_fence,
     "{.sc,.acq_rel,.acquire,.release}.scope, .sync_restrict, .mbarrier_init, .proxy.*"},
    {"griddepcontrol", OpClass::barrier, bind_griddepcontrol,
     ".wait .launch_dependents: grids run one after the other", sm_90},
    {"setmaxnreg", OpClass::other, bind_setmaxnreg, ".{inc,dec}.sync.aligned.u32: no effect",
     sm_90a},
};

}  // namespace

std::span<const OpcodeRow> barrier_rows() { return rows; }

}  // namespace aisp::sim
