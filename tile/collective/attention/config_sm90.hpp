// What an attention kernel is compiled for, and what lies where in its shared memory.
#pragma once

#include "tile/arch/limits.hpp"
#include "tile/tiled/operand_tile.hpp"

namespace aisp::tile {

// One block has 64 rows of queries per math warpgroup and walks over the keys block by block.
struct Sm90AttentionConfig {
  Element element = Element::bf16;  // of q, k and v: bf16, f16 or e4m3
  int head_size = 128;
  int block_keys = 128;
  int math_warpgroups = 2;
  int key_stages = 3, value_stages = 2;  // blocks of keys and of values in shared memory
  // The scores of the next block are computed while the softmax of this one runs.
  bool overlapped = true;
  // The warpgroups take turns at the matrix unit: one's softmax runs under the others' products.
  bool ping_pong = true;
  // Sequences of one length, neither packed nor paged: what knows of others takes registers that a
  // third warpgroup leaves no room for.
  bool plain = false;
  // Which blocks of keys a tile has comes from a list in memory, not from a window.
  bool listed = false;

  TILE_FN bool fp8() const { return element == Element::e4m3; }
  TILE_FN Element out() const { return fp8() ? Element::bf16 : element; }
  TILE_FN int block_rows() const { return 64 * math_warpgroups; }
  TILE_FN int threads() const { return 128 * (math_warpgroups + 1); }

  TILE_FN OperandTile q_tile() const { return rows_of(block_rows()); }
  TILE_FN OperandTile k_tile() const { return rows_of(block_keys); }
  // The sum over keys runs along the rows of v. fp8 products want it contiguous: v is transposed
  // beforehand.
  TILE_FN OperandTile v_tile() const {
    return fp8() ? OperandTile{element, Major::k, head_size, block_keys, widest_swizzle(block_keys)}
                 : OperandTile{element, Major::mn, head_size, block_keys,
                               widest_swizzle(head_size * bytes_of(element))};
  }
  // A warp's 16 rows of the result on their way to memory. They take the place of the warp's
  // queries, which are as wide where elements are.
  TILE_FN OperandTile o_tile() const {
    return {out(), Major::k, 16, head_size, widest_swizzle(head_size * bytes_of(out()))};
  }
  // Large heads leave no room for a second set of queries: results, for which the next tile's
  // queries cannot wait, are stored from registers.
  TILE_FN bool staged() const { return !fp8() && head_size <= 128; }
  TILE_FN int query_stages() const { return staged() ? 2 : 1; }

  // Dynamic shared memory to ask for: tiles, at most 1 KiB of barriers and the like, and as much to
  // start at a multiple of 1 KiB.
  TILE_FN int shared_bytes() const {
    return query_stages() * q_tile().bytes() + key_stages * k_tile().bytes() +
           value_stages * v_tile().bytes() + 2048;
  }

  // A block's registers are given to its threads in eights; what the loading warpgroup gives back
  // the others share.
  TILE_FN int registers() const {
    return arch::limits_of(90).registers_per_block / threads() / 8 * 8 * (math_warpgroups + 1);
  }
  TILE_FN int math_registers() const {
    return smaller_of(head_size > 128 ? 232 : 224, (registers() - 24) / math_warpgroups / 8 * 8);
  }
  TILE_FN int loader_registers() const {
    return smaller_of(registers() - math_warpgroups * math_registers(), 64);
  }

  constexpr bool operator==(const Sm90AttentionConfig&) const = default;

 private:
  static TILE_FN int smaller_of(int a, int b) { return a < b ? a : b; }
  TILE_FN OperandTile rows_of(int rows) const {
    return {element, Major::k, rows, head_size, widest_swizzle(head_size * bytes_of(element))};
  }
};

// fp8 has one scale for so many rows of queries, of keys and of values: blocks of both divide them.
inline constexpr int fp8_scale_rows = 128;

// P holds weights up to 2^slack of what the largest score of a row gives: the maximum is corrected,
// and the accumulators with it, only when it has grown by more. fp8 keeps to its range.
TILE_FN float softmax_slack(const Sm90AttentionConfig& config) {
  return config.fp8() ? 0.0f : 8.0f;
}
// Weights are made larger by 2^lift, so that small ones stay in fp8's range.
TILE_FN float softmax_lift(const Sm90AttentionConfig& config) { return config.fp8() ? 8.0f : 0.0f; }

}  // namespace aisp::tile
