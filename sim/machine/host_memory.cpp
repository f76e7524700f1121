#include "sim/machine/host_memory.hpp"

#include <cstdio>
#include <cstdlib>
#include <memory>

namespace aisp::sim {

std::optional<HostPiece> host_piece(std::uint64_t address) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> maps(std::fopen("/proc/self/maps", "re"),
                                                             std::fclose);
  char line[512];
  while (maps && std::fgets(line, sizeof line, maps.get()) != nullptr) {
    HostPiece piece;
    char* end = nullptr;
    piece.low = std::strtoull(line, &end, 16);
    if (*end != '-') continue;
    piece.high = std::strtoull(end + 1, &end, 16);
    if (*end != ' ' || address >= piece.high) continue;
    const char* const may = end + 1;  // "rw-p"
    piece.writable = may[0] != '\0' && may[1] == 'w';
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
