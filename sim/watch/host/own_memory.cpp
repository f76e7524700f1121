#include "sim/watch/host/own_memory.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cstdint>

namespace aisp::sim::watch {
namespace {

int own_memory() {  // negative: there is none
  static const int file = ::open("/proc/self/mem", O_RDWR | O_CLOEXEC);
  return file;
}

}  // namespace

bool peek(void* to, const void* from, std::size_t bytes) {
  const auto at = static_cast<off_t>(reinterpret_cast<std::uint64_t>(from));
  return pread(own_memory(), to, bytes, at) == static_cast<ssize_t>(bytes);
}

bool poke(void* to, const void* from, std::size_t bytes) {
  const auto at = static_cast<off_t>(reinterpret_cast<std::uint64_t>(to));
  return pwrite(own_memory(), from, bytes, at) == static_cast<ssize_t>(bytes);
}

}  // namespace aisp::sim::watch
