// Memory that a program maps itself: addresses, physical memory and who may touch what of it.
// Guarded by Runtime::mutex; all throw ApiError.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "sim/runtime/state/cuda.hpp"

namespace aisp::sim {

inline constexpr std::uint64_t mapping_unit = 2 << 20;  // bytes: all sizes and offsets

struct PhysicalMemory;

std::uint64_t reserve_addresses_for_program(std::uint64_t bytes, std::uint64_t align);
void release_addresses(std::uint64_t base, std::uint64_t bytes);

// A handle counts as one use, and so does every mapping; the last one gives the memory back.
std::uint64_t create_physical(int device, std::uint64_t bytes);
void release_physical(std::uint64_t handle);
std::uint64_t physical_at(std::uint64_t address);  // a further use of what is mapped there
int device_of_physical(std::uint64_t handle);

void map_physical(std::uint64_t address, std::uint64_t bytes, std::uint64_t handle);
// Everything that may touch it has run.
void unmap(std::uint64_t address, std::uint64_t bytes);
// For one device: none, reading, or both.
enum class MappedAccess : std::uint8_t { none, read, read_write };
void set_mapped_access(std::uint64_t address, std::uint64_t bytes, int device, MappedAccess access);
MappedAccess mapped_access(std::uint64_t address, int device);

}  // namespace aisp::sim
