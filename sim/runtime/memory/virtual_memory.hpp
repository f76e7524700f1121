// Memory that a program maps itself: addresses, physical memory and who may touch what of it.
// Guarded by Runtime::mutex; all throw ApiError.
#pragma once

#include <cstddef>
#include <cstdint>

#include "sim/runtime/memory/mapped_memory.hpp"

namespace aisp::sim {

std::uint64_t reserve_addresses_for_program(std::uint64_t bytes, std::uint64_t align);
void release_addresses(std::uint64_t base, std::uint64_t bytes);
bool is_of_program(std::uint64_t address);  // in a range that it has reserved

// A handle counts as one use, and so does every mapping; the last one gives the memory back.
std::uint64_t create_physical(int device, std::uint64_t bytes, bool shareable);
void release_physical(std::uint64_t handle);
std::uint64_t physical_at(std::uint64_t address);  // a further use of what is mapped there
const PhysicalMemory& memory_of(std::uint64_t handle);

void map_physical(std::uint64_t address, std::uint64_t bytes, std::uint64_t handle);
// Everything that may touch it has run.
void unmap(std::uint64_t address, std::uint64_t bytes);
// For one device.
void set_mapped_access(std::uint64_t address, std::uint64_t bytes, int device, MappedAccess access);
MappedAccess mapped_access(std::uint64_t address, int device);

}  // namespace aisp::sim
