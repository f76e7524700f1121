#include "sim/runtime/memory/segment.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/runtime/state/error.hpp"

namespace aisp::sim {
namespace {

constexpr std::uint32_t handle_mark = 0x61697370;  // "aisp"

struct stat status_of(int file) {
  struct stat status {};
  if (fstat(file, &status) != 0) status = {};
  return status;
}

constexpr const char* shareable_name = "aisp-shareable:";
constexpr int shareable_seals = F_SEAL_SHRINK | F_SEAL_GROW;

}  // namespace

std::uint64_t identity_of(int file) { return static_cast<std::uint64_t>(status_of(file).st_ino); }

int create_shareable(const std::string& label, std::uint64_t bytes) {
  const int file = memfd_create((shareable_name + label).c_str(), MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (file >= 0 && ftruncate(file, static_cast<off_t>(bytes)) == 0 &&
      fcntl(file, F_ADD_SEALS, shareable_seals) == 0)
    return file;
  if (file >= 0) close(file);
  throw ApiError{cudaErrorMemoryAllocation};
}

std::optional<Shareable> read_shareable(int descriptor) {
  const int seals = descriptor < 0 ? -1 : fcntl(descriptor, F_GET_SEALS);
  if (seals < 0 || (seals & shareable_seals) != shareable_seals) return std::nullopt;
  char target[256] = {};
  const std::string link = base::say("/proc/self/fd/", descriptor);
  if (readlink(link.c_str(), target, sizeof target - 1) <= 0) return std::nullopt;
  // "/memfd:NAME (deleted)"
  const std::string name = target, start = std::string("/memfd:") + shareable_name;
  if (!name.starts_with(start)) return std::nullopt;
  const std::size_t end = name.rfind(" (deleted)");
  const struct stat status = status_of(descriptor);
  return Shareable{name.substr(start.size(), end - start.size()),
                   static_cast<std::uint64_t>(status.st_size),
                   static_cast<std::uint64_t>(status.st_ino)};
}

int duplicate_for_program(int file) {
  const int copy = dup(file);
  require(copy >= 0, cudaErrorOperatingSystem);
  return copy;
}

int create_segment(std::uint64_t bytes) {
  const int file = memfd_create("aisp", MFD_CLOEXEC);
  if (file >= 0 && ftruncate(file, static_cast<off_t>(bytes)) == 0) return file;
  if (file >= 0) close(file);
  throw ApiError{cudaErrorMemoryAllocation};
}

SegmentHandle handle_of_segment(int file, SegmentKind kind, std::uint64_t bytes, int device) {
  return {.mark = handle_mark,
          .kind = kind,
          .process = static_cast<std::int32_t>(getpid()),
          .file = file,
          .identity = identity_of(file),
          .bytes = bytes,
          .device = device};
}

// What the handle states is the other process's word: pages behind the file's end would fault.
int open_segment(const SegmentHandle& handle, SegmentKind kind, std::uint64_t least) {
  require(handle.mark == handle_mark && handle.kind == kind && handle.device >= 0 &&
          handle.bytes >= least);
  require(handle.process != getpid(), cudaErrorDeviceUninitialized);
  const std::string path = base::say("/proc/", handle.process, "/fd/", handle.file);
  const int file = open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (file >= 0 && identity_of(file) == handle.identity &&
      handle.bytes <= static_cast<std::uint64_t>(status_of(file).st_size))
    return file;
  if (file >= 0) close(file);
  throw ApiError{cudaErrorInvalidValue};
}

void* map_segment(int file, std::uint64_t bytes) {
  void* mapped = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  require(mapped != MAP_FAILED, cudaErrorMemoryAllocation);
  return mapped;
}

}  // namespace aisp::sim
