#include "sim/machine/access.hpp"

#include <algorithm>

#include "base/refuse.hpp"
#include "sim/machine/host_memory.hpp"
#include "sim/machine/multicast.hpp"

namespace aisp::sim {
namespace {

using base::say;

std::string hex(std::uint64_t value) {
  std::ostringstream text;
  text << "0x" << std::hex << value;
  return text.str();
}

const char* verb(Access access) {
  return access == Access::read ? "read" : access == Access::write ? "write" : "atomic access";
}

// What a kernel that reaches into another device's memory is told to do.
std::string no_peer_access(const Allocation& allocation, int device) {
  return say("; the kernel runs on device ", device,
             allocation.pooled
                 ? ", to which cudaMemPoolSetAccess has not opened the pool of device "
                 : ", which has not called cudaDeviceEnablePeerAccess for device ",
             allocation.device);
}

// Over a coherent link, whatever the process has mapped itself.
bool reaches_host(const Grid& grid, std::uint64_t address) {
  return grid.device->coherent_host && grid.memory->is_host(address);
}

// An ordinary instruction at an address that is one of multimem instructions.
void refuse_multicast(const Memory& memory, std::uint64_t address, const std::string& what,
                      int lane) {
  const auto table = memory.multicast();
  const MulticastRange* range = multicast_at(*table, address);
  if (range == nullptr) return;
  throw Fault{
      FaultKind::out_of_bounds,
      say("multicast address: ", what, ", ", address - range->base, " bytes into multicast object ",
          range->object, ": only multimem instructions reach it"),
      address, lane};
}

[[noreturn]] void fail_global(const Grid& grid, std::uint64_t address, std::uint64_t bytes,
                              Access access, int lane) {
  const Memory& memory = *grid.memory;
  refuse_multicast(memory, address, access_text(access, bytes, address), lane);
  const auto found = memory.find(address);
  FaultKind kind = FaultKind::out_of_bounds;
  const char* what = "out-of-bounds ";
  std::string why;
  if (found && !memory.reachable(*found, grid.ordinal)) {
    kind = FaultKind::no_peer_access;
    what = "no peer access: ";
    why = no_peer_access(*found, grid.ordinal);
  } else if (found && found->read_only && access != Access::read &&
             address + bytes <= found->end()) {
    kind = FaultKind::read_only;
    what = "read-only memory: ";
  } else if (!found && memory.was_freed(address)) {
    kind = FaultKind::use_after_free;
    what = "use after free: ";
  } else if (!found && reaches_host(grid, address)) {
    if (access != Access::read && host_covers(address, bytes, false)) {
      kind = FaultKind::read_only;
      what = "read-only memory: ";
    }
  } else if (!found && memory.is_host(address)) {
    kind = FaultKind::host_pointer;
    what = "host pointer in a kernel: ";
  }
  throw Fault{
      kind,
      say(what, access_text(access, bytes, address), ", ", memory.describe(address, bytes), why),
      address, lane};
}

bool covers(const Cluster::Range& range, std::uint64_t address, std::uint64_t bytes,
            Access access) {
  const std::uint64_t high = access == Access::read ? range.high : range.write_high;
  return address >= range.low && address < high && bytes <= high - address;
}

// The allocation's range from the snapshot of the table, newer if there is one.
bool look_up_allocation(Cluster& cluster, std::uint64_t address, Cluster::Range& range) {
  Memory& memory = *cluster.grid->memory;
  for (int attempt = 0; attempt < 2; ++attempt) {
    if (cluster.table) {
      auto next =
          std::upper_bound(cluster.table->begin(), cluster.table->end(), address,
                           [](std::uint64_t at, const Allocation& a) { return at < a.base; });
      if (next != cluster.table->begin()) {
        const Allocation& found = *--next;
        if (address < found.end()) {
          if (!memory.reachable(found, cluster.grid->ordinal)) return false;
          range = {found.base, found.end(), found.read_only ? 0 : found.end()};
          return true;
        }
      }
    }
    if (cluster.table && cluster.table_generation == memory.generation()) return false;
    cluster.table_generation = memory.generation();
    cluster.table = memory.table();
  }
  return false;
}

bool look_up(Cluster& cluster, std::uint64_t address, Cluster::Range& range) {
  if (look_up_allocation(cluster, address, range)) return true;
  if (!reaches_host(*cluster.grid, address)) return false;
  const auto piece = host_piece(address);
  if (piece) range = {piece->low, piece->high, piece->writable ? piece->high : 0};
  return piece.has_value();
}

// Puts the range that holds the address into the warp's cache; false when there is none.
bool refill(Warp& warp, std::uint64_t address) {
  Cluster& cluster = *warp.block->cluster;
  Cluster::Range range;
  const auto hit =
      std::find_if(std::begin(cluster.recent), std::end(cluster.recent),
                   [&](const Cluster::Range& r) { return address >= r.low && address < r.high; });
  if (hit != std::end(cluster.recent)) {
    range = *hit;
  } else {
    if (!look_up(cluster, address, range)) return false;
    cluster.recent[cluster.next_recent++ % std::size(cluster.recent)] = range;
  }
  warp.low = range.low;
  warp.high = range.high;
  warp.write_high = range.write_high;
  return true;
}

std::byte* local_pointer(Warp& warp, std::uint64_t offset, std::uint32_t bytes, Access access,
                         int lane) {
  if (offset >= warp.local_bytes || bytes > warp.local_bytes - offset)
    throw Fault{FaultKind::out_of_bounds,
                say("out-of-bounds ", verb(access), " of ", bytes, " bytes at local offset ",
                    offset, ": a thread has ", warp.local_bytes, " bytes of local memory"),
                offset, lane};
  return warp.local + std::size_t{warp.local_bytes} * lane + offset;
}

}  // namespace

std::string access_text(Access access, std::uint64_t bytes, std::uint64_t address) {
  return say(verb(access), " of ", bytes, " bytes at ", hex(address));
}

void Cluster::forget_ranges() {
  for (Range& range : recent) range = {};
  table.reset();
  for (auto& block : blocks)
    for (auto& warp : block->warps) {
      warp->low = 1;
      warp->high = warp->write_high = 0;
    }
}

Block& shared_owner(Block& from, std::uint32_t address) {
  const std::uint32_t rank = address >> shared_rank_shift;
  if (rank == from.rank) return from;
  auto& blocks = from.cluster->blocks;
  if (rank >= blocks.size())
    throw Fault{FaultKind::out_of_bounds,
                say("shared address ", hex(address), " names block ", rank, " of a cluster of ",
                    blocks.size()),
                address, -1};
  if (blocks[rank]->done())
    throw Fault{FaultKind::out_of_bounds,
                say("shared address ", hex(address), " lies in block ", rank,
                    " of the cluster, which has exited"),
                address, -1, FaultSubject::exited_block};
  return *blocks[rank];
}

std::byte* resolve_shared(Block& from, std::uint32_t address, std::uint64_t bytes, Access access) {
  Block& owner = shared_owner(from, address);
  const std::uint32_t offset = address & ((1u << shared_rank_shift) - 1);
  const std::uint32_t first = static_cast<std::uint32_t>(from.grid->device->shared_reserved);
  if (offset < first || offset >= owner.shared_bytes || bytes > owner.shared_bytes - offset)
    throw Fault{FaultKind::out_of_bounds,
                say("out-of-bounds ", verb(access), " of ", bytes, " bytes at shared offset ",
                    static_cast<std::int64_t>(offset) - first, ": the block has ",
                    owner.shared_bytes - first, " bytes of shared memory"),
                address, -1};
  return owner.shared + offset;
}

std::byte* resolve_global(Grid& grid, std::uint64_t address, std::uint64_t bytes, Access access) {
  if (grid.settings.check_memory) {
    const auto found = grid.memory->find(address);
    if (!found && reaches_host(grid, address) &&
        host_covers(address, bytes, access != Access::read))
      return reinterpret_cast<std::byte*>(address);
    if (!found || bytes > found->end() - address || (found->read_only && access != Access::read) ||
        !grid.memory->reachable(*found, grid.ordinal))
      fail_global(grid, address, bytes, access, -1);
  }
  return reinterpret_cast<std::byte*>(address);
}

std::byte* resolve(Warp& warp, ptx::Space space, std::uint64_t address, std::uint32_t bytes,
                   std::uint32_t align, Access access, int lane) {
  if ((address & (align - 1)) != 0)
    throw Fault{FaultKind::misaligned,
                say("misaligned ", access_text(access, bytes, address),
                    ": the address must be a multiple of ", align),
                address, lane};
  if (space == ptx::Space::none || space == ptx::Space::global) {
    if (Windows::in(Windows::shared(), address)) {
      if (space == ptx::Space::global)
        throw Fault{
            FaultKind::bad_address_space,
            say(verb(access), " of global memory at ", hex(address), ", which is a shared address"),
            address, lane};
      space = ptx::Space::shared;
      address -= Windows::shared();
    } else if (Windows::in(Windows::local(), address)) {
      space = ptx::Space::local;
      address -= Windows::local();
    }
  }
  try {
    if (space == ptx::Space::shared)
      return resolve_shared(*warp.block, static_cast<std::uint32_t>(address), bytes, access);
  } catch (Fault& fault) {
    fault.lane = lane;
    throw;
  }
  if (space == ptx::Space::local) return local_pointer(warp, address, bytes, access, lane);
  if (!warp.block->grid->settings.check_memory) return reinterpret_cast<std::byte*>(address);
  const auto cached = [&] {
    return covers({warp.low, warp.high, warp.write_high}, address, bytes, access);
  };
  if (!cached() && !(refill(warp, address) && cached()))
    fail_global(*warp.block->grid, address, bytes, access, lane);
  return reinterpret_cast<std::byte*>(address);
}

bool direct_range(Warp& warp, std::uint64_t address, std::uint64_t bytes, Access access) {
  const auto cached = [&] {
    return covers({warp.low, warp.high, warp.write_high}, address, bytes, access);
  };
  return cached() || (refill(warp, address) && cached());
}

bool direct_global(Warp& warp, const std::uint64_t* addresses, std::int64_t offset,
                   std::uint32_t bytes, Access access, Mask mask) {
  // Sign bits say who is outside of [low, last]: distances within an address space are below 2^63.
  const auto all_inside = [&] {
    const std::uint64_t end = access == Access::read ? warp.high : warp.write_high;
    const std::uint64_t low = warp.low - static_cast<std::uint64_t>(offset);
    const std::uint64_t last = end - bytes - static_cast<std::uint64_t>(offset);
    std::uint64_t outside = 0;
    if (mask == all_lanes)
      for (int lane = 0; lane < lanes; ++lane)
        outside |= (addresses[lane] - low) | (last - addresses[lane]);
    else
      for (Mask left = mask; left != 0; left &= left - 1) {
        const std::uint64_t address = addresses[std::countr_zero(left)];
        outside |= (address - low) | (last - address);
      }
    return end - warp.low >= bytes && outside >> 63 == 0 && warp.low < end;
  };
  std::uint64_t bits = 0;
  if (mask == all_lanes)
    for (int lane = 0; lane < lanes; ++lane)
      bits |= addresses[lane] + static_cast<std::uint64_t>(offset);
  else
    for (Mask left = mask; left != 0; left &= left - 1)
      bits |= addresses[std::countr_zero(left)] + static_cast<std::uint64_t>(offset);
  const std::uint32_t align = bytes & (~bytes + 1);  // vectors have a power of two of bytes
  if ((bits & (align - 1)) != 0) return false;
  const std::uint64_t first =
      addresses[std::countr_zero(mask)] + static_cast<std::uint64_t>(offset);
  return all_inside() || (refill(warp, first) && all_inside());
}

std::uint64_t* mbarrier_at(Block& from, std::uint32_t address) {
  if (address % 8 != 0)
    throw Fault{FaultKind::misaligned,
                say("mbarrier at shared address ", hex(address), ": it must be a multiple of 8"),
                address, -1};
  return reinterpret_cast<std::uint64_t*>(resolve_shared(from, address, 8, Access::atomic));
}

}  // namespace aisp::sim
