// Device memory of two processes: an allocation's pages become those of a file when it is exported,
// and an allocation of the other process has the same file's pages.
#pragma once

#include <cstdint>

#include "sim/runtime/memory/segment.hpp"

namespace aisp::sim {

// Of the allocation that holds the address: the program's own, from cudaMalloc. Throws ApiError.
SegmentHandle export_memory(const void* pointer);
// The start of the allocation; the same one when it is open already. Throws ApiError.
void* import_memory(const SegmentHandle& handle);
void close_import(void* pointer);  // as often as it was opened
bool is_imported(std::uint64_t base);

// Before the allocation is given back: its pages are its own again.
void unshare_memory(std::uint64_t base, std::uint64_t bytes);

}  // namespace aisp::sim
