#include "sim/machine/memory.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <new>
#include <sstream>

namespace aisp::sim {
namespace {

constexpr std::uint64_t null_page = 4096;
constexpr std::uint64_t lead_in = 512;          // gap in front of every allocation
constexpr std::uint64_t commit_step = 1 << 26;  // memory is made accessible in steps of 64 MiB
constexpr std::size_t quarantine_entries = 1 << 16;

constexpr std::uint64_t round_up(std::uint64_t value, std::uint64_t unit) {
  return (value + unit - 1) / unit * unit;
}

// Allocations share no page of the host, which may have 4 or 64 KiB: pages are given back and
// protected for one of them alone.
std::uint64_t host_page() {
  static const auto bytes = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}

// Small allocations stand closer to their neighbours: an index that runs off one of them by a few
// kilobytes must still land in the gap.
constexpr std::uint64_t gap_behind(std::uint64_t bytes) { return bytes < 65536 ? 4096 : 65536; }

void* reserve(std::uint64_t bytes) {
  void* region =
      mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return region == MAP_FAILED ? nullptr : region;
}

// Address space for all allocations that will ever be made, as large as the system gives, or as
// AISP_SIM_ADDRESS_GIB says: an emulator of processors keeps books about every page of it.
std::uint64_t most_region_bytes() {
  const char* given = std::getenv("AISP_SIM_ADDRESS_GIB");
  const std::uint64_t gib = given != nullptr ? std::strtoull(given, nullptr, 10) : 0;
  return gib > 0 && gib < 8192 ? gib << 30 : std::uint64_t{1} << 43;
}
struct Region {
  std::uint64_t base = 0, bytes = 0;
  Region() {
    for (bytes = most_region_bytes(); bytes >= (std::uint64_t{1} << 30); bytes /= 2) {
      void* region = reserve(bytes);
      if (region == nullptr) continue;
      madvise(region, bytes, MADV_DONTDUMP);
      base = reinterpret_cast<std::uint64_t>(region);
      return;
    }
    throw std::bad_alloc();
  }
  Region(const Region&) = delete;
  Region& operator=(const Region&) = delete;
  ~Region() { munmap(reinterpret_cast<void*>(base), bytes); }
  bool contains(std::uint64_t address) const { return address - base < bytes; }
};

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

struct Memory::State {
  struct Slot {  // the address space of one allocation, gaps included
    std::uint64_t base = 0, bytes = 0;
  };
  Region region;
  mutable std::mutex mutex;
  std::uint64_t next = 0;       // offset of what was never used
  std::uint64_t committed = 0;  // offset up to which the region is accessible
  std::uint64_t last_id = 0;
  std::int64_t used[most_devices] = {};
  std::map<std::uint64_t, Allocation> live;
  std::map<std::uint64_t, Allocation> aside;              // freed, and their place is kept
  std::map<std::uint64_t, Slot> slots;                    // of live ones that are ours
  std::map<std::uint64_t, Allocation> freed;              // by base; only while in quarantine
  std::deque<std::pair<Slot, std::uint64_t>> quarantine;  // oldest first, with the base
  std::map<std::uint64_t, std::uint64_t> reusable;        // base -> bytes, neighbours joined
  mutable std::shared_ptr<const Table> table;

  bool commit(std::uint64_t end) {
    if (end <= committed) return true;
    const std::uint64_t target = std::min(round_up(end, commit_step), region.bytes);
    if (end > target) return false;
    void* from = reinterpret_cast<void*>(region.base + committed);
    if (mprotect(from, target - committed, PROT_READ | PROT_WRITE) != 0) return false;
    committed = target;
    return true;
  }

  void make_reusable(Slot slot) {
    auto behind = reusable.lower_bound(slot.base);
    if (behind != reusable.end() && behind->first == slot.base + slot.bytes) {
      slot.bytes += behind->second;
      behind = reusable.erase(behind);
    }
    if (behind != reusable.begin()) {
      const auto ahead = std::prev(behind);
      if (ahead->first + ahead->second == slot.base) {
        ahead->second += slot.bytes;
        return;
      }
    }
    reusable[slot.base] = slot.bytes;
  }

  void shrink_quarantine(std::size_t entries) {
    while (quarantine.size() > entries) {
      make_reusable(quarantine.front().first);
      freed.erase(quarantine.front().second);
      quarantine.pop_front();
    }
  }

  std::uint64_t take_reusable(std::uint64_t bytes) {
    for (auto range = reusable.begin(); range != reusable.end(); ++range) {
      if (range->second < bytes) continue;
      const std::uint64_t base = range->first, left = range->second - bytes;
      reusable.erase(range);
      if (left != 0) reusable[base + bytes] = left;
      return base;
    }
    return 0;
  }

  // Fresh address space first, so that freed addresses stay wrong for as long as possible.
  std::uint64_t take(std::uint64_t bytes) {
    if (next + bytes <= region.bytes && commit(next + bytes)) {
      next += bytes;
      return region.base + next - bytes;
    }
    if (const std::uint64_t base = take_reusable(bytes); base != 0) return base;
    shrink_quarantine(quarantine.size() / 2);
    if (const std::uint64_t base = take_reusable(bytes); base != 0) return base;
    shrink_quarantine(0);
    return take_reusable(bytes);
  }

  const Allocation* containing(std::uint64_t address) const {
    auto behind = live.upper_bound(address);
    if (behind == live.begin()) return nullptr;
    const Allocation& allocation = std::prev(behind)->second;
    return address < allocation.end() ? &allocation : nullptr;
  }
  const Allocation* freed_containing(std::uint64_t address) const {
    auto behind = freed.upper_bound(address);
    if (behind == freed.begin()) return nullptr;
    const Allocation& allocation = std::prev(behind)->second;
    return address < allocation.end() ? &allocation : nullptr;
  }
  bool overlaps_live(std::uint64_t base, std::uint64_t bytes) const {
    const auto behind = live.lower_bound(base + bytes);
    return behind != live.begin() && std::prev(behind)->second.end() > base;
  }
};

Memory::Memory(std::int64_t capacity_bytes, int devices)
    : state_(std::make_unique<State>()), capacity_(capacity_bytes), devices_(devices) {}
Memory::~Memory() = default;

void* Memory::allocate_on(int device, std::uint64_t bytes, MemoryKind kind, std::string name,
                          std::uint64_t align) {
  const std::lock_guard lock(state_->mutex);
  State& state = *state_;
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
  State& state = *state_;
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
  void* region = reserve(2 * size);
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
