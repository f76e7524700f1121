// Multicast objects as kernels see them: an address that stands for the same place in the memory of
// every device of a team. Only multimem instructions reach it.
#pragma once

#include <cstdint>
#include <vector>

namespace aisp::sim {

// Bytes [offset, offset + bytes) of the object are the device's at `address`.
struct MulticastPart {
  int device = 0;
  std::uint64_t offset = 0, bytes = 0, address = 0;
};

// Where one is mapped, from its first byte on.
struct MulticastRange {
  std::uint64_t base = 0, bytes = 0;
  std::uint64_t object = 0;              // its handle
  std::uint32_t reach = 0, writers = 0;  // devices that may read it, and write: a bit each
  std::vector<int> team;                 // devices, in the order in which they were added
  std::vector<MulticastPart> parts;
  bool contains(std::uint64_t address) const { return address - base < bytes; }
};
using MulticastTable = std::vector<MulticastRange>;

// Null: the address is none.
const MulticastRange* multicast_at(const MulticastTable& table, std::uint64_t address);

}  // namespace aisp::sim
