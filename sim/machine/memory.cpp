#include "sim/machine/memory.hpp"

#include <sstream>

#include "sim/machine/memory_state.hpp"

namespace aisp::sim {
namespace {

constexpr std::uint64_t null_page = 4096;

bool counts_as_device(MemoryKind kind) { return kind != MemoryKind::pinned; }

std::string place_of(const Allocation& allocation, int devices) {
  std::ostringstream text;
  text << "allocation #" << allocation.id;
  if (!allocation.name.empty()) text << " '" << allocation.name << '\'';
  text << " (" << allocation.bytes << " bytes at 0x" << std::hex << allocation.base << ')';
  if (devices > 1 && counts_as_device(allocation.kind))
    text << std::dec << " of device " << allocation.device;
  return text.str();
}

}  // namespace

Memory::Memory(std::int64_t capacity_bytes, int devices)
    : state_(std::make_unique<MemoryState>()), capacity_(capacity_bytes), devices_(devices) {}
Memory::~Memory() = default;

void* Memory::allocate_on(int device, std::uint64_t bytes, MemoryKind kind, std::string name,
                          std::uint64_t align) {
  const std::lock_guard lock(state_->mutex);
  MemoryState& state = *state_;
  if (bytes > state.region.bytes / 2) return nullptr;
  std::int64_t& used = state.used[device];
  if (counts_as_device(kind) && used + static_cast<std::int64_t>(bytes) > capacity_) return nullptr;
  // Bases are odd multiples of 512: a program that needs more than cudaMalloc promises fails here.
  const std::uint64_t front = std::max(lead_in, align);
  const std::uint64_t page = host_page();
  const std::uint64_t slot_bytes = round_up(front + bytes + gap_behind(bytes), page);
  const std::uint64_t slot = state.take(align > page ? slot_bytes + align : slot_bytes);
  if (slot == 0) return nullptr;
  const std::uint64_t base = round_up(slot + lead_in, std::max(lead_in, align));

  const Allocation allocation{
      .base = base,
      .bytes = bytes,
      .kind = kind,
      .read_only = kind == MemoryKind::module_const || kind == MemoryKind::params,
      .id = ++state.last_id,
      .name = std::move(name),
      .device = device};
  state.live[base] = allocation;
  state.slots[base] = {slot, align > page ? slot_bytes + align : slot_bytes};
  if (counts_as_device(kind)) used += static_cast<std::int64_t>(bytes);
  changed();
  return reinterpret_cast<void*>(base);
}

bool Memory::release(void* memory) {
  const std::lock_guard lock(state_->mutex);
  MemoryState& state = *state_;
  const auto found = state.live.find(reinterpret_cast<std::uint64_t>(memory));
  if (found == state.live.end()) return false;
  const auto slot = state.slots.find(found->first);
  if (slot == state.slots.end()) return false;  // the host's own
  if (counts_as_device(found->second.kind))
    state.used[found->second.device] -= static_cast<std::int64_t>(found->second.bytes);
  madvise(reinterpret_cast<void*>(slot->second.base), slot->second.bytes, MADV_DONTNEED);
  state.quarantine.emplace_back(slot->second, found->first);
  state.freed[found->first] = std::move(found->second);
  state.slots.erase(slot);
  state.live.erase(found);
  state.shrink_quarantine(quarantine_entries);
  changed();
  return true;
}

bool Memory::move_aside(void* memory, bool back) {
  const std::lock_guard lock(state_->mutex);
  auto &from = back ? state_->aside : state_->live, &to = back ? state_->live : state_->aside;
  auto taken = from.extract(reinterpret_cast<std::uint64_t>(memory));
  if (taken.empty()) return false;
  const Allocation& moved = taken.mapped();
  const auto bytes = static_cast<std::int64_t>(moved.bytes);
  state_->used[moved.device] += back ? bytes : -bytes;
  state_->freed.erase(moved.base);
  if (!back) state_->freed[moved.base] = moved;
  to.insert(std::move(taken));
  changed();
  return true;
}

// With the lock held: readers take another table.
void Memory::changed() {
  state_->table.reset();
  generation_.fetch_add(1, std::memory_order_release);
}

bool Memory::adopt(void* memory, std::uint64_t bytes, int device) {
  const std::lock_guard lock(state_->mutex);
  const auto base = reinterpret_cast<std::uint64_t>(memory);
  if (bytes == 0 || state_->overlaps_live(base, bytes)) return false;
  state_->live[base] = {.base = base,
                        .bytes = bytes,
                        .kind = MemoryKind::pinned,
                        .read_only = false,
                        .id = ++state_->last_id,
                        .name = {},
                        .device = device};
  changed();
  return true;
}

bool Memory::disown(void* memory) {
  const std::lock_guard lock(state_->mutex);
  const auto base = reinterpret_cast<std::uint64_t>(memory);
  if (state_->slots.contains(base) || state_->live.erase(base) == 0) return false;
  changed();
  return true;
}

std::int64_t Memory::used(int device) const {
  const std::lock_guard lock(state_->mutex);
  return state_->used[device];
}

void Memory::let_reach(int device, int peer, bool may) {
  const std::uint32_t bit = 1u << peer;
  if (may)
    peers_[device].fetch_or(bit);
  else
    peers_[device].fetch_and(~bit);
}

bool Memory::reaches(int device, int peer) const {
  return device == peer || (peers_[device].load() >> peer & 1) != 0;
}

void Memory::put_into_pool(void* memory, std::uint32_t reach) {
  const std::lock_guard lock(state_->mutex);
  const auto found = state_->live.find(reinterpret_cast<std::uint64_t>(memory));
  if (found == state_->live.end()) return;
  found->second.pooled = true;
  found->second.reach = reach;
  changed();
}

bool Memory::reachable(const Allocation& allocation, int device) const {
  switch (allocation.kind) {
    case MemoryKind::pinned:
    case MemoryKind::managed:
      return true;
    default:
      if (allocation.device == device) return true;
      return allocation.pooled ? (allocation.reach >> device & 1) != 0
                               : reaches(device, allocation.device);
  }
}

std::optional<Allocation> Memory::find(std::uint64_t address) const {
  const std::lock_guard lock(state_->mutex);
  const Allocation* allocation = state_->containing(address);
  return allocation == nullptr ? std::nullopt : std::optional(*allocation);
}

bool Memory::was_freed(std::uint64_t address) const {
  const std::lock_guard lock(state_->mutex);
  return state_->containing(address) == nullptr && state_->freed_containing(address) != nullptr;
}

bool Memory::is_reserved(std::uint64_t address) const { return state_->region.contains(address); }

bool Memory::is_host(std::uint64_t address) const {
  if (state_->region.contains(address) || Windows::in(Windows::shared(), address) ||
      Windows::in(Windows::local(), address))
    return false;
  unsigned char resident = 0;
  return mincore(reinterpret_cast<void*>(address / host_page() * host_page()), 1, &resident) == 0;
}

std::string Memory::describe(std::uint64_t address, std::uint64_t bytes) const {
  std::ostringstream text;
  if (!state_->region.contains(address) && !find(address)) {
    if (address < null_page) return "a null pointer";
    if (is_host(address)) return "host memory that is neither pinned nor managed";
  }
  const std::lock_guard lock(state_->mutex);
  if (const Allocation* live = state_->containing(address)) {
    if (address + bytes > live->end())
      text << "the last " << address + bytes - live->end() << " of " << bytes
           << " bytes are past the end of " << place_of(*live, devices_);
    else
      text << address - live->base << " bytes into " << place_of(*live, devices_);
    return text.str();
  }
  if (const Allocation* freed = state_->freed_containing(address)) {
    text << address - freed->base << " bytes into " << place_of(*freed, devices_) << ", freed";
    return text.str();
  }
  // The nearest of the program's own.
  const Allocation *above = nullptr, *below = nullptr;
  for (auto at = state_->live.upper_bound(address); at != state_->live.end() && !above; ++at)
    if (at->second.kind != MemoryKind::params) above = &at->second;
  for (auto at = state_->live.upper_bound(address); at != state_->live.begin() && !below;)
    if ((--at)->second.kind != MemoryKind::params) below = &at->second;
  if (below != nullptr &&
      (above == nullptr || address - below->end() <= above->base - address - 1)) {
    text << address - below->end() << " bytes past the end of " << place_of(*below, devices_);
  } else if (above != nullptr) {
    text << above->base - address << " bytes before the start of " << place_of(*above, devices_);
  } else {
    return "nothing is allocated";
  }
  return text.str();
}

std::shared_ptr<const Memory::Table> Memory::table() const {
  const std::lock_guard lock(state_->mutex);
  if (!state_->table) {
    auto fresh = std::make_shared<Table>();
    fresh->reserve(state_->live.size());
    for (const auto& [base, allocation] : state_->live) fresh->push_back(allocation);
    state_->table = std::move(fresh);
  }
  return state_->table;
}

namespace {

std::uint64_t reserve_window() {
  constexpr std::uint64_t size = std::uint64_t{1} << 32;
  void* region = reserve_addresses(2 * size);
  if (region == nullptr) throw std::bad_alloc();
  return round_up(reinterpret_cast<std::uint64_t>(region), size);
}

}  // namespace

std::uint64_t Windows::shared() {
  static const std::uint64_t window = reserve_window();
  return window;
}
std::uint64_t Windows::local() {
  static const std::uint64_t window = reserve_window();
  return window;
}

void* Memory::allocate_in_heap(int device, std::uint64_t bytes) {
  if (!heaps_[device].take(bytes)) return nullptr;
  void* got = allocate_on(device, bytes, MemoryKind::heap);
  if (got == nullptr) heaps_[device].give_back(bytes);
  return got;
}

bool Memory::release_from_heap(std::uint64_t address) {
  const auto found = find(address);
  if (!found || found->base != address || found->kind != MemoryKind::heap) return false;
  if (!release(reinterpret_cast<void*>(address))) return false;
  heaps_[found->device].give_back(found->bytes);
  return true;
}

}  // namespace aisp::sim
