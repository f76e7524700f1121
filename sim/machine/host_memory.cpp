#include "sim/machine/host_memory.hpp"

#include <cinttypes>
#include <cstdio>
#include <memory>

namespace aisp::sim {

std::optional<HostPiece> host_piece(std::uint64_t address) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> maps(std::fopen("/proc/self/maps", "re"),
                                                             std::fclose);
  char line[512];
  while (maps && std::fgets(line, sizeof line, maps.get()) != nullptr) {
    HostPiece piece;
    char may[5] = {};  // "rw-p"
    if (std::sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s", &piece.low, &piece.high, may) != 3 ||
        address >= piece.high)
      continue;
    piece.writable = may[1] == 'w';
    return address >= piece.low && may[0] == 'r' ? std::optional(piece) : std::nullopt;
  }
  return std::nullopt;
}

bool host_covers(std::uint64_t address, std::uint64_t bytes, bool write) {
  while (true) {
    const auto piece = host_piece(address);
    if (!piece || (write && !piece->writable)) return false;
    if (bytes <= piece->high - address) return true;
    bytes -= piece->high - address;
    address = piece->high;
  }
}

}  // namespace aisp::sim
