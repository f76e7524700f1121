// Memory that another process can map as well: an unnamed file of this one, found there through
// /proc as long as this process lives.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>

namespace aisp::sim {

enum class SegmentKind : std::uint32_t { memory = 1, event = 2 };

// What a program hands to another process in 64 bytes of cudaIpc*Handle_t.
struct SegmentHandle {
  std::uint32_t mark = 0;  // that it is one
  SegmentKind kind{};
  std::int32_t process = 0, file = -1;
  std::uint64_t identity = 0;  // of the file: its number may have been given to another since
  std::uint64_t bytes = 0;     // that the program asked for
  std::int32_t device = 0;
  std::uint32_t unused = 0;  // handles are compared byte by byte: there is no padding
};
static_assert(sizeof(SegmentHandle) <= 64 && std::is_trivially_copyable_v<SegmentHandle> &&
              std::has_unique_object_representations_v<SegmentHandle>);

// A file of so many bytes; throws ApiError{cudaErrorMemoryAllocation}. The caller closes it.
int create_segment(std::uint64_t bytes);
SegmentHandle handle_of_segment(int file, SegmentKind kind, std::uint64_t bytes, int device);
// The same file, opened here, with the bytes that the handle states: `least` or more. Throws
// ApiError: cudaErrorInvalidResourceHandle for what is no handle of that kind or is gone,
// cudaErrorDeviceUninitialized for one of this process, as CUDA does.
int open_segment(const SegmentHandle& handle, SegmentKind kind, std::uint64_t least);
// Files whose descriptors the program itself hands to other processes: what is in `label` comes
// back from the descriptor, and the size cannot be changed any more. `bytes`: of the file. The name
// and the seals distinguish such a file from every other. Throws ApiError.
int create_shareable(const std::string& label, std::uint64_t bytes);
struct Shareable {
  std::string label;
  std::uint64_t bytes = 0, identity = 0;
};
std::optional<Shareable> read_shareable(int descriptor);  // none: it is no such file
// For the program, which closes it: also for a process that it starts.
int duplicate_for_program(int file);
std::uint64_t identity_of(int file);

// The whole file at an address of the system's choice.
void* map_segment(int file, std::uint64_t bytes);

}  // namespace aisp::sim
