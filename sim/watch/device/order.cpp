// Whether what was done before is known to the one who acts now.
#include <algorithm>

#include "sim/watch/device/grid_watch.hpp"

namespace aisp::sim::watch {
// What the lane, or the lanes that issued the operation, did themselves before this.
Mask not_own(const Accessor& who, Actor actor, Mask mask, std::uint32_t time) {
  const WarpWatch& warp = *who.warp;
  if (index_of(actor) != index_of(warp.actor)) return mask;
  const Operation* operation = who.operation;
  const Mask self = operation != nullptr && operation->kind == AsyncKind::product
                        ? operation->mask  // of wgmma the whole warp, of tcgen05 a lane
                        : Mask{1} << who.lane;
  const LaneDone& done = operation != nullptr ? operation->done : warp.done;
  switch (channel_of(actor)) {
    case Channel::lanes:
      return operation == nullptr || time <= operation->issue_time ? mask & ~self : mask;
    case Channel::copy:
      return time <= done.copy[who.lane] ? mask & ~self : mask;
    case Channel::bulk_read:
      return time <= done.bulk_read[who.lane] ? mask & ~self : mask;
    case Channel::bulk_write:
      return time <= done.bulk_write[who.lane] ? mask & ~self : mask;
    case Channel::product: {
      // Products of a warp run in the order of their issue.
      if (operation != nullptr && operation->kind == AsyncKind::product) return 0;
      const std::uint32_t over =
          operation != nullptr ? operation->products_done : warp.products_done;
      return time <= over ? 0 : mask;
    }
    default:
      return mask;
  }
}

Mask GridWatch::unknown(const Accessor& who, Actor actor, Mask mask, std::uint32_t time,
                        bool read) const {
  if (index_of(actor) == index_of(who.warp->actor) && channel_of(actor) < Channel::mbarrier) {
    mask = not_own(who, actor, mask, time);
    if (mask == 0) return 0;
    // What the whole warp did together is over, as far as reads go.
    if (read && channel_of(actor) == Channel::lanes && time <= who.warp->executed &&
        (who.operation == nullptr || time <= who.operation->issue_time))
      return 0;
  }
  if (!who.group->clock) return mask;
  const Clock& clock = *who.group->clock;
  mask = entries_.missing(clock[Layer::ordered], actor, mask, time);
  if (mask != 0 && read) mask = missing(clock[Layer::performed], actor, mask, time);
  return mask;
}

std::uint32_t GridWatch::cluster_number(Actor actor) const {
  const std::uint32_t block = block_number(actor);
  const std::uint32_t x = block % grid_.grid.x, y = block / grid_.grid.x % grid_.grid.y,
                      z = block / grid_.grid.x / grid_.grid.y;
  return (z / grid_.cluster.z * grid_.grid.y + y / grid_.cluster.y) * grid_.grid.x +
         x / grid_.cluster.x;
}

bool GridWatch::strong_pair(std::uint8_t a_flags, Actor a, std::uint8_t b_flags, Actor b) const {
  if ((a_flags & b_flags & flag_strong) == 0) return false;
  if (((a_flags | b_flags) & (flag_scope_cta | flag_scope_cluster)) == 0) return true;
  if (channel_of(a) >= Channel::mbarrier || channel_of(b) >= Channel::mbarrier) return true;
  if (((a_flags | b_flags) & flag_scope_cta) != 0) return block_number(a) == block_number(b);
  return cluster_number(a) == cluster_number(b);
}

bool GridWatch::knows_write(const Accessor& who, const Stamp& write, bool in_shared,
                            bool& fenced) const {
  const Mask bit = Mask{1} << write.lane;
  fenced = true;
  // Each lane of a warp that wrote together has made the write, and can tell of it.
  const bool together = (write.flags & flag_whole_warp) != 0 &&
                        unknown(who, write.actor, all_lanes, write.time, false) != all_lanes;
  if (!together && !knows(who, write.actor, bit, write.time, false))
    return strong_pair(write.flags, write.actor, who.flags, who.warp->actor) ||
           (who.access == Access::read && facts_->swaps[write.pc]);
  // A generic write that the async proxy is to see, or to overwrite.
  if ((who.flags & flag_async) != 0 && (write.flags & flag_async) == 0) {
    const Layer layer = in_shared ? Layer::async_shared : Layer::async_global;
    fenced = who.group->clock &&
             entries_.missing((*who.group->clock)[layer], write.actor, bit, write.time) == 0;
  }
  return fenced;
}

CounterFence GridWatch::counter_fence(const Accessor& who, const Before& before) const {
  if (who.operation != nullptr || channel_of(before.actor) != Channel::lanes)
    return CounterFence::none;
  const Mask mask = before.lanes != 0 ? before.lanes : Mask{1} << before.lane;
  const auto knows_in = [&](Layer layer) {
    return missing(layer_of(who.group->clock, layer), before.actor, mask, before.time) == 0;
  };
  if (knows_in(Layer::fenced)) return CounterFence::release;
  return knows_in(Layer::observed) ? CounterFence::acquire : CounterFence::none;
}

// A plain load may hit a line of L1 that the load of a block on the same SM brought before the
// write. L1 is filled in sectors, so the neighbours of the bytes count as well; what the reader's
// own block has loaded of those it may have loaded with the same bytes, behind the write.
bool GridWatch::may_be_cached(const Region& region, const Accessor& who) {
  constexpr std::uint32_t sector = 32;
  if (who.access != Access::read || (who.flags & flag_strong) != 0) return false;
  Page& page = page_of(region);
  const auto offset = static_cast<std::uint32_t>(region.address & (Page::bytes - 1));
  const auto elsewhere = [&](const Reader& reader) {
    return reader.actor != 0 && (reader.flags & flag_strong) == 0 &&
           channel_of(reader.actor) == Channel::lanes &&
           block_number(reader.actor) != block_number(who.actor);
  };
  const std::uint32_t begin = offset & ~(sector - 1), size = 1u << page.shift();
  for (std::uint32_t at = begin; at < begin + sector; at += size) {
    const Cell& cell = page.cell(at);
    if ((cell.write.seen & seen_read_first) != 0) return true;
    if (at == (offset & ~(size - 1))) continue;
    const auto* more = page.more_or_null(cell);
    if (elsewhere(cell.read) ||
        (more != nullptr && std::any_of(more->begin(), more->end(), elsewhere)))
      return true;
  }
  return false;
}

Mask GridWatch::unknown_readers(const Accessor& who, const Reader& read) const {
  const Mask mask = unknown(who, read.actor, read.mask, read.time, true);
  const bool allowed = mask == 0 ||
                       strong_pair(read.flags, read.actor, who.flags, who.warp->actor) ||
                       (channel_of(read.actor) == Channel::lanes && facts_->swaps[who.pc]);
  return allowed ? 0 : mask;
}

}  // namespace aisp::sim::watch
