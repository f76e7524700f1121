// Pieces of the output on their way from registers through swizzled shared memory to the copy
// engine. A group of threads (a warp, or a warpgroup where the output is stored transposed) has its
// own buffers: while the engine reads one, the group fills the next.
#pragma once

#include "tile/arch/matrix.cuh"
#include "tile/arch/tma.cuh"
#include "tile/atom/convert.hpp"
#include "tile/collective/epilogue_tree.hpp"
#include "tile/collective/gemm_config.hpp"

namespace tile {

TILE_DEVICE int lane() { return static_cast<int>(threadIdx.x) % 32; }
// The first of the 16 rows of a warpgroup's 64 whose sums this warp holds.
TILE_DEVICE int warp_row() { return static_cast<int>(threadIdx.x) / 32 % 4 * 16; }

template <GemmConfig config>
struct StagingBuffers {
  static constexpr int groups = config.math_warpgroups * 64 / config.piece_rows();
  alignas(1024) char pieces[groups][config.out_buffers][config.piece(0).bytes()];
};
struct NoStaging {};

// The first row of this warp in a piece: of its own, or of the warpgroup's.
template <OperandTile piece>
TILE_DEVICE int piece_row() {
  return piece.rows == 64 ? warp_row() : 0;
}

// 16-bit elements, 16 rows and 16 columns from `column` on: four 8x8 matrices, rows 0-7 and 8-15 of
// the left columns, then of the right ones.
template <OperandTile piece, class V>
TILE_DEVICE void stage_four(char* stage, const Patch<V>& left, const Patch<V>& right, int column) {
  const auto encode = [](const V(&pair)[2]) {
    return encode_pair<piece.element>(pair[0], pair[1]);
  };
  const std::uint32_t codes[4]{encode(left.at[0]), encode(left.at[1]), encode(right.at[0]),
                               encode(right.at[1])};
  // Opaque: else the addresses of all pieces are kept, and spilled, from tile to tile.
  const int at = arch::opaque(lane()), matrix = at / 8, line = at % 8;
  const int row = piece_row<piece>() + matrix % 2 * 8, from = column + matrix / 2 * 8;
  if constexpr (piece.major == Major::k)
    arch::store_matrices(stage + piece.offset(row + line, from), codes);
  else
    arch::store_matrices_transposed(stage + piece.offset(row, from + line), codes);
}

// Any element, one patch of 8 columns from `column` on.
template <OperandTile piece, class V>
TILE_DEVICE void stage_patch(char* stage, const Patch<V>& values, int column) {
  using One = Code<piece.element>;
  using Two = PairCode<piece.element>;
  const int now = arch::opaque(lane());  // as above
#pragma unroll
  for (int low = 0; low < 2; ++low) {
    const int row = piece_row<piece>() + now / 4 + low * 8, at = column + now % 4 * 2;
    const Two codes = encode_pair<piece.element>(values.at[low][0], values.at[low][1]);
    if constexpr (piece.major == Major::k) {
      *reinterpret_cast<Two*>(stage + piece.offset(row, at)) = codes;
    } else {
      *reinterpret_cast<One*>(stage + piece.offset(row, at)) = static_cast<One>(codes);
      *reinterpret_cast<One*>(stage + piece.offset(row, at + 1)) =
          static_cast<One>(codes >> 8 * bytes_of(piece.element));
    }
  }
}

template <GemmConfig config>
class Staging {
 public:
  TILE_DEVICE Staging(StagingBuffers<config>& shared, int warpgroup)
      : warpgroup_(warpgroup), row_(by_warp ? arch::warp_uniform(warp_row()) : 0) {
    buffers_ = shared.pieces[by_warp ? warpgroup * 4 + row_ / 16 : warpgroup][0];
  }
  TILE_DEVICE Staging(NoStaging&, int) {}

  // A buffer that the copy engine has read.
  TILE_DEVICE char* acquire() {
    if (speaks()) arch::bulk_wait_read<config.out_buffers - 1>();
    meet();
    char* stage = buffers_ + next_ * config.piece(0).bytes();
    next_ = next_ + 1 == config.out_buffers ? 0 : next_ + 1;
    return stage;
  }

  // `place` is the corner of the warpgroup's 64 rows.
  template <OperandTile piece>
  TILE_DEVICE void send(const char* stage, const CUtensorMap* map, Place place, int depth) {
    arch::fence_async_shared();
    meet();
    if (!speaks()) return;
    const int row = place.row + row_;
#pragma unroll
    for (int box = 0; box < piece.boxes(); ++box) {
      const int across = box * piece.box_width();
      arch::tma_store(map, stage + box * piece.box_bytes(),
                      piece.major == Major::k ? place.column + across : row + across,
                      piece.major == Major::k ? row : place.column, depth);
    }
    arch::bulk_commit();
  }

  TILE_DEVICE void drain() {
    if (config.store == Store::tma && speaks()) arch::bulk_wait_read<0>();
  }

 private:
  static constexpr bool by_warp = config.piece_rows() == 16;

  // One thread of the group, always the same: it counts the stores that are under way. Of a warp it
  // is elected, so that the compiler knows that one thread runs.
  TILE_DEVICE static bool speaks() {
    if constexpr (by_warp) return arch::elect_one();
    return threadIdx.x % 128 == 0;
  }
  TILE_DEVICE void meet() const {
    if constexpr (by_warp)
      __syncwarp();
    else
      arch::barrier_sync(warpgroup_ + 1, 128);
  }

  char* buffers_ = nullptr;
  int warpgroup_ = 0, row_ = 0, next_ = 0;
};

}  // namespace tile
