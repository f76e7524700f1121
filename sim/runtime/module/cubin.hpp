// Machine code cannot run here, but what ptxas decided is in it: registers and local memory of each
// kernel, which occupancy depends on.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace aisp::sim {

struct KernelResources {
  int registers = 0;    // per thread
  int local_bytes = 0;  // per thread
};

// By kernel name; empty when the image cannot be understood.
std::map<std::string, KernelResources> read_cubin(std::string_view elf);

}  // namespace aisp::sim
