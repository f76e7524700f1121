// What lanes know: groups of a warp's lanes, and what passes from one to another.
#include "sim/watch/device/state.hpp"

namespace aisp::sim::watch {
namespace {

void add_lanes(std::vector<Entry>& entries, Actor actor, Mask mask, const std::uint32_t* times) {
  for (Mask left = mask; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    if (times[lane] != 0) entries.push_back({actor, Mask{1} << lane, times[lane]});
  }
}

}  // namespace

const Group& group_of(const WarpWatch& warp, int lane) {
  for (const Group& group : warp.groups)
    if ((group.mask >> lane & 1) != 0) return group;
  return warp.groups.front();
}

std::vector<Entry> own_entries(const WarpWatch& warp, Mask mask) {
  std::vector<Entry> entries;
  add_own_entries(warp, mask, entries);
  return entries;
}

void add_own_entries(const WarpWatch& warp, Mask mask, std::vector<Entry>& entries) {
  entries.push_back({warp.actor, mask, warp.now});
  if (warp.copies != 0) add_lanes(entries, warp.own(Channel::copy), mask, warp.done.copy);
  if (warp.bulks != 0) {
    add_lanes(entries, warp.own(Channel::bulk_read), mask, warp.done.bulk_read);
    add_lanes(entries, warp.own(Channel::bulk_write), mask, warp.done.bulk_write);
  }
  if (warp.products_done != 0)
    entries.push_back({warp.own(Channel::product), 1, warp.products_done});
  if (warp.tensor_loaded != 0)
    entries.push_back({warp.own(Channel::tensor_load), 1, warp.tensor_loaded});
  if (warp.tensor_stored != 0)
    entries.push_back({warp.own(Channel::tensor_store), 1, warp.tensor_stored});
}

ClockPtr release(WarpWatch& warp, Mask mask) {
  ClockPtr known;
  for (const Group& group : warp.groups)
    if ((group.mask & mask) != 0) known = join(known, group.clock);
  auto told = copy_of(known);
  (*told)[Layer::ordered] = with((*told)[Layer::ordered], own_entries(warp, mask));
  // Of lanes that tell all they did, their reads need no telling.
  if (warp.executed != 0 && mask != all_lanes)
    (*told)[Layer::performed] =
        with((*told)[Layer::performed], {{warp.actor, all_lanes, warp.executed}});
  ++warp.now;
  return told;
}

ClockPtr carried(const Operation& operation, const Group& group) {
  auto told = copy_of(group.clock);
  (*told)[Layer::performed] =
      with((*told)[Layer::performed], {{operation.warp->actor, group.mask, operation.issue_time}});
  return told;
}

void acquire(WarpWatch& warp, Mask mask, const ClockPtr& clock) {
  if (!clock) return;
  each_group_of(warp, mask, [&](Group& group) { group.clock = join(group.clock, clock); });
}

void become(WarpWatch& warp, Mask mask, const ClockPtr& clock) {
  if (Group& only = warp.groups.front(); warp.groups.size() == 1 && (only.mask & ~mask) == 0) {
    only.clock = clock;
    only.last_seen = only.last_acquired = {};
    only.polled = 0;
    return;
  }
  Group one;
  each_group_of(warp, mask, [&](Group& group) {
    one.mask |= group.mask;
    one.seen = join(one.seen, group.seen);
    // The weaker of two fences is what all of them have done.
    if (one.mask == group.mask) {
      one.released = group.released;
      one.released_scope = group.released_scope;
    } else if (group.released) {
      one.released = join(one.released, group.released);
      one.released_scope = std::min(one.released_scope, group.released_scope);
    }
  });
  one.clock = clock;
  std::erase_if(warp.groups, [&](const Group& group) { return (group.mask & mask) != 0; });
  warp.groups.push_back(std::move(one));
}

}  // namespace aisp::sim::watch
