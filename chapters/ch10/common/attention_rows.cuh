// How rows of a head lie in shared memory, get there and leave it: boxes of 64 columns, 128 bytes a
// line, whose 16-byte units are exchanged by line % 8, as TMA and wgmma have it.
#pragma once

#include "chapters/ch10/common/attention_softmax.cuh"
#include "tile/arch/cp_async.cuh"
#include "tile/tiled/tiled_copy.hpp"

namespace aisp::ch10 {

// Rows of queries or keys, multiplied along the row; and of values, multiplied across rows.
TILE_FN tile::OperandTile rows_tile(int rows, int size) {
  return {.element = tile::Element::bf16, .major = tile::Major::k, .rows = rows, .k = size};
}
TILE_FN tile::OperandTile values_tile(int rows, int size) {
  return {.element = tile::Element::bf16, .major = tile::Major::mn, .rows = size, .k = rows};
}

// The start of dynamic shared memory is aligned to 16 bytes only.
template <class Shared>
TILE_DEVICE Shared& aligned_shared() {
  extern __shared__ char raw[];
  return *reinterpret_cast<Shared*>(raw + (1024 - arch::shared_address(raw) % 1024) % 1024);
}

// The first row of a head of a tensor (heads, rows, size) of bf16.
TILE_DEVICE const void* head_of(const void* tensor, int head, int rows, int size) {
  return static_cast<const char*>(tensor) + static_cast<std::int64_t>(head) * rows * (size * 2);
}

// Rows [first, first + the tile's lines) of a head by all threads; zeros past its last row.
template <tile::OperandTile tile, int threads>
TILE_DEVICE void copy_rows(char* to, const void* head, int first, int rows) {
  using Plan = tile::CopyPlan<tile, threads>;
  // Opaque: else the compiler keeps addresses in registers that the products need.
  const int thread = arch::opaque(static_cast<int>(threadIdx.x)), line = Plan::line(thread, 0);
  const std::uint32_t start = arch::shared_address(to);
  const char* from = static_cast<const char*>(head) +
                     static_cast<std::int64_t>(first + line) * tile.line_bytes() +
                     Plan::byte(thread);
#pragma unroll
  for (int i = 0; i < Plan::count; ++i) {
    const int ahead = i * Plan::lines_at_once;
    arch::cp_async_16(start + Plan::offset(thread, i), from + ahead * tile.line_bytes(),
                      first + line + ahead < rows ? 16 : 0);
  }
}

// A warp's 16 rows from `row` on: accumulators as bf16 into the tile at `to`, which nobody else
// uses there.
template <tile::OperandTile tile, int count>
TILE_DEVICE void stage_rows(char* to, const float (&accumulators)[count], int row) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  char* line = to + (row + lane / 4) * 128 + lane % 4 * 4;
#pragma unroll
  for (int unit = 0; unit < count / 4; ++unit) {
    char* at = line + unit / 8 * tile.panel_bytes() + (unit % 8 ^ lane / 4) * 16;
    *reinterpret_cast<std::uint32_t*>(at) =
        arch::pack_bf16(accumulators[4 * unit], accumulators[4 * unit + 1]);
    *reinterpret_cast<std::uint32_t*>(at + 8 * 128) =
        arch::pack_bf16(accumulators[4 * unit + 2], accumulators[4 * unit + 3]);
  }
}

// A warp's `count` rows from `row` of the tile on, to `out` where there are `left` of them at most.
template <tile::OperandTile tile, int count>
TILE_DEVICE void store_rows(char* out, const char* from, int row, int left) {
  constexpr int units = tile.k * 2 / 16;  // of a row
  const int lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll
  for (int i = 0; i < count * units / 32; ++i) {
    const int line = (i * 32 + lane) / units, unit = (i * 32 + lane) % units;
    const char* at = from + unit / 8 * tile.panel_bytes() + (row + line) * 128 +
                     (unit % 8 ^ (row + line) % 8) * 16;
    if (line < left)
      *reinterpret_cast<uint4*>(out + (line * units + unit) * 16) =
          *reinterpret_cast<const uint4*>(at);
  }
}

}  // namespace aisp::ch10
