// What an argument of a copy or a fill points to.
#pragma once

#include <cstddef>
#include <optional>

#include "sim/machine/memory.hpp"

namespace aisp::sim {

// The allocation that holds all `bytes`, nothing for pageable host memory. Throws
// ApiError{cudaErrorInvalidValue} for null, for device addresses where nothing lives, and for
// ranges that leave their allocation.
std::optional<Allocation> judge_range(const void* pointer, std::size_t bytes);

// The same, and pageable memory is refused as well.
Allocation require_device(const void* pointer, std::size_t bytes);

// A peer copy names the device whose memory it is about. Throws ApiError when it is another's.
void require_on(const void* pointer, int device);

// Bytes from the first to the last one touched by rows and planes.
std::size_t extent_of(std::size_t width, std::size_t height, std::size_t depth, std::size_t pitch,
                      std::size_t plane);

}  // namespace aisp::sim
