// Stream-ordered memory. A pool keeps counts and settings; the memory itself comes from its
// device's.
#pragma once

#include <cstddef>
#include <cstdint>

#include "sim/cudart/api.hpp"

namespace sim {

// What the task of a ReleaseCall does: the memory is gone from here on in stream order.
void release_to_pool(void* memory);

// The same as far as the pool's counts go; release_to_pool() follows some time later.
void retire_in_pool(void* memory);

// The memory is freed by cudaFree: the pool it came from stops counting it.
void forget_in_pool(void* memory);

// The device that gets access, as a bit; 0 for one that loses it. Throws ApiError.
std::uint32_t bit_of_access(const cudaMemAccessDesc& access);

}  // namespace sim
