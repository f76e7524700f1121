// Memory of the process that the program has told nobody about: what a device with a coherent link
// to its host reaches as it is.
#pragma once

#include <cstdint>
#include <optional>

namespace aisp::sim {

struct HostPiece {
  std::uint64_t low = 0, high = 0;
  bool writable = false;
};

// The mapping around the address, as the system tells it now; nothing where none can be read.
std::optional<HostPiece> host_piece(std::uint64_t address);

// Whether the process itself could read all these bytes, or write them.
bool host_covers(std::uint64_t address, std::uint64_t bytes, bool write);

}  // namespace aisp::sim
