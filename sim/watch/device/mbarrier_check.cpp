// mbarriers: phases as edges, and the rules of their use.
#include <algorithm>
#include <utility>

#include "base/refuse.hpp"
#include "sim/watch/device/grid_watch.hpp"

namespace aisp::sim::watch {
namespace {

using base::say;

constexpr std::uint32_t object_bytes = 8;

// What an arrival tells that does not release: that the lanes have come so far, and what a fence
// before it released.
ClockPtr relaxed_arrival(WarpWatch& warp, Mask lanes_here) {
  const Group& group = group_of(warp, std::countr_zero(lanes_here));
  auto told = copy_of(group.released);
  TimesPtr& performed = (*told)[Layer::performed];
  performed = join(performed, layer_of(group.clock, Layer::ordered));
  performed = join(performed, layer_of(group.clock, Layer::performed));
  performed = with(performed, own_entries(warp, lanes_here));
  ++warp.now;
  return told;
}

}  // namespace

std::string GridWatch::mbarrier_text(const MBarrierWatch& barrier) const {
  const auto reserved = static_cast<std::uint32_t>(grid_.device->shared_reserved);
  return say("mbarrier at shared offset ", offset_in_block(barrier.address) - reserved,
             " of block rank ", barrier.address >> shared_rank_shift);
}

MBarrierWatch* GridWatch::find_mbarrier(Block& from, std::uint32_t address, BlockWatch** owner) {
  const std::uint32_t rank = address >> shared_rank_shift;
  if (rank >= from.cluster->blocks.size()) return nullptr;
  BlockWatch& block = of(*from.cluster->blocks[rank]);
  if (owner != nullptr) *owner = &block;
  const auto at = block.mbarriers.find(offset_in_block(address));
  return at == block.mbarriers.end() ? nullptr : &at->second;
}

// Lanes that initialise one object with one instruction and one count leave the same bits, and no
// thread can have used the object in between.
bool GridWatch::initialised_together(MBarrierWatch& barrier, const WarpWatch& self, int lane,
                                     std::uint32_t count) {
  const Mask before = barrier.init_lanes, own = Mask{1} << lane;
  if (!barrier.live || barrier.init.actor != self.actor || barrier.init.pc != self.pc() ||
      barrier.count != count || barrier.phase != 1 || barrier.arrivals != 0 ||
      (before & own) != 0 || (before & ~self.warp->lane_group->mask) != 0 ||
      self.now - barrier.init.time >
          static_cast<std::uint32_t>(lane) - barrier.init.lane)  // a time each, lane by lane
    return false;
  barrier.init_lanes |= own;
  constexpr HazardRule rule = HazardRule::mbarrier_init_lanes;
  if (known(rule, barrier.init.pc, self.pc())) return true;
  add(rule, say(mbarrier_text(barrier), " is initialised by several lanes with one instruction"),
      "all lanes give it the same count, but mbarrier.init of a live object is undefined",
      "let one lane execute mbarrier.init: if (threadIdx.x == 0), or an elected lane",
      {place_of(barrier.init.actor, static_cast<int>(barrier.init.lane), barrier.init.pc,
                "mbarrier.init"),
       place_here(self, lane, self.pc(), "mbarrier.init")},
      barrier.init.pc, self.pc());
  return true;
}

void GridWatch::mbarrier_init(Warp& warp, int lane, std::uint32_t address, std::uint32_t count) {
  WarpWatch& self = of(warp);
  const std::uint32_t offset = offset_in_block(address);
  MBarrierWatch& barrier = of(*warp.block).mbarriers[offset];
  if (initialised_together(barrier, self, lane, count)) {
    ++self.now;
    return;
  }
  if (barrier.live && !known(HazardRule::mbarrier_reinit, barrier.init.pc, self.pc()))
    add(HazardRule::mbarrier_reinit,
        say(mbarrier_text(barrier), " is initialised while it is live, in phase ",
            barrier.phase - 1),
        "the object was initialised before and not invalidated since",
        "initialise it once per kernel, or call mbarrier.inval after the last use and before "
        "the next mbarrier.init",
        {place_of(barrier.init.actor, static_cast<int>(barrier.init.lane), barrier.init.pc,
                  "mbarrier.init"),
         place_here(self, lane, self.pc(), "mbarrier.init")},
        barrier.init.pc, self.pc());
  barrier = {};
  barrier.actor = actor_of(mbarriers_++, Channel::mbarrier);
  barrier.address = address;
  barrier.live = true;
  barrier.init.actor = self.actor;
  barrier.init.time = self.now++;
  barrier.init.pc = self.pc() & 0x7ffffffu;
  barrier.init.lane = static_cast<std::uint32_t>(lane) & 31;
  barrier.init_lanes = Mask{1} << lane;
  barrier.count = count;
  settle_write();
  of(*warp.block).shadow.page(offset).barriers = true;
}

void GridWatch::mbarrier_inval(Warp& warp, int lane, std::uint32_t address) {
  MBarrierWatch* barrier = find_mbarrier(*warp.block, address);
  if (barrier == nullptr) return;
  check_init_seen(of(warp), lane, *barrier, false, "mbarrier.inval");
  barrier->live = false;
}

void GridWatch::check_init_seen(WarpWatch& warp, int lane, MBarrierWatch& barrier, bool async,
                                const char* what) {
  const Mask bit = Mask{1} << barrier.init.lane;
  const Group& group = group_of(warp, lane);
  const TimesPtr fenced = layer_of(group.clock, Layer::init);
  const bool is_fenced = missing(fenced, barrier.init.actor, bit, barrier.init.time) == 0;
  const Accessor who{.warp = &warp, .group = &group, .lane = lane};
  const bool own = warp.actor == barrier.init.actor && (barrier.init_lanes >> lane & 1) != 0;
  const bool ordered =
      own || is_fenced || knows(who, barrier.init.actor, bit, barrier.init.time, false);
  if (ordered && (!async || is_fenced)) return;
  // Initialised in time: only the fence for the async proxy is missing.
  const HazardRule rule = ordered ? HazardRule::mbarrier_init_fence : HazardRule::mbarrier_init;
  if (known(rule, barrier.init.pc, warp.pc())) return;
  add(rule,
      say(mbarrier_text(barrier), " is used by ", what, " before its initialisation is visible"),
      ordered ? "the initialisation happens before, but no fence makes it visible to the async "
                "proxy"
              : "nothing orders the initialisation before this use",
      ordered ? "fence.mbarrier_init.release.cluster (or fence.proxy.async) by the thread that "
                "initialises, before the barrier that the others wait at"
              : "a block barrier (__syncthreads), or a cluster barrier for other blocks, between "
                "mbarrier.init and the first use by other threads",
      {place_of(barrier.init.actor, static_cast<int>(barrier.init.lane), barrier.init.pc,
                "mbarrier.init"),
       place_here(warp, lane, warp.pc(), what)},
      barrier.init.pc, warp.pc());
}

void GridWatch::mbarrier_named(Warp& warp, int lane, std::uint32_t address) {
  if (MBarrierWatch* barrier = find_mbarrier(*warp.block, address))
    check_init_seen(of(warp), lane, *barrier, true, "an asynchronous copy");
}

// The phase that ends must end after everybody who waited for the one before has seen that: else
// such a wait may come two phases late and find its parity used again.
void GridWatch::check_waits(MBarrierWatch& barrier, std::uint32_t pc, WarpWatch* by, int lane) {
  const TimesPtr ordered = layer_of(barrier.current, Layer::ordered),
                 performed = layer_of(barrier.current, Layer::performed);
  for (const BarrierEvent& wait : barrier.waits) {
    const Mask unknown = missing(performed, wait.actor,
                                 missing(ordered, wait.actor, wait.mask, wait.time), wait.time);
    if (unknown != wait.mask) continue;  // one of the lanes that waited together is enough
    const FindingNumber from =
        is_root(HazardRule::mbarrier_phase, wait.pc, pc) ? no_finding : root_of_wait(wait, barrier);
    if (!known(HazardRule::mbarrier_phase, wait.pc, pc, Reach::unknown, from))
      add(HazardRule::mbarrier_phase,
          say(mbarrier_text(barrier), ": phase ", barrier.phase - 1,
              " may complete before a wait for phase ", barrier.phase - 2, " has returned"),
          "nothing orders that wait before the arrivals of the next phase: a waiter that is late "
          "finds the parity of two phases ago and waits for ever, or reads what is not yet there",
          "let the arriving side wait until the waiters have passed, e.g. on an 'empty' mbarrier "
          "that they arrive at",
          {place_of(wait.actor, std::countr_zero(wait.mask), wait.pc, "mbarrier wait"),
           by != nullptr ? place_here(*by, lane, pc, "arrival that completes the next phase")
                         : place_of(barrier.actor, -1, pc, "completes the next phase")},
          wait.pc, pc, Reach::unknown, "", false, from);
    note_disturbed(HazardRule::mbarrier_phase, barrier, wait.pc, pc, from);
  }
}

// Lanes of a warp that complete one phase each with the same instruction, for which nobody can wait
// in between: the barrier was initialised for fewer lanes than arrive.
void GridWatch::check_surplus(MBarrierWatch& barrier, WarpWatch& by, int lane) {
  const std::uint32_t pc = by.pc();
  const Stamp before = std::exchange(
      barrier.completed, {.actor = by.actor, .pc = pc, .lane = static_cast<std::uint8_t>(lane)});
  if (before.actor != by.actor || before.pc != pc || before.lane == lane ||
      !barrier.waits.empty() || known(HazardRule::mbarrier_arrivals, barrier.init.pc, pc))
    return;
  add(HazardRule::mbarrier_arrivals,
      say(mbarrier_text(barrier), ": lanes ", +before.lane, " and ", lane,
          " of a warp complete a phase each with one instruction"),
      "every lane that executes an arrival counts, and nobody waits for the phase in between",
      "one elected lane that arrives, or a count of mbarrier.init that holds all lanes that do",
      {place_of(barrier.init.actor, static_cast<int>(barrier.init.lane), barrier.init.pc,
                "mbarrier.init"),
       place_here(by, lane, pc, "arrival that completes one more phase")},
      barrier.init.pc, pc);
}

void GridWatch::mbarrier_applied(Block& from, const MBarrierActor& actor, std::uint32_t address,
                                 MBarrierAction action, std::uint32_t count, const MBarrier& before,
                                 const MBarrier& after) {
  BlockWatch* owner = nullptr;
  MBarrierWatch* found = find_mbarrier(from, address, &owner);
  if (found == nullptr) return;
  MBarrierWatch& barrier = *found;
  ClusterWatch& cluster = of(*from.cluster);
  WarpWatch* warp = actor.warp != nullptr ? &of(*actor.warp) : nullptr;
  const int lane = warp != nullptr ? std::countr_zero(actor.lanes) : -1;
  std::uint32_t pc = warp != nullptr ? warp->pc() : 0;
  const bool arrives = action == MBarrierAction::arrive || action == MBarrierAction::arrive_drop;
  if (warp != nullptr) {
    check_init_seen(*warp, lane, barrier, false, arrives ? "an arrival" : "expect_tx");
    if (owner->exited)
      report_use_after_exit({owner, offset_in_block(barrier.address)},
                            {.warp = warp, .pc = pc, .lane = lane, .access = Access::atomic});
    if (arrives && from.rank != address >> shared_rank_shift)
      barrier.remote.push_back({warp->actor, actor.lanes, warp->now, pc, barrier.phase});
    if (arrives && actor.releases) {
      barrier.current = join(barrier.current, release(*warp, actor.lanes));
    } else if (arrives) {
      barrier.current = join(barrier.current, relaxed_arrival(*warp, actor.lanes));
    }
  } else if (from.cluster->arriving != 0) {
    const auto& arrival = cluster.arrivals[from.cluster->arriving];
    barrier.current = join(barrier.current, arrival.clock);
    pc = arrival.pc;
    cluster.arrivals.erase(from.cluster->arriving);
  } else if (from.cluster->acting != 0) {
    const Operation& operation = cluster.operations[from.cluster->acting - 1];
    for (const Group& group : operation.groups)
      barrier.current = join(barrier.current, carried(operation, group));
    pc = operation.pc;
  }
  if (arrives) {
    ++barrier.arrivals;
    barrier.last_arrival_pc = pc;
  }
  if (after.pending == 0 && after.transactions < 0 &&
      !known(HazardRule::mbarrier_transactions, barrier.init.pc, pc))
    add(HazardRule::mbarrier_transactions,
        say(mbarrier_text(barrier), ": ", -after.transactions,
            " bytes more have arrived than the phase expects, and all threads have arrived"),
        "every byte that a copy brings must be announced by expect_tx in the same phase",
        "give mbarrier.arrive.expect_tx the sum of the bytes of all copies that complete at this "
        "barrier",
        {place_of(barrier.init.actor, static_cast<int>(barrier.init.lane), barrier.init.pc,
                  "mbarrier.init"),
         warp != nullptr ? place_here(*warp, lane, pc, say("count ", count))
                         : place_of(barrier.actor, -1, pc, say("completes ", count, " bytes"))},
        barrier.init.pc, pc, Reach::unknown, mbarrier_text(barrier), true);
  if (after.phase == before.phase) return;
  check_waits(barrier, pc, warp, lane);
  if (arrives && warp != nullptr)
    check_surplus(barrier, *warp, lanes - 1 - std::countl_zero(actor.lanes));  // the last one
  else
    barrier.completed = {};
  auto told = copy_of(barrier.current);
  (*told)[Layer::ordered] = with((*told)[Layer::ordered], {{barrier.actor, 1, barrier.phase}});
  barrier.past = join(barrier.past, told);
  barrier.current = {};
  barrier.waits.clear();
  std::erase_if(barrier.remote,
                [&](const BarrierEvent& arrival) { return arrival.phase < barrier.phase; });
  ++barrier.phase;
}

void GridWatch::mbarrier_tested(Warp& warp, Mask mask, std::uint32_t address, bool, bool complete,
                                bool acquires) {
  WarpWatch& self = of(warp);
  MBarrierWatch* barrier = find_mbarrier(*warp.block, address);
  if (barrier == nullptr) return;
  const int lane = std::countr_zero(mask);
  check_init_seen(self, lane, *barrier, false, "a wait");
  if (!complete) return;
  if (barrier->phase == 1) {  // nothing has ended yet: the parity before the first phase
    auto& passed = self.passed_at_once;
    if (std::find(passed.begin(), passed.end(), barrier->actor) == passed.end())
      passed.push_back(barrier->actor);
    return;
  }
  barrier->waits.push_back({self.actor, mask, self.now, self.pc(), barrier->phase - 1});
  ++self.now;
  if (acquires)
    acquire(self, mask, barrier->past);
  else
    each_group_of(self, mask, [&](Group& group) { group.seen = join(group.seen, barrier->past); });
}

// Data is stored over an mbarrier that has not been invalidated.
void GridWatch::check_overwritten(const Region& region, std::uint32_t bytes, const Accessor& who) {
  auto& barriers = region.block->mbarriers;
  const auto begin = static_cast<std::uint32_t>(region.address);
  const auto first = barriers.lower_bound(begin < object_bytes ? 0 : begin - object_bytes + 1);
  for (auto at = first; at != barriers.end() && at->first < begin + bytes; ++at) {
    const MBarrierWatch& barrier = at->second;
    if (!barrier.live || known(HazardRule::mbarrier_reinit, barrier.init.pc, who.pc)) continue;
    add(HazardRule::mbarrier_reinit,
        say(mbarrier_text(barrier), " is overwritten with data while it is live"),
        "the object has been initialised and not invalidated",
        "call mbarrier.inval (after all uses, ordered by a barrier) before its memory is used "
        "for something else",
        {place_of(barrier.init.actor, static_cast<int>(barrier.init.lane), barrier.init.pc,
                  "mbarrier.init"),
         place_here(*who.warp, who.lane, who.pc, say("write of ", bytes, " bytes"))},
        barrier.init.pc, who.pc);
  }
}

}  // namespace aisp::sim::watch
