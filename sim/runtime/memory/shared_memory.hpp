// Device memory that another process opens. Each process simulates its own devices: what one wrote
// is there for the other when the two synchronise. Guarded by Runtime::mutex; all throw ApiError.
#pragma once

#include "sim/runtime/memory/process_file.hpp"

namespace aisp::sim {

// Of cudaMalloc, and at rest: its pages become those of a file.
FilePlace share_memory(void* pointer);
void stop_sharing(void* pointer);  // it is about to be freed; others keep what they opened

// The same address for the same memory, as often as it is opened.
void* open_shared(const FilePlace& place);
// Everything that may touch it has run.
void close_shared(void* pointer);

}  // namespace aisp::sim
