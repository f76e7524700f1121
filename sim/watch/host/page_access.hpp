// What the process may do with a page at this moment, as the kernel has it. For handlers of
// signals: no memory is allocated, and only system calls that handlers may use are made.
#pragma once

#include <cstdint>

namespace aisp::sim::watch {

enum class PageAccess : std::uint8_t { read, write, execute };

// False also where nothing is mapped, and where the kernel does not show its mappings.
bool permits(std::uint64_t address, PageAccess access);

}  // namespace aisp::sim::watch
