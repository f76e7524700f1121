// What stands behind Memory: one reserved piece of the process's address space, and who lives where
// in it. For the files of that class alone.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

#include "sim/machine/allocation.hpp"
#include "sim/machine/device_model.hpp"
#include "sim/machine/multicast.hpp"

namespace aisp::sim {

inline constexpr std::uint64_t lead_in = 512;  // gap in front of every allocation
inline constexpr std::uint64_t commit_step = 1
                                             << 26;  // memory is made accessible in steps of 64 MiB
inline constexpr std::size_t quarantine_entries = 1 << 16;

constexpr std::uint64_t round_up(std::uint64_t value, std::uint64_t unit) {
  return (value + unit - 1) / unit * unit;
}

// Allocations share no page of the host, which may have 4 or 64 KiB: pages are given back and
// protected for one of them alone.
inline std::uint64_t host_page() {
  static const auto bytes = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}

// Small allocations stand closer to their neighbours: an index that runs off one of them by a few
// kilobytes must still land in the gap.
constexpr std::uint64_t gap_behind(std::uint64_t bytes) { return bytes < 65536 ? 4096 : 65536; }

inline void* reserve_addresses(std::uint64_t bytes) {
  void* region =
      mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return region == MAP_FAILED ? nullptr : region;
}

// Address space for all allocations that will ever be made, as large as the system gives, or as
// AISP_SIM_ADDRESS_GIB says: an emulator of processors keeps books about every page of it.
inline std::uint64_t most_region_bytes() {
  const char* given = std::getenv("AISP_SIM_ADDRESS_GIB");
  const std::uint64_t gib = given != nullptr ? std::strtoull(given, nullptr, 10) : 0;
  return gib > 0 && gib < 8192 ? gib << 30 : std::uint64_t{1} << 43;
}
struct Region {
  std::uint64_t base = 0, bytes = 0;
  Region() {
    for (bytes = most_region_bytes(); bytes >= (std::uint64_t{1} << 30); bytes /= 2) {
      void* region = reserve_addresses(bytes);
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

struct MemoryState {
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
  std::map<std::uint64_t, Slot> ranges;  // reserved by a program, by what it was given
  std::shared_ptr<const MulticastTable> multicast = std::make_shared<MulticastTable>();
  mutable std::shared_ptr<const std::vector<Allocation>> table;

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

}  // namespace aisp::sim
