#include "sim/runtime/memory/process_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <random>
#include <string>

#include "sim/runtime/state/error.hpp"

namespace aisp::sim {
namespace {

std::string name_of_key(std::uint64_t key) { return base::say("aisp-shared-", key); }

}  // namespace

FilePlace make_file(std::uint64_t bytes) {
  FilePlace place;
  std::random_device random;
  place.key = std::uint64_t{random()} << 32 | random();
  place.process = getpid();
  place.bytes = bytes;
  place.file = memfd_create(name_of_key(place.key).c_str(), MFD_CLOEXEC);
  require(place.file >= 0, cudaErrorMemoryAllocation);
  if (ftruncate(place.file, static_cast<off_t>(bytes)) == 0) return place;
  close(place.file);
  throw ApiError{cudaErrorMemoryAllocation};
}

int open_file(const FilePlace& place) {
  const std::string path = base::say("/proc/", place.process, "/fd/", place.file);
  char target[128];
  const ssize_t length = readlink(path.c_str(), target, sizeof target);
  const std::string expected = "/memfd:" + name_of_key(place.key);
  require(length > 0 && std::string(target, static_cast<std::size_t>(length)).starts_with(expected),
          cudaErrorInvalidResourceHandle);
  const int file = open(path.c_str(), O_RDWR | O_CLOEXEC);
  require(file >= 0, cudaErrorInvalidResourceHandle);
  return file;
}

void* map_file(int file, std::uint64_t bytes, void* at) {
  void* mapped = mmap(at, bytes, PROT_READ | PROT_WRITE,
                      MAP_SHARED | (at != nullptr ? MAP_FIXED : 0), file, 0);
  return mapped == MAP_FAILED ? nullptr : mapped;
}

void unmap_file_at(void* at, std::uint64_t bytes) {
  mmap(at, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED,
       -1, 0);
}

}  // namespace aisp::sim
