// Accesses of lanes: where they go, and what of them belongs together.
#include <algorithm>
#include <cstring>

#include "sim/watch/device/quick_check.hpp"

namespace aisp::sim::watch {
namespace {

std::uint8_t flags_of(const AccessForm& form) {
  std::uint8_t flags = form.access == Access::atomic ? flag_atomic | flag_strong : 0;
  if (form.order != MemoryOrder::weak) flags |= flag_strong;
  if (form.by_whole_warp) flags |= flag_whole_warp;
  if ((flags & flag_strong) == 0) return flags;
  if (form.order == MemoryOrder::volatile_ || form.scope == Scope::sys)
    return flags | flag_scope_system;
  if (form.scope == Scope::cta) flags |= flag_scope_cta;
  if (form.scope == Scope::cluster) flags |= flag_scope_cluster;
  return flags;
}

std::uint32_t offset_in_page(const Region& region) {
  return static_cast<std::uint32_t>(region.address & (Page::bytes - 1));
}

// Which unit of `1 << shift` bytes each lane touches; false: some touch the same.
bool find_order(std::byte* const* at, std::uint64_t origin, int shift, LaneOrder& order) {
  Mask touched = 0;
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    const std::uint64_t unit =
        (reinterpret_cast<std::uint64_t>(at[lane]) - origin) >> shift & (lanes - 1);
    order[lane] = static_cast<std::uint8_t>(unit);
    touched |= Mask{1} << unit;
  }
  return touched == all_lanes;
}

bool inside(const Block& block, const std::byte* at) {
  return at >= block.shared && at < block.shared + block.shared_bytes;
}

}  // namespace

Region GridWatch::region_of(Cluster& cluster, Block& own, const std::byte* at) const {
  if (inside(own, at)) return {&of(own), static_cast<std::uint64_t>(at - own.shared)};
  if (cluster.blocks.size() > 1)
    for (const auto& block : cluster.blocks)
      if (inside(*block, at)) return {&of(*block), static_cast<std::uint64_t>(at - block->shared)};
  return {nullptr, reinterpret_cast<std::uint64_t>(at)};
}

Accessor GridWatch::accessor(WarpWatch& warp, const AccessForm& form) const {
  const std::uint8_t flags = flags_of(form);
  const std::uint32_t pc = warp.pc();
  return {.warp = &warp,
          .group = &warp.groups.front(),
          .actor = warp.actor,
          .time = warp.now,
          .pc = pc,
          .access = form.access,
          .flags = flags,
          .seen = seen_of(form.access != Access::read, flags, facts_->swaps[pc]),
          .read_only = facts_->read_only[pc] ||
                       (form.path == MemoryPath::surface && form.access == Access::read),
          .texture = form.path == MemoryPath::texture};
}

// The stretches of elements that are wanted, each as an access of its own.
void GridWatch::access_wanted(Warp& warp, Mask mask, std::byte* const* at, const AccessForm& form) {
  const std::uint32_t bytes = form.bytes / form.elements;
  for (unsigned left = form.wanted; left != 0;) {
    const int first = std::countr_zero(left), count = std::countr_one(left >> first);
    left &= ~(((1u << count) - 1) << first);
    std::byte* part[lanes];
    for (Mask rest = mask; rest != 0; rest &= rest - 1) {
      const int lane = std::countr_zero(rest);
      part[lane] = at[lane] + bytes * static_cast<std::uint32_t>(first);
    }
    AccessForm own = form;
    own.bytes = bytes * static_cast<std::uint32_t>(count);
    own.elements = own.wanted = 1;
    access(warp, mask, part, own);
  }
}

void GridWatch::access(Warp& warp, Mask mask, std::byte* const* at, const AccessForm& form) {
  if (!form.wants_all()) return access_wanted(warp, mask, at, form);
  WarpWatch& self = of(warp);
  if (form.access != Access::read)
    ++writes_;
  else if (repeats_lanes(self, mask, at, form) && can_repeat(self, form))
    return;
  const std::uint64_t compared = compared_;
  Accessor who = accessor(self, form);
  if (process_.options.advice) count_advice(warp, mask, at, form, who.pc);
  if ((who.flags & flag_scope_system) != 0 && !touched_.talks_to_host) {
    const std::byte* const first = at[std::countr_zero(mask)];
    const auto found = grid_.memory->find(reinterpret_cast<std::uint64_t>(first));
    if (found ? found->kind == MemoryKind::pinned || found->kind == MemoryKind::managed
              : grid_.device->coherent_host)
      note_talk();
  }
  if ((who.flags & flag_strong) != 0 && can_synchronise(self, form))  // lanes at one act as one
    for (Mask left = mask; left != 0;) {
      std::byte* const address = at[std::countr_zero(left)];
      Mask together = 0;
      for (Mask rest = left; rest != 0; rest &= rest - 1)
        if (at[std::countr_zero(rest)] == address) together |= rest & (~rest + 1);
      left &= ~together;
      synchronise(self, together, region_of(*warp.block->cluster, *warp.block, address), form);
    }
  const bool one_group = self.groups.size() == 1;
  who.group = &self.groups.front();
  const bool quick = one_group && !has_options();
  const bool reads = form.access == Access::read;
  if (quick && !reads && repeats_write(who, mask, at, 0, form.bytes)) return;
  settle_write();
  if (!quick) return access_lanes(warp, mask, at, form.bytes, who);
  access_quickly(warp, mask, at, form.bytes, who);
  if (compared_ != compared) return;
  if (!reads)
    note_write(who, mask, at, 0, form.bytes);
  else if (can_repeat(self, form))
    note_lanes(self, mask, at, form.bytes);
}

void GridWatch::touch_lane(const Region& region, std::uint32_t bytes, Accessor& who) {
  ++compared_;
  if (region.block != nullptr && region.block->exited) report_use_after_exit(region, who);
  touch(region, bytes, who);
}

// Scattered lanes that know the same, in the block's own shared memory or in global memory that no
// other grid can touch meanwhile.
void GridWatch::access_quickly(Warp& warp, Mask mask, std::byte* const* at, std::uint32_t bytes,
                               Accessor& who) {
  const Block& block = *warp.block;
  const bool reads = who.access == Access::read;
  if (bytes > Page::bytes || (bytes & (bytes - 1)) != 0)
    return access_lanes(warp, mask, at, bytes, who);
  std::uint64_t bits = bytes, outside = 0, apart = 0;
  const auto origin = reinterpret_cast<std::uint64_t>(block.shared);
  const std::uint64_t first = reinterpret_cast<std::uint64_t>(at[std::countr_zero(mask)]) - origin;
  const auto look_at = [&](int lane) {
    const std::uint64_t offset = reinterpret_cast<std::uint64_t>(at[lane]) - origin;
    bits |= offset;
    apart |= offset ^ first;
    outside |= block.shared_bytes - std::uint64_t{1} - offset;  // negative, or the offset is
  };
  if (mask == all_lanes)
    for (int lane = 0; lane < lanes; ++lane) look_at(lane);
  else
    for (Mask left = mask; left != 0; left &= left - 1) look_at(std::countr_zero(left));
  const bool shared = ((outside | bits) >> 63) == 0;
  if (!shared) {
    if (programmatic_ || has_beside()) return access_lanes(warp, mask, at, bytes, who);
    std::uint64_t low = ~0ull, high = 0;
    for (Mask left = mask; left != 0; left &= left - 1) {
      const auto address = reinterpret_cast<std::uint64_t>(at[std::countr_zero(left)]);
      low = std::min(low, address);
      high = std::max(high, address);
      bits |= address;
    }
    // Shared memory of this block or another one, by generic addresses.
    for (const auto& other : block.cluster->blocks) {
      const auto begin = reinterpret_cast<std::uint64_t>(other->shared);
      if (low < begin + other->shared_bytes && begin <= high)
        return access_lanes(warp, mask, at, bytes, who);
    }
  }
  const int shift = unit_shift(bits, bytes);
  const QuickCheck quick(entries_, who, shared);
  SharedShadow& shadow = who.warp->block->shadow;
  LaneOrder order{};
  bool is_segment = false;
  const Region whole{who.warp->block, first & ~(std::uint64_t{bytes} * lanes - 1)};
  if (shared && mask == all_lanes && apart < std::uint64_t{bytes} * lanes && shift >= 2 &&
      bytes == 1u << shift && find_order(at, origin, shift, order)) {
    Page& page = page_of(whole);
    is_segment = can_be_segment(page, whole, who);
    if (is_segment && touch_segment(page, offset_in_page(whole), bytes, order, who)) return;
  }
  if (shared && bytes == 1u << shift)
    mask = reads ? quick.read_lanes(shadow, mask, at, block.shared, shift)
                 : quick.write_lanes(shadow, mask, at, block.shared, shift);
  Page* page_here = nullptr;
  std::uint64_t number = ~0ull;           // of that page
  const std::byte* crowded_at = nullptr;  // lanes of a warp mostly read the same
  const std::byte* written_at = nullptr;
  for (Mask left = mask; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    if (at[lane] == crowded_at) continue;
    // Strong writes of a warp at one address: the first is compared, the last one remembered.
    const Mask later = left & (left - 1);
    if (!reads && (who.flags & flag_strong) != 0 && at[lane] == written_at && later != 0 &&
        at[std::countr_zero(later)] == written_at)
      continue;
    written_at = at[lane];
    const auto offset = reinterpret_cast<std::uint64_t>(at[lane]) - (shared ? origin : 0);
    if (offset >> Page::bits != number) {
      number = offset >> Page::bits;
      page_here = shared ? &shadow.page(static_cast<std::uint32_t>(offset)) : &global_.page(offset);
      page_here->refine(shift);
      if (!reads) page_here->forget_crowd();
    }
    Page& page = *page_here;
    auto in_page = static_cast<std::uint32_t>(offset & (Page::bytes - 1));
    Columns cell = page.columns(in_page);
    if (reads && !shared && bytes == 1u << page.shift() && quick.is_crowded(page, cell)) {
      crowded_at = at[lane];
      continue;
    }
    who.lane = lane;
    Region region{shared ? who.warp->block : nullptr, offset};
    if (shared && page.barriers && !reads) {
      touch_lane(region, bytes, who);
      continue;
    }
    const std::uint32_t size = 1u << page.shift();
    for (std::uint32_t left_over = bytes; left_over != 0;
         left_over -= size, in_page += size, region.address += size, cell.next())
      if (!(reads ? quick.read(page, cell, lane) : quick.write(page, cell, lane)))
        touch_cell(page, in_page, region, who);
  }
  if (is_segment && !reads) start_segment(page_of(whole), offset_in_page(whole), bytes, order, who);
}

void GridWatch::access_lanes(Warp& warp, Mask mask, std::byte* const* at, std::uint32_t bytes,
                             Accessor& who) {
  for (Mask left = mask; left != 0; left &= left - 1) {
    who.lane = std::countr_zero(left);
    if (who.warp->groups.size() != 1) who.group = &group_of(*who.warp, who.lane);
    touch_lane(region_of(*warp.block->cluster, *warp.block, at[who.lane]), bytes, who);
  }
}

void GridWatch::access_run(Warp& warp, std::byte* first, std::int64_t step,
                           const AccessForm& form) {
  WarpWatch& self = of(warp);
  if (form.access == Access::read && repeats_run(self, first, step, form) && can_repeat(self, form))
    return;
  if (form.order != MemoryOrder::weak || form.access == Access::atomic || self.groups.size() != 1 ||
      process_.options.advice || programmatic_ || !form.wants_all() || has_beside()) {
    std::byte* at[lanes];
    for (int lane = 0; lane < lanes; ++lane) at[lane] = first + lane * step;
    return access(warp, all_lanes, at, form);
  }
  if (form.access != Access::read) ++writes_;
  const std::uint64_t compared = compared_;
  // What most instructions are: neighbours, or one value for all.
  Accessor who = accessor(self, form);
  const bool reads = form.access == Access::read;
  if (last_write_.armed) {  // else there is nothing to settle
    if (!reads && step != 0 && repeats_write(who, all_lanes, &first, step, form.bytes)) return;
    settle_write();
  }
  Region region = region_of(*warp.block->cluster, *warp.block, first);
  if (region.block != nullptr && region.block->exited) report_use_after_exit(region, who);
  if (step == 0 && reads)
    touch_broadcast(region, form.bytes, who);
  else
    touch_run(region, step, form.bytes, who);
  if (compared_ != compared) return;
  if (reads && can_repeat(self, form)) note_run(self, first, step, form);
  if (!reads && step != 0 && region.block == self.block)
    note_write(who, all_lanes, &first, step, form.bytes);
}

void GridWatch::touch_run(Region region, std::int64_t step, std::uint32_t bytes, Accessor& who) {
  const std::uint64_t low = region.address;
  for (int lane = 0; lane < lanes;) {
    region.address = low + static_cast<std::uint64_t>(lane * step);
    const std::uint32_t offset = offset_in_page(region);
    Page& page = page_of(region);
    // Neighbours as far as the page goes; others one by one.
    const int count = step == static_cast<std::int64_t>(bytes)
                          ? std::min(lanes - lane, static_cast<int>((Page::bytes - offset) / bytes))
                          : 1;
    who.lane = lane;
    if (count != lanes || !touch_row(page, region, offset, bytes, who))
      touch_neighbours(page, region, offset, bytes, count, who);
    lane += count;
  }
}

void GridWatch::constant_read(Warp& warp, Mask mask, std::byte* const* at, std::uint32_t bytes) {
  Accessor who = accessor(of(warp), {.access = Access::read});
  std::uint64_t last = 0;
  for (Mask left = mask; left != 0; left &= left - 1) {
    who.lane = std::countr_zero(left);
    const auto address = reinterpret_cast<std::uint64_t>(at[who.lane]);
    if (address == last) continue;  // lanes of a warp mostly read the same
    last = address;
    TouchedRange& range = constants_[address];
    range = {address, std::max(range.end, address + bytes), who.pc};
    who.group = &group_of(*who.warp, who.lane);
    if (programmatic_) note_early({nullptr, address}, bytes, who);
  }
}

void GridWatch::suspect(const Region& region, std::uint32_t size, const Stamp& before,
                        const Accessor& who) {
  Suspect one;
  one.at = region.block != nullptr ? region.block->block->shared + region.address
                                   : reinterpret_cast<std::byte*>(region.address);
  one.bytes = size;
  one.pc = who.pc;
  one.lane = who.lane;
  one.before = before;
  std::memcpy(one.old, one.at, size);
  if (who.operation != nullptr) {
    who.operation->suspects.push_back({one, who.actor, who.time});
    return;
  }
  who.warp->suspects.push_back(one);
  suspects = true;
}

// After the operation has written.
void GridWatch::judge_suspects(Cluster& cluster, Operation& operation) {
  const std::vector<AsyncSuspect> all = std::move(operation.suspects);
  operation.suspects.clear();
  for (const auto& [one, actor, time] : all) {
    if (std::memcmp(one.old, one.at, one.bytes) == 0) continue;  // the same value: no harm
    const Accessor who{.warp = operation.warp,
                       .operation = &operation,
                       .group = &operation.groups.front(),
                       .actor = actor,
                       .time = time,
                       .pc = one.pc,
                       .lane = one.lane,
                       .access = Access::write,
                       .flags = flag_async};
    race(region_of(cluster, *operation.warp->warp->block, one.at), one.bytes,
         {one.before.actor, one.before.time, one.before.pc, static_cast<int>(one.before.lane), true,
          true},
         who);
  }
}

void GridWatch::wrote(Warp& warp) {
  WarpWatch& self = of(warp);
  for (const Suspect& one : self.suspects) {
    if (std::memcmp(one.old, one.at, one.bytes) == 0) continue;  // the same value: no harm
    Accessor who = accessor(self, {.access = Access::write});
    who.pc = one.pc;
    who.lane = one.lane;
    who.group = &group_of(self, one.lane);
    race(region_of(*warp.block->cluster, *warp.block, one.at), one.bytes,
         {one.before.actor, one.before.time, one.before.pc, static_cast<int>(one.before.lane), true,
          true},
         who);
  }
  self.suspects.clear();
  suspects = false;
}

// A fence that holds the host, or a strong access to memory that it can reach: maybe a flag by
// which the two tell each other how far they are.
void GridWatch::note_talk() {
  touched_.talks_to_host = true;
  process_.talks_to_host.store(true, std::memory_order_release);
}

void GridWatch::note_early(const Region& region, std::uint64_t bytes, const Accessor& who) {
  constexpr Actor ahead = actor_of(0, Channel::grid_ahead);
  if (missing(layer_of(who.group->clock, Layer::ordered), ahead, 1, 1) == 0) return;
  const bool reads = who.access == Access::read;
  (reads ? touched_.early_reads : touched_.early_writes)
      .push_back({region.address, region.address + bytes, who.pc,
                  reads ? how_of_reads(who.seen) : how_of_writes(who.seen)});
}

}  // namespace aisp::sim::watch
