// Pinned host memory: allocated here, or the program's own made known.
#pragma once

#include <cstddef>

#include "sim/machine/memory.hpp"

namespace aisp::sim {

// `flags` are those of cudaHostAlloc and cudaHostRegister, already judged. All throw ApiError.
void* allocate_pinned(std::size_t bytes, unsigned flags);
void adopt_pinned(void* pointer, std::size_t bytes, unsigned flags);
// Both after everything that may use it has run.
void release_pinned(void* pointer);
void disown_pinned(void* pointer);

// The pinned allocation that holds the address.
Allocation pinned_at(const void* pointer);
void require_own_pinned(void* pointer);      // from allocate_pinned
void require_program_memory(void* pointer);  // not allocated here
unsigned pinned_flags(const void* pointer);

}  // namespace aisp::sim
