// How a warp writes its fragments of the output to a swizzled subtile in shared memory, from where
// TMA stores it.
#pragma once

#include "tile/arch/stmatrix.cuh"
#include "tile/arch/warp.cuh"
#include "tile/atom/convert.hpp"
#include "tile/collective/epilogue/staging_layout.hpp"
#include "tile/collective/epilogue/tree.hpp"
#include "tile/tiled/operand_layout.hpp"

namespace aisp::tile {

TILE_DEVICE int lane() { return static_cast<int>(threadIdx.x) % 32; }
// The first of the 16 rows of a warpgroup's 64 whose accumulators this warp holds.
TILE_DEVICE int warp_row() { return static_cast<int>(threadIdx.x) / 32 % 4 * 16; }

struct NoStaging {};

// The first row of this warp in a subtile: of its own, or of the warpgroup's.
template <OperandTile subtile>
TILE_DEVICE int subtile_row() {
  return subtile.rows == 64 ? warp_row() : 0;
}

// 16-bit elements, 16 rows and 16 columns from `column` on: four 8x8 matrices, rows 0-7 and 8-15 of
// the left columns, then of the right ones.
template <OperandTile subtile, class V>
TILE_DEVICE void stage_stmatrix(char* stage, const EpilogueFragment<V>& left,
                                const EpilogueFragment<V>& right, int column) {
  const auto encode = [](const V(&pair)[2]) {
    return encode_pair<subtile.element>(pair[0], pair[1]);
  };
  const std::uint32_t codes[4]{encode(left.at[0]), encode(left.at[1]), encode(right.at[0]),
                               encode(right.at[1])};  // (2, 2): rows, columns of 8
  // Opaque: else the addresses of all subtiles are kept, and spilled, from tile to tile.
  const int now = arch::opaque(lane()), row = subtile_row<subtile>();
  __builtin_assume(now >= 0 && now < 32);
  char* const to = stage + stmatrix_offset<subtile>(now, row, column);
  if constexpr (subtile.major == Major::k)
    arch::stmatrix_x4(to, codes);
  else
    arch::stmatrix_x4_trans(to, codes);
}

// Any element, one fragment of 8 columns from `column` on.
template <OperandTile subtile, class V>
TILE_DEVICE void stage_fragment(char* stage, const EpilogueFragment<V>& values, int column) {
  using One = Code<subtile.element>;
  using Two = PairCode<subtile.element>;
  const int now = arch::opaque(lane());  // as above
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const int row = subtile_row<subtile>();
    const Two codes = encode_pair<subtile.element>(values.at[half][0], values.at[half][1]);
    if constexpr (subtile.major == Major::k) {
      *reinterpret_cast<Two*>(stage + fragment_offset<subtile>(now, 2 * half, row, column)) = codes;
    } else {
      *reinterpret_cast<One*>(stage + fragment_offset<subtile>(now, 2 * half, row, column)) =
          static_cast<One>(codes);
      *reinterpret_cast<One*>(stage + fragment_offset<subtile>(now, 2 * half + 1, row, column)) =
          static_cast<One>(codes >> 8 * bytes_of(subtile.element));
    }
  }
}

}  // namespace aisp::tile
