// Device, managed and pinned memory of the current device.
#pragma once

#include <cstddef>

#include "sim/machine/memory.hpp"
#include "sim/runtime/state/cuda.hpp"

namespace aisp::sim {

// Null for 0 bytes. Throws ApiError{cudaErrorMemoryAllocation}.
void* allocate_memory(std::size_t bytes, MemoryKind kind);
// Rows of allocations for 2D and 3D copies begin at multiples of it.
std::size_t pitch_of(std::size_t width);
// The allocation that cudaFree may free at this address. Throws ApiError.
Allocation freeable(const void* pointer);
// The caller has waited for what may use it. Throws ApiError.
void release_memory(void* pointer);
// All that the program allocated on the device, for its reset; the device is at rest.
void release_memory_of(int device);

// Managed memory lies where host and device both reach it: hints are judged and have no effect.
// Throws ApiError.
void require_managed(const void* pointer, std::size_t bytes);
bool is_location(const cudaMemLocation& location);

}  // namespace aisp::sim
