// Fences, and locations through which threads synchronise: release and acquire operations, and
// relaxed ones next to fences, by scope.
#include <algorithm>

#include "sim/watch/device/grid_watch.hpp"

namespace aisp::sim::watch {
namespace {

bool releases(MemoryOrder order) {
  return order == MemoryOrder::release || order == MemoryOrder::acq_rel;
}
bool acquires(MemoryOrder order) {
  return order == MemoryOrder::acquire || order == MemoryOrder::acq_rel;
}

void add(std::vector<std::pair<std::uint32_t, ClockPtr>>& by, std::uint32_t number,
         const ClockPtr& clock) {
  for (auto& [known, told] : by)
    if (known == number) {
      told = join(told, clock);
      return;
    }
  by.emplace_back(number, clock);
}

ClockPtr find(const std::vector<std::pair<std::uint32_t, ClockPtr>>& by, std::uint32_t number) {
  for (const auto& [known, told] : by)
    if (known == number) return told;
  return {};
}

// Who acts on a location.
struct Party {
  std::uint32_t block = 0, cluster = 0, device = 0;
};

void publish(SyncLocation& location, Scope scope, const Party& by, const ClockPtr& clock) {
  const std::uint32_t block = by.block;
  if (scope == Scope::cta) return add(location.cta, block, clock);
  if (scope == Scope::cluster) return add(location.cluster, by.cluster, clock);
  add(location.gpu, by.device, clock);
  if (scope == Scope::sys) location.wide = join(location.wide, clock);
  location.wide_block =
      location.wide_block == ~0u || location.wide_block == block ? block : SyncLocation::many;
}

// Two scopes meet where each holds the other's thread: what another device has released is seen at
// the system's scope only, if it was released there.
ClockPtr observe(const SyncLocation& location, Scope scope, const Party& by) {
  ClockPtr seen = find(location.cta, by.block);
  if (scope != Scope::cta) seen = join(seen, find(location.cluster, by.cluster));
  if (scope >= Scope::gpu || location.wide_block == by.block)
    seen = join(seen, find(location.gpu, by.device));
  if (scope == Scope::sys) seen = join(seen, location.wide);
  return seen;
}

// What a relaxed read of a flag has seen, in the layer that barriers and releases pass on.
void add_observed(ClockPtr& clock, const ClockPtr& seen) {
  const TimesPtr before = layer_of(clock, Layer::observed);
  TimesPtr now = before;
  for (const Layer layer : {Layer::ordered, Layer::fenced, Layer::observed})
    now = join(now, (*seen)[layer]);
  if (now == before) return;
  auto known = copy_of(clock);
  (*known)[Layer::observed] = now;
  clock = std::move(known);
}

// tcgen05.fence: what a relaxed operation behind `before` tells, and what one in front of `after`
// has told, holds for tensor memory and for nothing else.
void tensor_fence(WarpWatch& warp, Mask mask, bool before) {
  each_group_of(warp, mask, [&](Group& group) {
    if (before) {
      if (!group.released) group.released_scope = Scope::gpu;
      auto told = copy_of(group.released);
      TimesPtr& tensor = (*told)[Layer::tensor];
      tensor = join(tensor, layer_of(group.clock, Layer::ordered));
      tensor = join(tensor, layer_of(group.clock, Layer::tensor));
      tensor = with(tensor, own_entries(warp, group.mask));
      group.released = std::move(told);
    } else if (group.seen) {
      auto known = copy_of(group.clock);
      TimesPtr& tensor = (*known)[Layer::tensor];
      tensor = join(tensor, layer_of(group.seen, Layer::ordered));
      tensor = join(tensor, layer_of(group.seen, Layer::tensor));
      // Those who have told had come so far.
      TimesPtr& performed = (*known)[Layer::performed];
      performed = join(performed, layer_of(group.seen, Layer::performed));
      performed = join(performed, layer_of(group.seen, Layer::ordered));
      group.clock = std::move(known);
    }
  });
  ++warp.now;
}

}  // namespace

// False: it releases nothing, and no location holds anything that it could acquire.
bool GridWatch::can_synchronise(const WarpWatch& warp, const AccessForm& form) const {
  if (releases(form.order) || !global_locations_.empty()) return true;
  if (!warp.block->cluster->shared_locations.empty()) return true;
  return std::any_of(warp.groups.begin(), warp.groups.end(), [](const Group& group) {
    return group.released != nullptr || has_layer(group.clock, Layer::fenced);
  });
}

void GridWatch::synchronise(WarpWatch& warp, Mask mask, const Region& region,
                            const AccessForm& form) {
  const bool writes = form.access != Access::read, reads = form.access != Access::write;
  const bool shared = region.block != nullptr;
  bool fenced = false, met_fenced = false;  // by these lanes, by threads that they have met
  for (const Group& group : warp.groups) {
    if ((group.mask & mask) == 0) continue;
    fenced |= group.released != nullptr;
    met_fenced |= !shared && has_layer(group.clock, Layer::fenced);
  }
  const bool publishes = writes && (releases(form.order) || fenced || met_fenced);
  SyncLocations& locations = shared ? region.block->cluster->shared_locations : global_locations_;
  if (!publishes && locations.empty()) return;
  const Scope scope = form.order == MemoryOrder::volatile_ ? Scope::sys : form.scope;
  const Party self{record_->first + block_number(warp.actor),
                   record_->first + cluster_number(warp.actor),
                   static_cast<std::uint32_t>(record_->device)};
  const std::uint64_t key =
      shared ? reinterpret_cast<std::uint64_t>(region.block->block->shared) + region.address
             : region.address;
  // What is released first: a read-modify-write passes on what it finds, and lanes of one
  // instruction find what the others of it left.
  if (publishes) {
    SyncLocation& location = locations[key];
    if (!shared && record_->operation && (releases(form.order) || fenced) &&
        std::find(location.grids.begin(), location.grids.end(), record_->first) ==
            location.grids.end())
      location.grids.push_back(record_->first);
    if (releases(form.order)) {
      publish(location, scope, self, release(warp, mask));
    } else {
      for (const Group& group : warp.groups) {
        if ((group.mask & mask) == 0) continue;
        if (group.released && location.last != group.released) {
          publish(location, std::min(scope, group.released_scope), self, group.released);
          location.last = group.released;
        }
        const TimesPtr met = layer_of(group.clock, Layer::fenced);
        if (shared || !met || met == location.last_fenced ||
            met == layer_of(group.released, Layer::fenced))
          continue;
        auto told = std::make_shared<Clock>();
        (*told)[Layer::fenced] = location.last_fenced = met;
        publish(location, scope, self, told);
      }
    }
  }
  if (!reads) return;
  const auto at = locations.find(key);
  if (at == locations.end()) return;
  if (!shared && has_beside()) note_listens(at->second);
  const ClockPtr seen = observe(at->second, scope, self);
  if (!seen) return;
  // What these lanes have just released there is everything they know.
  if (acquires(form.order) && publishes && releases(form.order)) return become(warp, mask, seen);
  // Scopes see different parts of what a location releases.
  const std::uint64_t polled = key << 2 | static_cast<std::uint64_t>(scope);
  each_group_of(warp, mask, [&](Group& part) {
    const bool again = part.polled == polled;
    part.polled = polled;
    ClockPtr& known = acquires(form.order) ? part.clock : part.seen;
    ClockPtr& last = acquires(form.order) ? part.last_acquired : part.last_seen;
    if (last == seen && again) return;
    known = again && known == last ? seen : join(known, seen);
    last = seen;
    if (!acquires(form.order)) add_observed(part.clock, seen);
  });
}

void GridWatch::fence(Warp& warp, Mask mask, FenceKind kind, MemoryOrder order, Scope scope, bool) {
  WarpWatch& self = of(warp);
  if (kind == FenceKind::thread) {
    if (scope == Scope::sys) note_talk();
    each_group_of(self, mask, [&](Group& group) {
      if (order != MemoryOrder::release && group.seen) {
        group.clock = join(group.clock, group.seen);
        group.seen = group.last_seen = {};
      }
    });
    if (order == MemoryOrder::acquire) return;
    // What the lanes release from now on with relaxed writes. Each lane by itself: what it did.
    for (Group& group : self.groups) {
      if ((group.mask & mask) == 0) continue;
      auto told = copy_of(group.clock);
      (*told)[Layer::ordered] = with((*told)[Layer::ordered], own_entries(self, group.mask & mask));
      if (scope >= Scope::gpu) {
        (*told)[Layer::fenced] = join((*told)[Layer::fenced], (*told)[Layer::ordered]);
        auto known = copy_of(group.clock);
        (*known)[Layer::fenced] = (*told)[Layer::fenced];
        group.clock = std::move(known);
      }
      group.released = std::move(told);
      group.released_scope = scope;
    }
    ++self.now;
    return;
  }
  if (kind == FenceKind::tensor_before || kind == FenceKind::tensor_after)
    return tensor_fence(self, mask, kind == FenceKind::tensor_before);
  each_group_of(self, mask, [&](Group& group) {
    auto known = copy_of(group.clock);
    const TimesPtr all = with((*known)[Layer::ordered], own_entries(self, group.mask));
    const auto raise = [&](Layer layer) { (*known)[layer] = join((*known)[layer], all); };
    switch (kind) {
      case FenceKind::async_shared:
        raise(Layer::async_shared);
        raise(Layer::init);
        break;
      case FenceKind::async_global:
        raise(Layer::async_global);
        break;
      case FenceKind::async_all:
        raise(Layer::async_shared);
        raise(Layer::async_global);
        raise(Layer::init);
        break;
      case FenceKind::mbarrier_init:
        raise(Layer::init);
        break;
      case FenceKind::tensormap_release:
        raise(Layer::map_released);
        break;
      case FenceKind::tensormap_acquire:
        (*known)[Layer::map_visible] =
            join((*known)[Layer::map_visible], (*known)[Layer::map_released]);
        break;
      case FenceKind::thread:
      case FenceKind::tensor_before:
      case FenceKind::tensor_after:
        break;
    }
    group.clock = std::move(known);
  });
  ++self.now;
}

}  // namespace aisp::sim::watch
