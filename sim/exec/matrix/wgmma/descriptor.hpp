// The 64-bit descriptor of a matrix in shared memory that wgmma takes, and where it puts elements.
#pragma once

#include <bit>
#include <cstdint>

namespace aisp::sim {

// Bits 0-13 start address, 16-29 leading byte offset, 32-45 stride byte offset (all / 16),
// 49-51 base offset, 62-63 swizzle (0 none, 1 128 bytes, 2 64 bytes, 3 32 bytes).
struct MatrixDescriptor {
  std::uint32_t start = 0, leading = 0, stride = 0;  // bytes
  std::uint32_t base_offset = 0;
  std::uint32_t width = 16;  // bytes of a swizzled row: 32, 64, 128; 16 without swizzle

  static constexpr MatrixDescriptor of(std::uint64_t bits) {
    constexpr std::uint32_t widths[4] = {16, 128, 64, 32};
    const auto bytes_at = [bits](int first) {
      return static_cast<std::uint32_t>(bits >> first & 0x3fff) << 4;
    };
    return {bytes_at(0), bytes_at(16), bytes_at(32), static_cast<std::uint32_t>(bits >> 49 & 7),
            widths[bits >> 62]};
  }

  // The pattern repeats every 8 rows of 128 bytes: address bits 4-6 are XORed with bits 7-9, as
  // many of them as the width has. The base offset shifts the pattern's first row.
  constexpr std::uint32_t swizzled(std::uint32_t address) const {
    const std::uint32_t row = (address >> 7) - base_offset;
    return address ^ (row & (width / 16 - 1)) << 4;
  }

  // A row has a power of two of chunks: this is asked for every chunk, and a division is slow.
  constexpr std::uint32_t chunk_in_row(std::uint32_t chunk) const {
    return chunk & (width / 16 - 1);
  }
  constexpr std::uint32_t row_of_chunks(std::uint32_t chunk) const {
    return chunk >> std::countr_zero(width / 16);
  }

  // Core matrices are 8 rows of 16 bytes. Address of 16 bytes of a K-major matrix: row `row` of M
  // or N, `chunk` counts 16 bytes along K. Swizzled rows hold width / 16 chunks next to each other;
  // beyond them, or without swizzle, chunks are `leading` apart. Groups of 8 rows: `stride`.
  constexpr std::uint32_t k_major(std::uint32_t row, std::uint32_t chunk) const {
    return swizzled(start + row % 8 * width + row / 8 * stride + chunk_in_row(chunk) * 16 +
                    row_of_chunks(chunk) * leading);
  }

  // The same of an MN-major matrix: `chunk` counts 16 bytes along M or N, `k` rows. Without swizzle
  // chunks are `stride` apart and groups of 8 k `leading`; with it, it is the other way round.
  constexpr std::uint32_t mn_major(std::uint32_t chunk, std::uint32_t k) const {
    const std::uint32_t along_mn = width == 16 ? stride : leading;
    const std::uint32_t along_k = width == 16 ? leading : stride;
    return swizzled(start + chunk_in_row(chunk) * 16 + row_of_chunks(chunk) * along_mn +
                    k % 8 * width + k / 8 * along_k);
  }
};

}  // namespace aisp::sim
