// Device memory of two processes: an allocation's pages become those of a file when it is exported,
// and an allocation of the other process has the same file's pages.
#pragma once

#include <cstdint>
#include <functional>

#include "sim/runtime/memory/segment.hpp"

namespace aisp::sim {

// Calls what it is given when no operation of a device is under way: nobody writes what is copied.
using BetweenOperations = std::function<void(const std::function<void()>&)>;

// Of the allocation that holds the address: the program's own, from cudaMalloc or, `pooled`, from a
// pool. Throws ApiError.
SegmentHandle export_memory(const void* pointer, const BetweenOperations& between_operations,
                            bool pooled = false);
// The start of the allocation; the same one when it is open already. Throws ApiError.
void* import_memory(const SegmentHandle& handle);
// True: it was closed as often as it was opened, and is to be released.
bool close_import(const void* pointer);
bool is_imported(std::uint64_t base);

// Before the allocation is given back: its pages are its own again.
void unshare_memory(std::uint64_t base, std::uint64_t bytes);

}  // namespace aisp::sim
