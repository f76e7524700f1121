// Findings put into words.
#include <algorithm>

#include "base/refuse.hpp"
#include "sim/watch/device/grid_watch.hpp"

namespace aisp::sim::watch {
namespace {

using base::say;

std::string deed(Channel channel, bool wrote, std::uint32_t bytes, bool tensor_memory) {
  const std::string what = say(wrote ? "write" : "read", " of ", bytes, " bytes");
  switch (channel) {
    case Channel::copy:
      return what + " by cp.async";
    case Channel::bulk_read:
    case Channel::bulk_write:
      return what + " by a bulk store";
    case Channel::product:
      return what + (tensor_memory ? " by tcgen05.mma or cp" : " by wgmma");
    case Channel::mbarrier:
      return what + " by an asynchronous copy that ends at an mbarrier";
    default:
      return what;
  }
}

struct Reason {
  std::string why, fix;
};

// A copy that fills a buffer again, while what was done with it before is not over.
Reason reason_of_refill(AsyncKind kind, const Before& before) {
  const bool loaded =
      channel_of(before.actor) == Channel::mbarrier || channel_of(before.actor) == Channel::copy;
  const std::string earlier =
      loaded
          ? "the buffer is filled again while the copy that filled it before may be under way or "
            "unread"
          : say("the copy may be done at once, while nothing orders what was ",
                before.wrote ? "written" : "read", " there before it");
  if (kind == AsyncKind::bulk_load)
    return {earlier + ": the thread that issues it has not waited for the buffer to be released",
            "let the issuing thread wait until all users have released the buffer: on its 'empty' "
            "mbarrier, at which they arrive after their last access, or at a barrier"};
  return {earlier,
          loaded
              ? "cp.async.wait_group for the earlier copy, and a barrier between the last use of "
                "the buffer and the cp.async that fills it again"
              : "a barrier between the last use of the buffer and the cp.async that fills it "
                "again"};
}

Reason reason_of(HazardRule rule, const Before& before, Reach reach) {
  switch (rule) {
    case HazardRule::copy_proxy_fence:
      return {
          "the cp.async is waited for, but it wrote through the generic proxy and what follows "
          "goes "
          "through the async proxy (wgmma)",
          "fence.proxy.async by the threads that copied, after cp.async.wait_group and before the "
          "barrier"};
    case HazardRule::proxy_fence:
      return {
          "the write is ordered before, but it went through the generic proxy and what follows "
          "goes through the async proxy (TMA, bulk copies, wgmma, tcgen05): that one may not see "
          "it",
          "fence.proxy.async by the writing threads after their writes and before the barrier, "
          "or by a thread between the barrier and the asynchronous operation"};
    case HazardRule::mbarrier_parity:
      return {
          "the wait on the mbarrier passed at once: before its first phase ends, a wait for "
          "parity 1 is already true",
          "wait for parity 0 first where data is to come, and flip it with every turn of the "
          "ring"};
    case HazardRule::copy_wait:
      return {
          "nothing says that the cp.async is over: the thread that issued it has not waited "
          "for its group, or has not met this thread since",
          "cp.async.wait_group (or wait_all) by the issuing thread, then a barrier before "
          "other threads touch the data"};
    case HazardRule::bulk_wait:
      if (channel_of(before.actor) == Channel::bulk_write)
        return {"the bulk store's group has not been waited for",
                "cp.async.bulk.wait_group 0 (not .read) by the issuing thread before others read"};
      return {"the phase of the mbarrier at which the copy ends has not been waited for",
              "mbarrier.try_wait for that phase by the thread, or by one that it meets at a "
              "barrier afterwards"};
    case HazardRule::bulk_source:
      return {"the bulk store may not have read its source yet",
              "cp.async.bulk.commit_group and cp.async.bulk.wait_group.read by the issuing thread, "
              "then a barrier, before the source is written again"};
    case HazardRule::tensor_operand:
      return {
          "the tcgen05.mma or cp that reads this operand is in flight: its tcgen05.commit has "
          "not been waited for",
          "tcgen05.commit behind it to the 'empty' mbarrier of the stage, and a wait for that "
          "phase before the stage is written"};
    case HazardRule::wgmma_operand:
      return {"the wgmma that reads this operand has not been waited for",
              "wgmma.wait_group before the buffer is released or written"};
    default:
      break;
  }
  if (reach == Reach::warp)
    return {"both are lanes of one warp, and lanes are not ordered without __syncwarp",
            "__syncwarp() with a mask that names both lanes, between the two"};
  if (reach == Reach::block)
    return {"no barrier, mbarrier phase or release/acquire pair lies between the two",
            "__syncthreads(), a named barrier of these warps, or an mbarrier between the two"};
  if (reach == Reach::cluster)
    return {"the blocks of a cluster are not ordered without a cluster barrier or an mbarrier",
            "barrier.cluster.arrive.release and barrier.cluster.wait.acquire between the two"};
  return {
      "blocks are ordered by nothing but release/acquire operations of a scope that holds both "
      "(or a grid barrier)",
      "a release (st.release.gpu, or __threadfence() before a relaxed atomic) on one side and "
      "an acquire on the other, atomics for both, or two kernels"};
}

// Ordered on a GPU by a relaxed flag or counter, but not by the rules.
Reason reason_of_counter(CounterFence lacks, bool stale) {
  if (lacks == CounterFence::release)
    return {
        "the thread of the first access executes a fence, but the flag or counter is written by "
        "another thread, which has met it at a barrier and executes no fence of its own behind "
        "that",
        "__threadfence() (fence.acq_rel.gpu) in the thread that writes the flag or counter, behind "
        "the barrier and before that write"};
  return {stale
              ? "the flag or counter between the two was read with a relaxed operation, and bytes "
                "of the same sector were loaded before the write: L1 may still hold the old ones"
              : "the flag or counter that was released behind the first access was read with a "
                "relaxed operation: no acquire, and no fence behind it, orders what follows",
          "__threadfence() (fence.acq_rel.gpu) in the thread that read the flag or counter, behind "
          "that read and before the barrier; or ld.acquire.gpu or atom.acquire.gpu in its place"};
}

bool passed_at_once(const WarpWatch& warp, Actor mbarrier) {
  const auto& passed = warp.passed_at_once;
  return std::find(passed.begin(), passed.end(), mbarrier) != passed.end();
}

HazardRule rule_of_operation(AsyncKind kind, const Before& before, HazardRule lanes_rule,
                             HazardRule operand_rule) {
  switch (kind) {
    case AsyncKind::copy:
      return HazardRule::copy_wait;
    case AsyncKind::bulk_load:
      return HazardRule::bulk_wait;
    default:
      return before.wrote || kind != AsyncKind::product ? lanes_rule : operand_rule;
  }
}

}  // namespace

HazardRule GridWatch::rule_of(const Region& region, const Before& before,
                              const Accessor& now) const {
  if (!before.fenced)
    return channel_of(before.actor) == Channel::copy && now.operation != nullptr &&
                   now.operation->kind == AsyncKind::product
               ? HazardRule::copy_proxy_fence
               : HazardRule::proxy_fence;
  const HazardRule operand_rule =
      grid_.tensor_memories ? HazardRule::tensor_operand : HazardRule::wgmma_operand;
  if (before.premature && now.operation->kind == AsyncKind::copy) return HazardRule::copy_wait;
  if (before.premature) {
    const WarpWatch* const reader = warp_of(*region.block, before.actor);
    return reader != nullptr && passed_at_once(*reader, now.actor) ? HazardRule::mbarrier_parity
                                                                   : HazardRule::bulk_wait;
  }
  switch (channel_of(before.actor)) {
    case Channel::copy:
      return HazardRule::copy_wait;
    case Channel::bulk_read:
      return HazardRule::bulk_source;
    case Channel::bulk_write:
      return HazardRule::bulk_wait;
    case Channel::product:
      return operand_rule;
    case Channel::mbarrier:
      return passed_at_once(*now.warp, before.actor) ? HazardRule::mbarrier_parity
                                                     : HazardRule::bulk_wait;
    default:
      break;
  }
  HazardRule lanes_rule = HazardRule::global_race;
  if (region.block != nullptr)
    lanes_rule = block_number(before.actor) == block_number(now.warp->actor)
                     ? HazardRule::shared_race
                     : HazardRule::cluster_race;
  return now.operation != nullptr
             ? rule_of_operation(now.operation->kind, before, lanes_rule, operand_rule)
             : lanes_rule;
}

void GridWatch::race(const Region& region, std::uint32_t size, const Before& before,
                     const Accessor& now) {
  HazardRule rule = rule_of(region, before, now);
  const Reach reach = reach_of(region, before, now);
  const CounterFence lacks = rule == HazardRule::global_race && before.fenced
                                 ? counter_fence(now, before)
                                 : CounterFence::none;
  const bool stale = lacks == CounterFence::acquire && may_be_cached(region, now);
  if (lacks != CounterFence::none && !stale) rule = HazardRule::counter_fence;
  const FindingNumber from = root_of(rule, region, before, now);
  if (!known(rule, before.pc, now.pc, reach, from))
    describe_race(rule, reach, region, size, before, now, lacks, from);
  if (!before.fenced) return;
  const BlockWatch& near = region.block != nullptr ? *region.block : *now.warp->block;
  Event first = event_of(near, before.actor, before.lane, before.time, before.pc);
  Event second = event_of(near, now.actor, now.stamp_lane(), now.time, now.pc);
  if (before.premature) std::swap(first, second);
  note_edge(rule, first, second, from);
  // The copies of two phases of an mbarrier are in no order: a phase has passed unseen.
  if (before.actor == now.actor && channel_of(now.actor) == Channel::mbarrier)
    missing_.disturb(now.actor, from != no_finding ? from : number_of(rule, before.pc, now.pc));
}

void GridWatch::describe_race(HazardRule rule, Reach reach, const Region& region,
                              std::uint32_t size, const Before& before, const Accessor& now,
                              CounterFence lacks, FindingNumber from) {
  const bool writes = now.access != Access::read;
  const bool refills =
      writes && !before.premature && now.operation != nullptr &&
      (rule == HazardRule::bulk_wait || rule == HazardRule::copy_wait) &&
      (now.operation->kind == AsyncKind::bulk_load || now.operation->kind == AsyncKind::copy);
  Reason reason =
      refills ? reason_of_refill(now.operation->kind, before) : reason_of(rule, before, reach);
  if (lacks != CounterFence::none)
    reason = reason_of_counter(lacks, rule == HazardRule::global_race);
  const Channel channel = now.operation != nullptr ? channel_of(now.actor) : Channel::lanes;
  const bool tensor = grid_.tensor_memories != nullptr;
  FindingPlace first = place_of(before.actor, before.lane, before.pc,
                                deed(channel_of(before.actor), before.wrote, size, tensor));
  std::string here = deed(channel, writes, size, tensor);
  FindingPlace second = now.operation != nullptr
                            ? place_of(now.actor, now.lane, now.pc, std::move(here))
                            : place_here(*now.warp, now.lane, now.pc, std::move(here));
  if (now.operation != nullptr) second.warp = now.warp->warp->index;
  first.address = second.address = address_text(region);
  std::uint32_t first_pc = before.pc, second_pc = now.pc;
  if (before.premature) {
    std::swap(first, second);
    std::swap(first_pc, second_pc);
  }
  std::string message = say(second.what, " in ", region.block != nullptr ? "shared" : "global",
                            " memory is not ordered after a ", first.what, ", at ", first.address);
  std::string object = object_text(region);
  // Whatever the buffer was used for before: the one wait before the copy is missing.
  if (refills)
    object = second.file.empty() ? say("filled again by PTX line ", second.ptx_line)
                                 : "filled again at " + source_of(second);
  // Whatever is read there: one wait in front of the reads is missing.
  const std::string wait = refills ? "" : missing_wait_text(rule, region, before, now, second_pc);
  if (!wait.empty()) object = wait;
  add(rule, std::move(message), reason.why, reason.fix, {std::move(first), std::move(second)},
      first_pc, second_pc, reach, object, refills || !wait.empty(), from);
}

void GridWatch::report_read_only(const Region& region, std::uint32_t size, const Stamp& write,
                                 const Accessor& who) {
  constexpr HazardRule rule = HazardRule::read_only_load;
  if (known(rule, write.pc, who.pc)) return;
  FindingPlace first = place_of(write.actor, static_cast<int>(write.lane), write.pc,
                                deed(channel_of(write.actor), true, size, false));
  const bool surface = !who.texture && !facts_->read_only[who.pc];
  const char* const what = who.texture ? "texture fetch"
                           : surface   ? "surface load"
                                       : "read-only load";
  FindingPlace second = place_here(*who.warp, who.lane, who.pc, say(what, " of ", size, " bytes"));
  first.address = second.address = address_text(region);
  const char* const reads =
      who.texture ? "a texture fetch reads what the same grid has written"
      : surface   ? "a surface load reads what another block of the same grid has written"
                  : "ld.global.nc reads what another block of the same grid has written";
  std::string message = say(reads, ", at ", first.address);
  add(rule, std::move(message),
      "the two are ordered, but the load may be answered from a cache that does not hear of writes",
      who.texture || surface
          ? "read it in the next kernel, or through an ordinary pointer to memory that is no array"
          : "an ordinary load: no __ldg() and no const __restrict__ for memory that the kernel "
            "writes",
      {std::move(first), std::move(second)}, write.pc, who.pc, Reach::grid, object_text(region));
}

Reach GridWatch::reach_of(const Region& region, const Before& before, const Accessor& now) const {
  if (channel_of(before.actor) != Channel::lanes) return Reach::unknown;
  if (before.actor == now.warp->actor) return Reach::warp;
  if (block_number(before.actor) == block_number(now.warp->actor)) return Reach::block;
  return region.block != nullptr ? Reach::cluster : Reach::grid;
}

// Of global memory: other buffers are other causes. In shared memory a barrier is for all of it.
std::string GridWatch::object_text(const Region& region) const {
  if (region.block != nullptr) return "";
  const auto found = grid_.memory->find(region.address);
  return found ? say("of allocation ", found->id) : "";
}

std::string GridWatch::address_text(const Region& region) const {
  if (region.block == nullptr) {
    const auto found = grid_.memory->find(region.address);
    if (!found) return say("address ", region.address);
    return say("byte ", region.address - found->base, " of ",
               found->name.empty() ? say("allocation #", found->id) : found->name, " (",
               found->bytes, " bytes)");
  }
  const std::uint64_t reserved = static_cast<std::uint64_t>(grid_.device->shared_reserved);
  const std::uint32_t* index = region.block->block->index;
  return say("shared offset ", region.address < reserved ? 0 : region.address - reserved,
             " of block (", index[0], ",", index[1], ",", index[2], ")");
}

FindingPlace GridWatch::place_here(const WarpWatch& warp, int lane, std::uint32_t pc,
                                   std::string what) const {
  return place_of(warp.actor, lane, pc, std::move(what));
}

bool GridWatch::known(HazardRule rule, std::uint32_t first_pc, std::uint32_t second_pc, Reach reach,
                      FindingNumber from) {
  // Which of two came first is the schedule's choice.
  const auto [low, high] = std::minmax(first_pc, second_pc);
  return process_.findings.known(rule, kernel_, low, high, 1, reach, from);
}

void GridWatch::add(HazardRule rule, std::string message, std::string why, std::string fix,
                    std::vector<FindingPlace> places, std::uint32_t first_pc,
                    std::uint32_t second_pc, Reach reach, const std::string& object,
                    bool object_is_cause, FindingNumber from) {
  Finding finding;
  finding.rule = rule;
  finding.kernel = kernel_;
  finding.message = std::move(message);
  finding.why = std::move(why);
  finding.fix = std::move(fix);
  finding.between = between(rule, first_pc, second_pc);
  finding.causes = causes_of(rule, places, first_pc, second_pc, object);
  if (object_is_cause) finding.causes.insert(object);
  finding.places = std::move(places);
  finding.reach = reach;
  const auto [low, high] = std::minmax(first_pc, second_pc);
  process_.findings.add(std::move(finding), low, high, 1, from);
}

}  // namespace aisp::sim::watch
