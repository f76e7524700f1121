// Multicast objects: teams of devices and the memory that each of them has bound to the object.
// Guarded by Runtime::mutex; all throw ApiError. Handles are those of sim::create_physical, and so
// are mapping, access and release.
#pragma once

#include <cstddef>
#include <cstdint>

namespace aisp::sim {

std::uint64_t create_multicast(std::size_t devices, std::uint64_t bytes);
void add_to_multicast(std::uint64_t handle, int device);

// How many devices are still to be added; 0 of memory that is no multicast object.
struct MissingDevices {
  std::size_t added = 0, devices = 0;
  bool any() const { return added < devices; }
};
MissingDevices missing_devices(std::uint64_t handle);

void bind_to_multicast(std::uint64_t handle, std::uint64_t offset, std::uint64_t memory,
                       std::uint64_t memory_offset, std::uint64_t bytes);
// Memory by the address at which it is mapped.
void bind_address_to_multicast(std::uint64_t handle, std::uint64_t offset, std::uint64_t address,
                               std::uint64_t bytes);
// Exactly what was bound. Everything that may touch it has run.
void unbind_from_multicast(std::uint64_t handle, int device, std::uint64_t offset,
                           std::uint64_t bytes);

void show_multicast();  // to kernels, after anything mapped or bound has changed

}  // namespace aisp::sim
