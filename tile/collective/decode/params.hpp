// What the decode kernel is compiled for, and what it is told at run time, as the host fills it in.
#pragma once

#include <cuda.h>
#ifndef __CUDACC__
#include <vector_types.h>
#endif

#include "tile/atom/element.hpp"
#include "tile/collective/attention/tile.hpp"
#include "tile/tiled/operand_tile.hpp"

namespace aisp::tile {

inline constexpr int decode_tile_keys = 64;
// A block that has one tile only waits for it; fewer blocks then leave less to combine.
inline constexpr int least_decode_tiles = 2;

struct DecodeWork {
  AttentionSequences sequences;
  int batch, kv_heads;
  int blocks;  // of the grid
  bool whole;  // ranges are rounded to whole heads: nothing is left to combine
};

// Four warps compute, a fifth asks TMA for tiles of keys and of values in turn.
struct DecodeConfig {
  Element element = Element::bf16;
  int head_size = 128;

  static constexpr int math_warps = 4;
  static constexpr int panel_columns = 64;  // 128 bytes: the widest swizzle
  static constexpr int panel_bytes = 128 * decode_tile_keys;

  TILE_FN int threads() const { return 32 * (math_warps + 1); }
  // Heads of 96 leave a quarter of their slots empty.
  TILE_FN int panels() const { return (head_size + panel_columns - 1) / panel_columns; }
  TILE_FN int slot_bytes() const { return panels() * panel_bytes; }
  // A slot: keys or values of a tile, rows of panels.
  TILE_FN OperandTile slot_tile() const {
    return {element, Major::k, decode_tile_keys, panels() * panel_columns};
  }
  // Two blocks per multiprocessor, each with 96 KiB on the way, hide each other's waits. The
  // accumulators of a head of 256 fill the registers: one block, which has all of the memory.
  TILE_FN int blocks_per_sm() const { return head_size > 128 ? 1 : 2; }
  TILE_FN int slots() const { return (head_size > 128 ? 24 : 12) / panels(); }

  // Dynamic shared memory to ask for: slots, what is exchanged, barriers, and 1 KiB to start at a
  // multiple of it.
  TILE_FN int shared_bytes() const { return slots() * slot_bytes() + 10 * 1024 + 1024; }

  constexpr bool operator==(const DecodeConfig&) const = default;
};

// Queries and results: rows of head_size contiguous elements; strides count elements.
struct DecodeHeads {
  char* data;
  std::int64_t row_stride, head_stride, batch_stride;

  // `sequence` is 0 where sequences are packed.
  TILE_FN char* row(int sequence, int head, int at) const {
    return data + 2 * (sequence * batch_stride + head * head_stride + at * row_stride);
  }
};

// All that is not the keys and values. Rows are the queries of the heads that share them: row r is
// query r / group of head r % group.
struct DecodeProblem {
  DecodeWork work;
  int rows;        // at most, of all sequences
  int key_groups;  // warps that share the rows of a tile of 16 and divide its keys: 1, 2 or 4
  DecodeHeads q, o;
  float scale;  // of scores, times log2(e)
  float* log_sum_exp;
  std::int64_t log_head_stride, log_batch_stride;
  // Segments' results: (slot, rows, head_size) accumulators of weighted values, and (slot, rows)
  // their largest score, in powers of two, beside the sum of weights.
  float* partial_accumulators;
  float2* partial_weights;
};

// Tables of pages; null where a sequence is contiguous.
struct DecodePages {
  const std::int32_t* table;
  int page_rows, pages_per_sequence;
  int pages;
  int box_rows;  // what one copy brings: a divisor of the page and of the tile
};

struct DecodeParams {
  CUtensorMap k, v;  // (head_size, rows, heads, sequences or pages)
  DecodePages pages;
  DecodeProblem problem;
};

struct CombineParams {
  DecodeProblem problem;
  int head_size;
  Element element;
};

}  // namespace aisp::tile
