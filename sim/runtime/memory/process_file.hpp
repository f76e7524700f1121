// Memory that several processes map: a file without a name, found by others through the process
// that made it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace aisp::sim {

// What a program hands to another process; it fits into the handles of CUDA.
struct FilePlace {
  std::uint64_t key = 0;  // of this file alone
  std::int32_t process = 0, file = -1;
  std::uint64_t bytes = 0;
  std::uint64_t offset = 0, used = 0;  // where in it what is shared lies
  std::uint32_t device = 0, kind = 0;
};
static_assert(sizeof(FilePlace) <= 64);

FilePlace make_file(std::uint64_t bytes);  // throws ApiError{cudaErrorMemoryAllocation}
// A descriptor of it in this process. Throws ApiError{cudaErrorInvalidResourceHandle} where it is
// gone.
int open_file(const FilePlace& place);
// Maps it; at an address that is the caller's, or anywhere. Null: it cannot be.
void* map_file(int file, std::uint64_t bytes, void* at = nullptr);
void unmap_file_at(void* at, std::uint64_t bytes);  // plain memory takes its place

}  // namespace aisp::sim
