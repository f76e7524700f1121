#include "sim/runtime/memory/virtual_memory.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <map>

#include "sim/runtime/state/runtime.hpp"

namespace aisp::sim {

// A file without a name, so that it can be at several addresses at once and move between them.
struct PhysicalMemory {
  PhysicalMemory(int on, std::uint64_t size) : device(on), bytes(size) {
    require(Runtime::get().memory.charge(device, static_cast<std::int64_t>(bytes)),
            cudaErrorMemoryAllocation);
    file = memfd_create("aisp-device-memory", MFD_CLOEXEC);
    if (file < 0 || ftruncate(file, static_cast<off_t>(bytes)) != 0) {
      give_back();
      throw ApiError{cudaErrorMemoryAllocation};
    }
  }
  PhysicalMemory(const PhysicalMemory&) = delete;
  PhysicalMemory& operator=(const PhysicalMemory&) = delete;
  ~PhysicalMemory() { give_back(); }
  void give_back() {
    if (file >= 0) close(file);
    Runtime::get().memory.charge(device, -static_cast<std::int64_t>(bytes));
  }
  int device = 0, file = -1;
  std::uint64_t bytes = 0;
};

namespace {

struct Mapping {
  std::uint64_t bytes = 0;
  std::shared_ptr<PhysicalMemory> physical;
  std::array<MappedAccess, most_devices> access{};
};

struct AddressRange {
  std::uint64_t bytes = 0;
  std::map<std::uint64_t, Mapping> mappings;
  std::map<std::uint64_t, std::uint64_t> exposed;  // base -> bytes, as Memory knows it
};

struct PhysicalHandle {
  std::shared_ptr<PhysicalMemory> memory;
  int uses = 1;
};

std::map<std::uint64_t, AddressRange>& address_ranges() {
  static auto* const all = new std::map<std::uint64_t, AddressRange>;
  return *all;
}

std::map<std::uint64_t, PhysicalHandle>& physical_handles() {
  static auto* const all = new std::map<std::uint64_t, PhysicalHandle>;
  return *all;
}

PhysicalHandle& physical_of(std::uint64_t handle) {
  const auto found = physical_handles().find(handle);
  require(found != physical_handles().end());
  return found->second;
}

// The reserved range that has all of it.
AddressRange& range_around(std::uint64_t address, std::uint64_t bytes) {
  const auto behind = address_ranges().upper_bound(address);
  require(behind != address_ranges().begin());
  auto& [base, range] = *std::prev(behind);
  require(bytes != 0 && address - base < range.bytes && bytes <= range.bytes - (address - base));
  return range;
}

// What is mapped from `address` on, without a gap and in whole mappings.
std::vector<std::pair<const std::uint64_t, Mapping>*> mappings_in(AddressRange& range,
                                                                  std::uint64_t address,
                                                                  std::uint64_t bytes) {
  std::vector<std::pair<const std::uint64_t, Mapping>*> all;
  std::uint64_t at = address;
  while (at < address + bytes) {
    const auto found = range.mappings.find(at);
    require(found != range.mappings.end() && found->second.bytes <= address + bytes - at);
    all.push_back(&*found);
    at += found->second.bytes;
  }
  return all;
}

std::uint32_t reach_of(const Mapping& mapping) {
  std::uint32_t reach = 0;
  for (int device = 0; device < most_devices; ++device)
    if (mapping.access[static_cast<std::size_t>(device)] != MappedAccess::none)
      reach |= 1u << device;
  return reach;
}

bool only_read(const Mapping& mapping) {
  for (const MappedAccess access : mapping.access)
    if (access == MappedAccess::read_write) return false;
  return true;
}

bool alike(const Mapping& a, const Mapping& b) {
  return a.physical->device == b.physical->device && a.access == b.access;
}

// Neighbours with the same access are one piece of memory to kernels and copies.
void show(AddressRange& range) {
  Memory& memory = Runtime::get().memory;
  std::map<std::uint64_t, std::uint64_t> wanted;
  const Mapping* before = nullptr;
  for (const auto& [base, mapping] : range.mappings) {
    const bool visible = reach_of(mapping) != 0;
    const bool joins = visible && before != nullptr && alike(*before, mapping) && !wanted.empty() &&
                       wanted.rbegin()->first + wanted.rbegin()->second == base;
    if (joins)
      wanted.rbegin()->second += mapping.bytes;
    else if (visible)
      wanted[base] = mapping.bytes;
    before = visible ? &mapping : nullptr;
  }
  for (const auto& [base, bytes] : range.exposed) memory.conceal(base);
  for (const auto& [base, bytes] : wanted) {
    const Mapping& mapping = range.mappings.at(base);
    memory.expose(base, bytes, mapping.physical->device, reach_of(mapping), only_read(mapping));
  }
  range.exposed = std::move(wanted);
}

void require_units(std::uint64_t value) { require(value % mapping_unit == 0); }

}  // namespace

std::uint64_t reserve_addresses_for_program(std::uint64_t bytes, std::uint64_t align) {
  require(bytes != 0 && (align & (align - 1)) == 0);
  require_units(bytes);
  const std::uint64_t base =
      Runtime::get().memory.reserve_range(bytes, std::max(align, mapping_unit));
  require(base != 0, cudaErrorMemoryAllocation);
  address_ranges()[base].bytes = bytes;
  return base;
}

void release_addresses(std::uint64_t base, std::uint64_t bytes) {
  const auto range = address_ranges().find(base);
  require(range != address_ranges().end() && range->second.bytes == bytes);
  require(range->second.mappings.empty());
  address_ranges().erase(range);
  Runtime::get().memory.release_range(base);
}

std::uint64_t create_physical(int device, std::uint64_t bytes) {
  require(bytes != 0);
  require_units(bytes);
  static std::uint64_t last = 0;
  auto memory = std::make_shared<PhysicalMemory>(device, bytes);
  physical_handles()[++last] = {std::move(memory), 1};
  return last;
}

void release_physical(std::uint64_t handle) {
  PhysicalHandle& physical = physical_of(handle);
  if (--physical.uses == 0) physical_handles().erase(handle);
}

std::uint64_t physical_at(std::uint64_t address) {
  AddressRange& range = range_around(address, 1);
  const auto behind = range.mappings.upper_bound(address);
  require(behind != range.mappings.begin());
  const auto& [base, mapping] = *std::prev(behind);
  require(address - base < mapping.bytes);
  for (auto& [handle, physical] : physical_handles())
    if (physical.memory == mapping.physical) {
      ++physical.uses;
      return handle;
    }
  static std::uint64_t revived = std::uint64_t{1} << 32;  // its handle is gone, the memory is not
  physical_handles()[++revived] = {mapping.physical, 1};
  return revived;
}

int device_of_physical(std::uint64_t handle) { return physical_of(handle).memory->device; }

void map_physical(std::uint64_t address, std::uint64_t bytes, std::uint64_t handle) {
  require_units(address);
  require_units(bytes);
  AddressRange& range = range_around(address, bytes);
  const auto behind = range.mappings.lower_bound(address + bytes);
  require(behind == range.mappings.begin() ||
          std::prev(behind)->first + std::prev(behind)->second.bytes <= address);
  const std::shared_ptr<PhysicalMemory> physical = physical_of(handle).memory;
  require(bytes == physical->bytes);
  const void* mapped = mmap(reinterpret_cast<void*>(address), bytes, PROT_READ | PROT_WRITE,
                            MAP_SHARED | MAP_FIXED, physical->file, 0);
  require(mapped != MAP_FAILED, cudaErrorMemoryAllocation);
  range.mappings[address] = {bytes, physical, {}};
}

void unmap(std::uint64_t address, std::uint64_t bytes) {
  AddressRange& range = range_around(address, bytes);
  mappings_in(range, address, bytes);
  void* again = mmap(reinterpret_cast<void*>(address), bytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
  require(again != MAP_FAILED, cudaErrorMemoryAllocation);
  range.mappings.erase(range.mappings.lower_bound(address),
                       range.mappings.lower_bound(address + bytes));
  show(range);
}

void set_mapped_access(std::uint64_t address, std::uint64_t bytes, int device,
                       MappedAccess access) {
  AddressRange& range = range_around(address, bytes);
  for (auto* mapping : mappings_in(range, address, bytes))
    mapping->second.access[static_cast<std::size_t>(device)] = access;
  show(range);
}

MappedAccess mapped_access(std::uint64_t address, int device) {
  AddressRange& range = range_around(address, 1);
  const auto behind = range.mappings.upper_bound(address);
  require(behind != range.mappings.begin());
  const auto& [base, mapping] = *std::prev(behind);
  require(address - base < mapping.bytes);
  return mapping.access[static_cast<std::size_t>(device)];
}

}  // namespace aisp::sim
