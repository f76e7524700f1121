// Accesses that repeat what the same lanes have just done: polls, counters, values in a loop.
#include <algorithm>
#include <bit>

#include "sim/watch/device/grid_watch.hpp"

namespace aisp::sim::watch {
namespace {

bool same_addresses(Mask mask, std::byte* const* at, const std::byte* const* before) {
  std::uint64_t different = 0;
  const auto look_at = [&](std::size_t lane) {
    different |=
        reinterpret_cast<std::uint64_t>(at[lane]) ^ reinterpret_cast<std::uint64_t>(before[lane]);
  };
  if (mask == all_lanes)
    for (std::size_t lane = 0; lane < lanes; ++lane) look_at(lane);
  else
    for (Mask left = mask; left != 0; left &= left - 1)
      look_at(static_cast<std::size_t>(std::countr_zero(left)));
  return different == 0;
}

template <class Pointer>
void copy_addresses(Mask mask, std::byte* const* at, Pointer* to) {
  for (Mask left = mask; left != 0; left &= left - 1)
    to[std::countr_zero(left)] = at[std::countr_zero(left)];
}

}  // namespace

// A read in the instant of an equal one, with no write anywhere between the two, finds and leaves
// what that one did. What the lanes know only grows.
bool GridWatch::can_repeat(const WarpWatch& warp, const AccessForm& form) {
  return form.access == Access::read && form.order == MemoryOrder::weak &&
         form.path == MemoryPath::generic && form.wants_all() && !has_options() && !programmatic_ &&
         facts_->read_only[warp.pc()] == 0 && !has_beside();
}

bool GridWatch::repeats(const LastRead& last, const WarpWatch& warp, const AccessForm& form,
                        Mask mask) const {
  return last.writes == writes_ && last.now == warp.now && last.bytes == form.bytes &&
         last.mask == mask;
}

bool GridWatch::repeats_run(const WarpWatch& warp, const std::byte* first, std::int64_t step,
                            const AccessForm& form) const {
  const LastRead& last = warp.last_run;
  return last.at[0] == first && last.step == step && repeats(last, warp, form, all_lanes);
}

bool GridWatch::repeats_lanes(const WarpWatch& warp, Mask mask, std::byte* const* at,
                              const AccessForm& form) const {
  const LastRead& last = warp.last_lanes;
  return repeats(last, warp, form, mask) && same_addresses(mask, at, last.at);
}

void GridWatch::note_run(WarpWatch& warp, const std::byte* first, std::int64_t step,
                         const AccessForm& form) const {
  LastRead& last = warp.last_run;
  last.writes = writes_;
  last.now = warp.now;
  last.bytes = form.bytes;
  last.mask = all_lanes;
  last.at[0] = first;
  last.step = step;
}

void GridWatch::note_lanes(WarpWatch& warp, Mask mask, std::byte* const* at,
                           std::uint32_t bytes) const {
  LastRead& last = warp.last_lanes;
  last.writes = writes_;
  last.now = warp.now;
  last.bytes = bytes;
  last.mask = mask;
  copy_addresses(mask, at, last.at);
}

// A write of the same lanes to their own block's shared memory, in the instant of an equal one and
// with nothing touched between the two, leaves its pc there and nothing else. That is put off until
// something else comes.
bool GridWatch::repeats_write(const Accessor& who, Mask mask, std::byte* const* at,
                              std::int64_t step, std::uint32_t bytes) {
  LastWrite& last = last_write_;
  if (!last.armed || !last.is_like(who, mask, at, step, bytes) ||
      !same_addresses(step == 0 ? mask : Mask{1}, at, last.at))
    return false;
  last.who.pc = who.pc;
  last.put_off = true;
  return true;
}

// Remembers a write that was decided without a comparison. Its addresses are looked at when it
// comes a second time: mostly it does not.
void GridWatch::note_write(const Accessor& who, Mask mask, std::byte* const* at, std::int64_t step,
                           std::uint32_t bytes) {
  const Block& block = *who.warp->warp->block;
  const auto in_shared = [&](const std::byte* one) {
    return one >= block.shared && one < block.shared + block.shared_bytes;
  };
  if (!in_shared(at[std::countr_zero(mask)])) return;
  LastWrite& last = last_write_;
  const bool again = last.is_like(who, mask, at, step, bytes);
  last.who = who;
  last.mask = mask;
  last.step = step;
  last.bytes = bytes;
  last.at[std::countr_zero(mask)] = at[std::countr_zero(mask)];
  if (!again) return;
  last.armed = true;
  const Mask named = step == 0 ? mask : Mask{1};
  for (Mask left = named; left != 0; left &= left - 1)
    last.armed &= in_shared(at[std::countr_zero(left)]);
  copy_addresses(named, at, last.at);
}

// Before anything else is touched, or what the write has found may change.
void GridWatch::settle_write() {
  LastWrite& last = last_write_;
  if (last.put_off) {
    Warp& warp = *last.who.warp->warp;
    last.who.group = &last.who.warp->groups.front();
    if (last.step == 0)
      access_quickly(warp, last.mask, last.at, last.bytes, last.who);
    else
      touch_run(region_of(*warp.block->cluster, *warp.block, last.at[0]), last.step, last.bytes,
                last.who);
  }
  last.armed = last.put_off = false;
}

}  // namespace aisp::sim::watch
