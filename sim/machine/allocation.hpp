// A piece of global memory that lives: what it is, where, and whose.
#pragma once

#include <cstdint>
#include <string>

namespace aisp::sim {

enum class MemoryKind : std::uint8_t {
  device,
  heap,  // of malloc and new in kernels
  pinned,
  managed,
  module_global,
  module_const,
  params
};

struct Allocation {
  std::uint64_t base = 0, bytes = 0;
  MemoryKind kind{};
  bool read_only = false;  // for kernels
  std::uint64_t id = 0;    // in order of allocation, from 1
  std::string name;        // of a module's variable
  int device = 0;          // whose it is; of host memory: current when it was allocated
  // From a pool, which says who reaches it (a bit per device); other memory is everybody's who has
  // access to the device.
  bool pooled = false;
  std::uint32_t reach = 0;
  std::uint64_t end() const { return base + bytes; }
};

}  // namespace aisp::sim
