// Findings that follow from another one: what would be in order if that one were fixed.
#include <algorithm>

#include "base/refuse.hpp"
#include "sim/watch/device/grid_watch.hpp"

namespace aisp::sim::watch {
namespace {

bool is_copy(const Accessor& who) {
  return who.operation != nullptr &&
         (who.operation->kind == AsyncKind::bulk_load || who.operation->kind == AsyncKind::copy);
}

// By at least one of its lanes.
bool is_known(const ClockPtr& clock, const Event& event) {
  Mask left = missing(layer_of(clock, Layer::ordered), event.actor, event.lanes, event.time);
  left = missing(layer_of(clock, Layer::performed), event.actor, left, event.time);
  return left != event.lanes;
}

}  // namespace

bool GridWatch::is_premature(const Region& region, const Reader& reader, int lane,
                             const Stamp& write, const Accessor& who) const {
  if (region.block == nullptr || !is_copy(who)) return false;
  if (write.actor == 0) return true;
  const Channel channel = channel_of(write.actor);
  if (channel != Channel::mbarrier && channel != Channel::copy) return false;
  WarpWatch* const warp = const_cast<WarpWatch*>(warp_of(*region.block, reader.actor));
  if (warp == nullptr) return false;
  const Accessor by{.warp = warp, .group = &group_of(*warp, lane), .lane = lane};
  return !knows(by, write.actor, Mask{1} << write.lane, write.time, false);
}

Event GridWatch::event_of(const BlockWatch& near, Actor actor, int lane, std::uint32_t time,
                          std::uint32_t pc) const {
  Event event{.actor = actor, .lanes = Mask{1} << std::max(lane, 0), .time = time, .pc = pc};
  switch (channel_of(actor)) {
    case Channel::mbarrier: {
      event.lanes = 1;
      const auto at = record_->issuers.find({actor, pc});
      if (at == record_->issuers.end() || at->second.phase != time) return event;
      event.issuer = actor_of(at->second.warp, Channel::lanes);
      event.issuer_lanes = Mask{1} << std::max(at->second.lane, 0);
      event.issued = at->second.issued;
      return event;
    }
    case Channel::product: {
      const WarpWatch* const warp = warp_of(near, actor);
      if (warp == nullptr || time == 0 || time > warp->products_issued_at.size()) return event;
      event.issuer = warp->actor;
      event.issuer_lanes = grid_.tensor_memories ? event.lanes : all_lanes;
      event.issued = warp->products_issued_at[time - 1];
      return event;
    }
    default:
      return event;
  }
}

bool GridWatch::is_waited_for(const WarpWatch& issuer, const Event& operation) const {
  const auto lane = static_cast<std::size_t>(std::countr_zero(operation.lanes));
  switch (channel_of(operation.actor)) {
    case Channel::copy:
      return operation.time <= issuer.done.copy[lane];
    case Channel::bulk_read:
      return operation.time <= issuer.done.bulk_read[lane];
    case Channel::bulk_write:
      return operation.time <= issuer.done.bulk_write[lane];
    case Channel::product:  // of tcgen05 an mbarrier tells, and anybody may wait for it
      return grid_.tensor_memories || operation.time <= issuer.products_done;
    case Channel::tensor_load:
      return operation.time <= issuer.tensor_loaded;
    case Channel::tensor_store:
      return operation.time <= issuer.tensor_stored;
    default:
      return true;
  }
}

// Both are about an operation that only the warp that issued it can wait for, and that one has not:
// its wait would be in front of both.
bool GridWatch::same_wait(const BlockWatch& near, const Event& event, const Event& known) const {
  if (event.actor != known.actor) return false;
  const WarpWatch* const issuer = warp_of(near, event.actor);
  return issuer != nullptr && !is_waited_for(*issuer, event);
}

FindingNumber GridWatch::root_of(HazardRule rule, const Region& region, const Before& before,
                                 const Accessor& now) const {
  if (!before.fenced || is_root(rule, before.pc, now.pc)) return no_finding;
  const BlockWatch& near = region.block != nullptr ? *region.block : *now.warp->block;
  const Event first = event_of(near, before.actor, before.lane, before.time, before.pc);
  const Event second = event_of(near, now.actor, now.stamp_lane(), now.time, now.pc);
  if (before.premature)
    return missing_.find(
        second, [&](const MissingEdges::Edge& edge) { return precedes(edge.after, first); });
  if (const FindingNumber late = root_of_late(near, first, second, now); late != no_finding)
    return late;
  const bool overwrites = now.access != Access::read;
  return missing_.find(first, [&](const MissingEdges::Edge& edge) {
    const Event& after = edge.after;
    if (same_wait(near, first, edge.before)) return true;
    // Another copy of the same phase, which the same wait lets go.
    if (channel_of(now.actor) == Channel::mbarrier && after.actor == now.actor &&
        after.time == now.time)
      return true;
    if (now.operation == nullptr && after.actor == now.actor && after.time == now.time)
      return precedes(after, second);
    return unknown(now, after.actor, after.lanes, after.time, overwrites) != after.lanes;
  });
}

// The operation was issued before the other access and runs behind it. Nothing waited for it, and
// the thread of the other access knows of one that should have.
FindingNumber GridWatch::root_of_late(const BlockWatch& near, const Event& access,
                                      const Event& operation, const Accessor& now) const {
  const Channel channel = channel_of(access.actor);
  const WarpWatch* const warp =
      now.operation != nullptr && channel == Channel::lanes ? warp_of(near, access.actor) : nullptr;
  if (warp == nullptr) return no_finding;
  const ClockPtr& known = group_of(*warp, std::countr_zero(access.lanes)).clock;
  return missing_.find(operation, [&](const MissingEdges::Edge& edge) {
    if (edge.before.actor != operation.actor || edge.before.time != operation.time) return false;
    const bool own = index_of(edge.after.actor) == index_of(access.actor) &&
                     edge.after.issued != 0 && edge.after.issued <= access.time;
    return own || precedes(edge.after, access) || is_known(known, edge.after);
  });
}

FindingNumber GridWatch::root_of_register(const WarpWatch& self, const Event& product,
                                          std::uint32_t pc) const {
  if (is_root(HazardRule::wgmma_registers, product.pc, pc)) return no_finding;
  return missing_.find(product, [&](const MissingEdges::Edge& edge) {
    return edge.after.actor == self.actor || same_wait(*self.block, product, edge.before);
  });
}

// The wait comes before something in its thread that the copies or arrivals of the next phase
// should have been ordered after, or before a copy that the thread issued and that those who arrive
// should have waited for.
FindingNumber GridWatch::root_of_wait(const BarrierEvent& wait,
                                      const MBarrierWatch& barrier) const {
  const Event first{.actor = wait.actor, .lanes = wait.mask, .time = wait.time, .pc = wait.pc};
  return missing_.find_any([&](const MissingEdges::Edge& edge) {
    if (!precedes(first, edge.before)) return false;
    const bool completes = edge.after.actor == barrier.actor && edge.after.time == barrier.phase;
    return completes || is_known(barrier.current, edge.after);
  });
}

FindingNumber GridWatch::root_of_exit(const BlockWatch& block, Actor actor, int lane,
                                      std::uint32_t time, std::uint32_t pc) const {
  const Event first = event_of(block, actor, lane, time, pc);
  return missing_.find(first, [&](const MissingEdges::Edge& edge) {
    return is_known(block.at_exit, edge.after) || same_wait(block, first, edge.before);
  });
}

FindingNumber GridWatch::root_of_tensor_use(const WarpWatch& self, const Group& group,
                                            const Event& before, const Event& now) const {
  // The same instruction is not ordered after what another warp did, which knows of this: ordered
  // after that warp, it would be ordered after this, too.
  const FindingNumber other = missing_.find_any([&](const MissingEdges::Edge& edge) {
    if (edge.after.actor != now.actor || edge.after.time != now.time || edge.after.pc != now.pc)
      return false;
    const WarpWatch* const warp = warp_of(*self.block, edge.before.actor);
    return warp != nullptr && is_known(group_of(*warp, 0).clock, before);
  });
  if (other != no_finding && channel_of(now.actor) == Channel::lanes) return other;
  return missing_.find(before, [&](const MissingEdges::Edge& edge) {
    if (same_wait(*self.block, before, edge.before)) return true;
    const Event& after = edge.after;
    if (index_of(after.actor) == index_of(self.actor))  // issued by this warp, before
      return after.issued < self.now || (after.issued == self.now && after.pc <= now.pc);
    return is_known(group.clock, after) ||
           missing(layer_of(group.clock, Layer::tensor), after.actor, after.lanes, after.time) !=
               after.lanes;
  });
}

// Columns that a warp uses after they were given back, and nothing orders the two; or the counts of
// an mbarrier about whose copies there is a finding.
FindingNumber GridWatch::root_of_fault(Block& block, const Fault& fault, std::uint32_t pc) {
  if (fault.subject == FaultSubject::mbarrier_arrivals ||
      fault.subject == FaultSubject::mbarrier_transactions) {
    const MBarrierWatch* const barrier =
        find_mbarrier(block, static_cast<std::uint32_t>(fault.address));
    if (barrier == nullptr) return no_finding;
    const FindingNumber root = missing_.disturbance_of(barrier->actor);
    if (root != no_finding) return root;
    return missing_.find_any([&](const MissingEdges::Edge& edge) {
      return edge.before.actor == barrier->actor || edge.after.actor == barrier->actor;
    });
  }
  if (fault.subject != FaultSubject::tensor_columns) return no_finding;
  return missing_.find_any([&](const MissingEdges::Edge& edge) {
    return edge.before.pc == pc && channel_of(edge.before.actor) != Channel::lanes &&
           channel_of(edge.after.actor) == Channel::lanes;
  });
}

bool GridWatch::is_root(HazardRule rule, std::uint32_t first_pc, std::uint32_t second_pc) const {
  return process_.findings.is_root(number_of(rule, first_pc, second_pc));
}

FindingNumber GridWatch::number_of(HazardRule rule, std::uint32_t first_pc,
                                   std::uint32_t second_pc) const {
  const auto [low, high] = std::minmax(first_pc, second_pc);
  return process_.findings.number_of(rule, kernel_, low, high);
}

// An error must not be taken for the consequence of something that is only formal.
void GridWatch::note_edge(HazardRule rule, const Event& before, const Event& after,
                          FindingNumber from) {
  if (text_of(rule).level != base::HazardLevel::error) return;
  const FindingNumber root = from != no_finding ? from : number_of(rule, before.pc, after.pc);
  if (root != no_finding) missing_.add(before, after, root);
}

void GridWatch::note_disturbed(HazardRule rule, const MBarrierWatch& barrier,
                               std::uint32_t first_pc, std::uint32_t second_pc,
                               FindingNumber from) {
  const FindingNumber root = from != no_finding ? from : number_of(rule, first_pc, second_pc);
  if (root != no_finding) missing_.disturb(barrier.actor, root);
}

}  // namespace aisp::sim::watch
