// What stands behind memory that a program maps itself, under Runtime::mutex; all throw ApiError.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "sim/runtime/state/runtime.hpp"

namespace aisp::sim {

inline constexpr std::uint64_t mapping_unit = 2 << 20;  // bytes: all sizes and offsets

// Of one device: none, reading, or both.
enum class MappedAccess : std::uint8_t { none, read, read_write };

// A file without a name, so that it can be at several addresses at once and move between them.
struct PhysicalMemory {
  PhysicalMemory(int on, std::uint64_t size, bool can_be_shared);
  // Of another process, or of this one: takes the file over.
  PhysicalMemory(int on, std::uint64_t size, int shared_file);
  PhysicalMemory(const PhysicalMemory&) = delete;
  PhysicalMemory& operator=(const PhysicalMemory&) = delete;
  ~PhysicalMemory();
  void map_at(std::uint64_t address) const;
  std::uint64_t view();  // addresses of its own, for who has to reach it unmapped

  int device = 0, file = -1;
  bool shareable = false;  // its handle may leave the process
  std::uint64_t bytes = 0;

 private:
  void give_back();
  std::uint64_t view_ = 0;
};

// Memory of one device that stands in a part of a multicast object.
struct MulticastBinding {
  std::shared_ptr<PhysicalMemory> memory;
  std::uint64_t memory_offset = 0, offset = 0, bytes = 0;
};
struct Multicast {
  std::uint64_t handle = 0, bytes = 0;
  std::size_t devices = 0;  // that the team will have
  std::vector<int> team;
  std::vector<MulticastBinding> bindings;
};

// One of the two is mapped.
struct Mapping {
  std::uint64_t bytes = 0;
  std::shared_ptr<PhysicalMemory> physical;
  std::shared_ptr<Multicast> multicast;
  std::array<MappedAccess, most_devices> access{};
};

struct AddressRange {
  std::uint64_t bytes = 0;
  std::map<std::uint64_t, Mapping> mappings;
  std::map<std::uint64_t, std::uint64_t> exposed;  // base -> bytes, as Memory knows it
};
std::map<std::uint64_t, AddressRange>& address_ranges();
AddressRange& range_around(std::uint64_t address, std::uint64_t bytes);  // that has all of it
// What is mapped at the address: its base and the mapping.
std::pair<const std::uint64_t, Mapping>& mapping_around(std::uint64_t address);

struct PhysicalHandle {
  std::shared_ptr<PhysicalMemory> memory;
  std::shared_ptr<Multicast> multicast;
  int uses = 1;
};
std::map<std::uint64_t, PhysicalHandle>& physical_handles();
std::uint64_t new_handle(PhysicalHandle physical);
PhysicalHandle& physical_of(std::uint64_t handle);

// A descriptor for the program, and the memory that one stands for, of whichever process.
int export_physical(std::uint64_t handle);
std::uint64_t import_physical(int descriptor);

// Addresses of a program at which nothing is, as they were when they were reserved.
bool map_nothing(std::uint64_t address, std::uint64_t bytes);

inline void require_units(std::uint64_t value) { require(value % mapping_unit == 0); }

// A bit for each device that has at least this access.
std::uint32_t devices_with(const Mapping& mapping, MappedAccess least);

}  // namespace aisp::sim
