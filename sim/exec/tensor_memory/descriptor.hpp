// The 64-bit descriptor of a matrix in shared memory that tcgen05.mma and cp take, and where it
// puts 16-byte chunks.
#pragma once

#include <cstdint>
#include <string>

namespace aisp::sim {

// Bits 0-13 start address, 16-29 leading byte offset, 32-45 stride byte offset (all / 16), 46-48
// 0b001, 49-51 base offset, 52 leading offset is an address, 61-63 swizzle.
struct TensorDescriptor {
  enum class Swizzle : std::uint8_t { none, b128_atom32, b128, invalid3, b64, invalid5, b32 };

  std::uint32_t start = 0, leading = 0, stride = 0;  // bytes
  std::uint32_t base_offset = 0;
  Swizzle swizzle = Swizzle::none;

  static constexpr TensorDescriptor of(std::uint64_t bits) {
    const auto bytes_at = [bits](int first) {
      return static_cast<std::uint32_t>(bits >> first & 0x3fff) << 4;
    };
    return {bytes_at(0), bytes_at(16), bytes_at(32), static_cast<std::uint32_t>(bits >> 49 & 7),
            static_cast<Swizzle>(bits >> 61)};
  }

  // Empty: it is one that the instructions take.
  static std::string why_invalid(std::uint64_t bits);
  // The same of bits 49-51. Patterns that begin at a multiple of their size have none, wherever in
  // one the matrix starts; of others it tells the line of the start address, in lines of 128 bytes.
  std::string why_wrong_base() const;

  // Bytes of a row that the swizzle works on; 16 without.
  constexpr std::uint32_t width() const {
    switch (swizzle) {
      case Swizzle::none:
        return 16;
      case Swizzle::b64:
        return 64;
      case Swizzle::b32:
        return 32;
      default:
        return 128;
    }
  }

  // Lines of 128 bytes after which the swizzle begins again.
  constexpr std::uint32_t lines() const {
    return swizzle == Swizzle::b128_atom32 ? 4 : width() / 16;
  }

  // 128 bytes: address bits 4-6 are XORed with bits 7-9; 64: 4-5 with 7-8; 32: 4 with 7; 128 with
  // atoms of 32 bytes: 5-6 with 7-8. The base offset shifts the pattern's first row.
  constexpr std::uint32_t swizzled(std::uint32_t address) const {
    const std::uint32_t row = (address >> 7) - base_offset;
    return address ^ (row & (lines() - 1)) << (swizzle == Swizzle::b128_atom32 ? 5 : 4);
  }

  // Chunk `chunk` along K of row `row` of M or N. In swizzled rows chunks stand next to each other.
  constexpr std::uint32_t k_major(std::uint32_t row, std::uint32_t chunk) const {
    const std::uint32_t along = swizzle == Swizzle::none ? leading : 16;
    return swizzled(start + row % 8 * width() + row / 8 * stride + chunk * along);
  }

  // Chunk `chunk` along M or N of row `k`.
  constexpr std::uint32_t mn_major(std::uint32_t chunk, std::uint32_t k) const {
    if (swizzle == Swizzle::none) return start + k % 8 * 16 + k / 8 * leading + chunk * stride;
    const std::uint32_t chunks = width() / 16;
    const std::uint32_t rows = swizzle == Swizzle::b128_atom32 ? 4 : 8;
    return swizzled(start + chunk % chunks * 16 + chunk / chunks * leading + k % rows * width() +
                    k / rows * stride);
  }
};

}  // namespace aisp::sim
