// Where the elements of a box lie: in the tensor (or outside of it) and, swizzled, in shared
// memory. Plain arithmetic on a TensorMap; nothing here touches memory.
#pragma once

#include <cstdint>
#include <iterator>
#include <string>
#include <vector>

#include "sim/machine/tensor_map.hpp"

namespace aisp::sim {

// The swizzle exchanges address bits: bits from `to` upwards are XORed with as many from bit 7
// upwards, which count lines of 128 bytes.
struct SwizzleBits {
  std::uint32_t to, count;
};
inline constexpr SwizzleBits swizzle_bits[] = {{4, 0}, {4, 1}, {4, 2}, {4, 3},
                                               {5, 2}, {5, 2}, {6, 1}, {4, 1}};
static_assert(std::size(swizzle_bits) == static_cast<int>(Swizzle::count));

// Shared-memory address (of the block, from 0) at which the byte meant for `address` lies.
constexpr std::uint32_t swizzled(Swizzle swizzle, std::uint32_t address) {
  const SwizzleBits bits = swizzle_bits[static_cast<int>(swizzle)];
  const std::uint32_t lines = address >> 7 & ((1u << bits.count) - 1);
  address ^= lines << bits.to;
  // Every other line has the halves of its 16 bytes exchanged.
  if (swizzle == Swizzle::b128_atom32_flip8) address ^= (address >> 7 & 1) << 3;
  return address;
}
// Bytes that stay together.
constexpr std::uint32_t swizzle_chunk(Swizzle swizzle) {
  return swizzle == Swizzle::b128_atom32_flip8 ? 8 : 16;
}

// What a tensor instruction says beside its map.
struct TmaRequest {
  std::int32_t coordinate[5]{};  // innermost first; four rows: column, then the rows
  std::uint16_t offset[3]{};     // im2col: W, H, D
  std::uint16_t halo = 0;        // im2col along W: pixels behind the others
  bool four_rows = false;        // tile::gather4, tile::scatter4
  bool store = false;
};

// Consecutive bytes of the box.
struct BoxRow {
  std::uint64_t address = 0;       // of byte 0 in global memory
  std::uint32_t from = 0, to = 0;  // bytes [from, to) lie inside of the tensor
};

struct BoxShape {
  std::uint32_t row_bytes = 0;  // of global memory
  std::uint32_t width = 0;      // what a row takes in shared memory: more where elements are padded
  std::uint32_t pitch = 0;      // from row to row there, before swizzling
  std::uint32_t rows = 0;
  bool padded() const { return width != row_bytes; }
  std::uint32_t bytes() const { return row_bytes * rows; }  // what an mbarrier counts
  std::uint32_t extent() const { return pitch * rows; }
};

BoxShape box_shape(const TensorMap& map, const TmaRequest& request);
// In the order in which they lie in shared memory.
void box_rows(const TensorMap& map, const TmaRequest& request, std::vector<BoxRow>& rows);
// The rule that the request breaks, with its numbers; empty when it is fine. The map is valid.
std::string why_refused(const TensorMap& map, const TmaRequest& request);

}  // namespace aisp::sim
