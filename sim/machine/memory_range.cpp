#include "sim/machine/memory.hpp"
#include "sim/machine/memory_state.hpp"

namespace aisp::sim {

std::uint64_t Memory::reserve_range(std::uint64_t bytes, std::uint64_t align) {
  const std::lock_guard lock(state_->mutex);
  if (bytes > state_->region.bytes / 2) return 0;
  const std::uint64_t all = round_up(bytes, host_page()) + align + gap_behind(bytes);
  const std::uint64_t slot = state_->take(round_up(all, host_page()));
  if (slot == 0) return 0;
  const std::uint64_t base = round_up(slot + 1, align);
  state_->ranges[base] = {slot, round_up(all, host_page())};
  return base;
}

bool Memory::release_range(std::uint64_t base) {
  const std::lock_guard lock(state_->mutex);
  const auto range = state_->ranges.find(base);
  if (range == state_->ranges.end()) return false;
  state_->make_reusable(range->second);
  state_->ranges.erase(range);
  return true;
}

bool Memory::charge(int device, std::int64_t bytes) {
  const std::lock_guard lock(state_->mutex);
  if (state_->used[device] + bytes > capacity_) return false;
  state_->used[device] += bytes;
  return true;
}

void Memory::expose(std::uint64_t base, std::uint64_t bytes, int device, std::uint32_t reach,
                    bool read_only) {
  const std::lock_guard lock(state_->mutex);
  state_->live[base] = {.base = base,
                        .bytes = bytes,
                        .kind = MemoryKind::device,
                        .read_only = read_only,
                        .id = ++state_->last_id,
                        .name = {},
                        .device = device,
                        .pooled = true,
                        .reach = reach};
  state_->freed.erase(base);
  changed();
}

void Memory::show_multicast(std::shared_ptr<const MulticastTable> table) {
  const std::lock_guard lock(state_->mutex);
  state_->multicast = std::move(table);
}

std::shared_ptr<const MulticastTable> Memory::multicast() const {
  const std::lock_guard lock(state_->mutex);
  return state_->multicast;
}

void Memory::conceal(std::uint64_t base) {
  const std::lock_guard lock(state_->mutex);
  if (state_->live.erase(base) == 0) return;
  changed();
}

}  // namespace aisp::sim
