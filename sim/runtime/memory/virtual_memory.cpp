#include "sim/runtime/memory/virtual_memory.hpp"

#include "sim/runtime/memory/multicast.hpp"

namespace aisp::sim {

namespace {

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

// Of memory, not of a multicast object, which is no memory to ordinary instructions and copies.
std::uint32_t reach_of(const Mapping& mapping) {
  return mapping.physical != nullptr ? devices_with(mapping, MappedAccess::read) : 0;
}

bool only_read(const Mapping& mapping) {
  return devices_with(mapping, MappedAccess::read_write) == 0;
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
  show_multicast();
}

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

bool is_of_program(std::uint64_t address) {
  const auto behind = address_ranges().upper_bound(address);
  return behind != address_ranges().begin() &&
         address - std::prev(behind)->first < std::prev(behind)->second.bytes;
}

std::uint64_t create_physical(int device, std::uint64_t bytes, bool shareable) {
  require(bytes != 0);
  require_units(bytes);
  return new_handle(
      {.memory = std::make_shared<PhysicalMemory>(device, bytes, shareable), .multicast = {}});
}

void release_physical(std::uint64_t handle) {
  PhysicalHandle& physical = physical_of(handle);
  if (--physical.uses == 0) physical_handles().erase(handle);
}

std::uint64_t physical_at(std::uint64_t address) {
  const Mapping& mapping = mapping_around(address).second;
  for (auto& [handle, physical] : physical_handles())
    if (physical.memory == mapping.physical && physical.multicast == mapping.multicast) {
      ++physical.uses;
      return handle;
    }
  return new_handle(
      {mapping.physical, mapping.multicast});  // its handle is gone, the memory is not
}

const PhysicalMemory& memory_of(std::uint64_t handle) {
  const PhysicalHandle& physical = physical_of(handle);
  require(physical.memory != nullptr);
  return *physical.memory;
}

void map_physical(std::uint64_t address, std::uint64_t bytes, std::uint64_t handle) {
  require_units(address);
  require_units(bytes);
  AddressRange& range = range_around(address, bytes);
  const auto behind = range.mappings.lower_bound(address + bytes);
  require(behind == range.mappings.begin() ||
          std::prev(behind)->first + std::prev(behind)->second.bytes <= address);
  const PhysicalHandle& physical = physical_of(handle);
  require(bytes ==
          (physical.memory != nullptr ? physical.memory->bytes : physical.multicast->bytes));
  if (physical.memory != nullptr) physical.memory->map_at(address);
  range.mappings[address] = {bytes, physical.memory, physical.multicast, {}};
  show_multicast();
}

void unmap(std::uint64_t address, std::uint64_t bytes) {
  AddressRange& range = range_around(address, bytes);
  mappings_in(range, address, bytes);
  require(map_nothing(address, bytes), cudaErrorMemoryAllocation);
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
  return mapping_around(address).second.access[static_cast<std::size_t>(device)];
}

}  // namespace aisp::sim
