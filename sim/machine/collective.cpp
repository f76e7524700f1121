#include "sim/machine/collective.hpp"

#include <algorithm>
#include <cstring>

#include "base/refuse.hpp"
#include "sim/machine/observer.hpp"

namespace aisp::sim {
namespace {

bool same_calls(const LaneGroup& a, const LaneGroup& b) {
  return a.frame_base == b.frame_base &&
         std::equal(a.calls.begin(), a.calls.end(), b.calls.begin(), b.calls.end(),
                    [](const Frame& x, const Frame& y) {
                      return x.return_pc == y.return_pc && x.frame_base == y.frame_base;
                    });
}

// Two activations of a recursive function become one: each lane keeps the registers it saved.
void merge_saved(const Warp& warp, LaneGroup& self, const LaneGroup& other) {
  for (std::size_t i = 0; i < self.calls.size(); ++i) {
    std::byte* to = self.calls[i].saved.data();
    const std::byte* from = other.calls[i].saved.data();
    if (self.calls[i].saved.empty()) continue;
    for (const RegisterClass& part : warp.program->routines[self.calls[i].routine].registers) {
      blend(to, from, part, other.mask);
      to += part.bytes;
      from += part.bytes;
    }
  }
}

// `other` joins `self`, which stands at the same instruction. Joins that only one of them has ahead
// are given up: those who wait there for these lanes look again.
void absorb(Warp& warp, LaneGroup& self, LaneGroup& other) {
  merge_saved(warp, self, other);
  self.mask |= other.mask;
  std::size_t common = 0;
  while (common < self.joins.size() && common < other.joins.size() &&
         self.joins[common].id == other.joins[common].id)
    ++common;
  self.joins.resize(common);
  self.join_pc = self.joins.empty() ? Program::no_join : self.joins.back().pc;
  other.mask = 0;
  other.wait = {};
  warp.block->cluster->moved();
}

LaneGroup& new_group(Warp& warp) {
  for (LaneGroup& lane_group : warp.lane_groups)
    if (lane_group.mask == 0 && &lane_group != warp.lane_group) return lane_group;
  return warp.lane_groups.emplace_back();
}

void pop_join(LaneGroup& lane_group) {
  lane_group.joins.pop_back();
  lane_group.join_pc = lane_group.joins.empty() ? Program::no_join : lane_group.joins.back().pc;
}

bool has_join(const LaneGroup& lane_group, std::uint32_t id) {
  return std::any_of(lane_group.joins.begin(), lane_group.joins.end(),
                     [&](const Join& join) { return join.id == id; });
}

// Lanes that a join holds back while lanes they wait for there need them for a `.sync`.
bool held_up(const LaneGroup& at_join, const LaneGroup& other) {
  return other.mask != 0 && other.wait.kind == Wait::Kind::warp && other.wait.value != 0 &&
         (other.wait.address & at_join.mask) != 0 && has_join(other, at_join.joins.back().id);
}

void free_from_joins(Warp& warp, const LaneGroup& needs) {
  for (LaneGroup& other : warp.lane_groups) {
    if (other.mask == 0 || other.wait.kind != Wait::Kind::reconverge) continue;
    if (!held_up(other, needs)) continue;
    give_up_join(warp, other);
  }
}

// Lanes that meet with different masks meet those that they name.
void tell_met(Warp& warp, Mask mask, const std::uint32_t* members) {
  for (Mask left = mask; left != 0;) {
    const Mask named = members[std::countr_zero(left)];
    warp.observer->warp_barrier(warp, named & warp.alive);
    left &= ~(named | (left & (~left + 1)));
  }
}

bool waits_at(const LaneGroup& lane_group, std::uint32_t id) {
  return lane_group.wait.kind == Wait::Kind::reconverge && lane_group.joins.back().id == id;
}

// Apart, so that the ways that all collectives take stay free of it.
[[gnu::noinline]] Mask tell_collective(Warp& warp, Mask together) {
  warp.observer->collective(warp, together);
  return together;
}

}  // namespace

void push_join(Warp& warp, std::uint32_t pc, std::uint32_t depth) {
  LaneGroup& self = *warp.lane_group;
  self.joins.push_back({.pc = pc, .depth = depth, .id = warp.next_join++, .mask = self.mask});
  self.join_pc = pc;
}

// A loop whose lanes leave it one by one has made a join for each of them, all at the same place.
void give_up_join(Warp& warp, LaneGroup& lane_group) {
  const Join here = lane_group.joins.back();
  while (!lane_group.joins.empty() && lane_group.joins.back().pc == here.pc &&
         lane_group.joins.back().depth == here.depth)
    pop_join(lane_group);
  lane_group.wait = {};
  warp.block->cluster->moved();
}

void blend(std::byte* to, const std::byte* from, const RegisterClass& part, Mask mask) {
  if (part.lane_bytes == 0) {
    for (std::uint32_t at = 0; at < part.bytes; at += sizeof(Mask)) {
      Mask now, then;
      std::memcpy(&now, to + at, sizeof now);
      std::memcpy(&then, from + at, sizeof then);
      now = (now & ~mask) | (then & mask);
      std::memcpy(to + at, &now, sizeof now);
    }
    return;
  }
  for (std::uint32_t at = 0; at < part.bytes; at += part.lane_bytes)
    if ((mask >> (at / part.lane_bytes % lanes) & 1) != 0)
      std::memcpy(to + at, from + at, part.lane_bytes);
}

Mask gather(Warp& warp, Mask mask, Mask needed) {
  LaneGroup& self = *warp.lane_group;
  needed &= warp.alive;
  if ((needed & ~mask) == 0) {
    self.wait = {};
    if (warp.observer != nullptr) [[unlikely]]
      return tell_collective(warp, mask);
    return mask;
  }
  const auto partner = [&](const LaneGroup& other) {
    return &other != &self && other.mask != 0 && other.pc == self.pc &&
           other.wait.kind == Wait::Kind::warp && other.wait.address == needed &&
           same_calls(self, other);
  };
  Mask together = mask;
  for (const LaneGroup& other : warp.lane_groups)
    if (partner(other)) together |= static_cast<Mask>(other.wait.value);
  if ((needed & ~together) != 0) {
    self.wait = {.kind = Wait::Kind::warp, .address = needed, .value = mask};
    free_from_joins(warp, self);
    return 0;
  }
  for (LaneGroup& other : warp.lane_groups)
    if (partner(other)) absorb(warp, self, other);
  self.wait = {};
  return warp.observer != nullptr ? tell_collective(warp, together) : together;
}

bool meet(Warp& warp, Mask mask, Mask needed, const std::uint32_t* members) {
  LaneGroup& self = *warp.lane_group;
  if (self.wait.kind == Wait::Kind::warp && self.wait.value == 0) {  // released by the last to come
    self.wait = {};
    return true;
  }
  needed &= warp.alive;
  Mask here = mask;
  const auto waits = [&](const LaneGroup& other) {
    return &other != &self && other.mask != 0 && other.wait.kind == Wait::Kind::warp &&
           other.wait.index == 1 && (other.wait.value & needed) != 0;
  };
  for (const LaneGroup& other : warp.lane_groups)
    if (waits(other)) here |= static_cast<Mask>(other.wait.value);
  if ((needed & ~here) != 0) {
    self.wait = {.kind = Wait::Kind::warp, .index = 1, .address = needed, .value = mask};
    free_from_joins(warp, self);
    return false;
  }
  for (LaneGroup& other : warp.lane_groups) {
    if (!waits(other)) continue;
    if (other.pc == self.pc && same_calls(self, other))
      absorb(warp, self, other);
    else
      other.wait.value = 0;
  }
  self.wait = {};
  warp.block->cluster->moved();
  if (warp.observer != nullptr) tell_met(warp, mask, members);
  return true;
}

void diverge(Warp& warp, Mask taken, std::uint32_t target, std::uint32_t join) {
  LaneGroup& self = *warp.lane_group;
  taken &= self.mask;
  if (taken == self.mask) {
    self.pc = target;
    return;
  }
  ++self.pc;
  if (taken == 0) return;
  const auto depth = static_cast<std::uint32_t>(self.calls.size());
  if (join == Program::join_at_return && depth != 0)
    push_join(warp, self.calls.back().return_pc, depth - 1);
  else if (join < Program::join_at_return)
    push_join(warp, join, depth);
  LaneGroup& other = new_group(warp);
  other = self;
  other.mask = taken;
  other.pc = target;
  self.mask &= ~taken;
}

LaneGroup& split_off(Warp& warp, Mask mask) {
  LaneGroup& self = *warp.lane_group;
  if (mask == self.mask) return self;
  LaneGroup& other = new_group(warp);
  other = self;
  other.mask = mask;
  self.mask &= ~mask;
  return other;
}

void leave(Warp& warp, Mask mask) {
  if (warp.observer != nullptr) warp.observer->lanes_left(warp, mask);
  Block& block = *warp.block;
  const auto count = static_cast<std::uint32_t>(std::popcount(mask));
  warp.alive &= ~mask;
  warp.lane_group->mask &= ~mask;
  block.exited += count;
  if (block.done() && !block.tensor.live.empty())
    throw Fault{FaultKind::illegal_instruction,
                base::say("the block ends and holds columns ", columns_text(block.tensor),
                          " of tensor memory: tcgen05.dealloc is missing"),
                0, std::countr_zero(mask), FaultSubject::tensor_columns};
  block.cluster->exited += count;
  block.cluster->moved();
}

bool arrive_at_join(Warp& warp, LaneGroup& self) {
  while (!self.joins.empty()) {
    const Join& join = self.joins.back();
    if (join.pc != self.pc || join.depth != self.calls.size()) break;
    const auto others = [&](auto&& body) {
      for (LaneGroup& other : warp.lane_groups)
        if (&other != &self && other.mask != 0 && has_join(other, join.id)) body(other);
    };
    bool all_here = true, needed = false;
    others([&](LaneGroup& other) {
      all_here &= waits_at(other, join.id);
      needed |= held_up(self, other);
    });
    if (!all_here && !needed) {
      self.wait = {.kind = Wait::Kind::reconverge, .value = join.mask & ~self.mask};
      return false;
    }
    if (!all_here) {
      give_up_join(warp, self);
      return true;
    }
    others([&](LaneGroup& other) {
      self.mask |= other.mask;
      other.mask = 0;
      other.wait = {};
    });
    pop_join(self);
  }
  // Otherwise it is the wait of the instruction itself, in a deeper activation of the function.
  if (self.wait.kind == Wait::Kind::reconverge) self.wait = {};
  return true;
}

}  // namespace aisp::sim
