#include "sim/runtime/memory/mapped_memory.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>

#include "sim/runtime/memory/segment.hpp"

namespace aisp::sim {

namespace {

constexpr const char* physical_label = "memory-of-device-";

}  // namespace

std::map<std::uint64_t, PhysicalHandle>& physical_handles() {
  static auto* const all = new std::map<std::uint64_t, PhysicalHandle>;
  return *all;
}

bool map_nothing(std::uint64_t address, std::uint64_t bytes) {
  const void* again = mmap(reinterpret_cast<void*>(address), bytes, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
  return again != MAP_FAILED;
}

PhysicalMemory::PhysicalMemory(int on, std::uint64_t size, bool can_be_shared)
    : device(on), shareable(can_be_shared), bytes(size) {
  require(Runtime::get().memory.charge(device, static_cast<std::int64_t>(bytes)),
          cudaErrorMemoryAllocation);
  try {
    file = can_be_shared ? create_shareable(physical_label + std::to_string(device), bytes)
                         : create_segment(bytes);
  } catch (...) {
    give_back();
    throw;
  }
}

PhysicalMemory::PhysicalMemory(int on, std::uint64_t size, int shared_file)
    : device(on), file(shared_file), shareable(true), bytes(size) {
  if (Runtime::get().memory.charge(device, static_cast<std::int64_t>(bytes))) return;
  close(file);
  throw ApiError{cudaErrorMemoryAllocation};
}

PhysicalMemory::~PhysicalMemory() {
  if (view_ != 0) {
    Runtime::get().memory.conceal(view_);
    map_nothing(view_, bytes);
    Runtime::get().memory.release_range(view_);
  }
  give_back();
}

void PhysicalMemory::give_back() {
  if (file >= 0) close(file);
  Runtime::get().memory.charge(device, -static_cast<std::int64_t>(bytes));
}

void PhysicalMemory::map_at(std::uint64_t address) const {
  const void* mapped = mmap(reinterpret_cast<void*>(address), bytes, PROT_READ | PROT_WRITE,
                            MAP_SHARED | MAP_FIXED, file, 0);
  require(mapped != MAP_FAILED, cudaErrorMemoryAllocation);
}

std::uint64_t PhysicalMemory::view() {
  if (view_ != 0) return view_;
  Memory& memory = Runtime::get().memory;
  const std::uint64_t base = memory.reserve_range(bytes, mapping_unit);
  require(base != 0, cudaErrorMemoryAllocation);
  map_at(base);
  memory.expose(base, bytes, device, 0, false);
  return view_ = base;
}

std::map<std::uint64_t, AddressRange>& address_ranges() {
  static auto* const all = new std::map<std::uint64_t, AddressRange>;
  return *all;
}

std::uint64_t new_handle(PhysicalHandle physical) {
  static std::uint64_t last = 0;
  physical_handles()[++last] = std::move(physical);
  return last;
}

PhysicalHandle& physical_of(std::uint64_t handle) {
  const auto found = physical_handles().find(handle);
  require(found != physical_handles().end());
  return found->second;
}

int export_physical(std::uint64_t handle) {
  const PhysicalHandle& physical = physical_of(handle);
  require(physical.memory != nullptr && physical.memory->shareable);
  return duplicate_for_program(physical.memory->file);
}

std::uint64_t import_physical(int descriptor) {
  const auto found = read_shareable(descriptor);
  require(found && found->label.starts_with(physical_label));
  // Memory of this process: one more use of it.
  for (const auto& [handle, physical] : physical_handles())
    if (physical.memory != nullptr && identity_of(physical.memory->file) == found->identity)
      return new_handle({physical.memory, nullptr});
  for (const auto& [base, range] : address_ranges())
    for (const auto& [at, mapping] : range.mappings)
      if (mapping.physical != nullptr && identity_of(mapping.physical->file) == found->identity)
        return new_handle({mapping.physical, nullptr});
  const int named = std::atoi(found->label.substr(std::string(physical_label).size()).c_str());
  const int device = std::clamp(named, 0, Runtime::get().model.devices - 1);
  const int file = fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
  require(file >= 0, cudaErrorOperatingSystem);
  return new_handle({std::make_shared<PhysicalMemory>(device, found->bytes, file), nullptr});
}

std::uint32_t devices_with(const Mapping& mapping, MappedAccess least) {
  std::uint32_t devices = 0;
  for (int device = 0; device < most_devices; ++device)
    if (mapping.access[static_cast<std::size_t>(device)] >= least) devices |= 1u << device;
  return devices;
}

AddressRange& range_around(std::uint64_t address, std::uint64_t bytes) {
  const auto behind = address_ranges().upper_bound(address);
  require(behind != address_ranges().begin());
  auto& [base, range] = *std::prev(behind);
  require(bytes != 0 && address - base < range.bytes && bytes <= range.bytes - (address - base));
  return range;
}

std::pair<const std::uint64_t, Mapping>& mapping_around(std::uint64_t address) {
  AddressRange& range = range_around(address, 1);
  const auto behind = range.mappings.upper_bound(address);
  require(behind != range.mappings.begin());
  auto& found = *std::prev(behind);
  require(address - found.first < found.second.bytes);
  return found;
}

}  // namespace aisp::sim
