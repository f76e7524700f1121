// What the decode kernel is compiled for, what it is told at run time, and what lies where in its
// shared memory.
#pragma once

#include "tile/arch/tma.cuh"
#include "tile/atom/element.hpp"
#include "tile/collective/decode/segments.cuh"
#include "tile/pipeline/ring_state.hpp"
#include "tile/tiled/operand_layout.hpp"

namespace aisp::tile {

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

template <DecodeConfig config>
struct DecodeShared {
  alignas(1024) char slots[config.slots()][config.slot_bytes()];  // (KEYS, HEAD, STAGES)
  float accumulators[DecodeConfig::math_warps][16][32];           // (LANES, (MMA_C, 4), WARPS)
  float2 weights[DecodeConfig::math_warps][16];                   // (ROWS, WARPS)
  arch::MBarrier full[config.slots()];   // the bytes of the slot have landed
  arch::MBarrier empty[config.slots()];  // all warps have read it
};

// One row's result, or what a segment has of it.
struct DecodeRow {
  int head, query;
};
TILE_FN DecodeRow decode_row(const DecodeWork& work, int kv_head, int row) {
  const int group = work.sequences.heads_per_kv_head;
  return {kv_head * group + row % group, row / group};
}
TILE_FN int rows_of(const DecodeWork& work, const DecodeSequence& of) {
  return of.queries * work.sequences.heads_per_kv_head;
}

// ln of the sum of exp(score); minus infinity where there is no key.
TILE_DEVICE void store_log_sum(const DecodeProblem& problem, int sequence, const DecodeSequence& of,
                               DecodeRow row, float top, float weight) {
  constexpr float ln_2 = 0.693147181f;
  const bool packed = problem.work.sequences.packed();
  float* const to = problem.log_sum_exp + (packed ? 0 : sequence * problem.log_batch_stride) +
                    row.head * problem.log_head_stride + of.query_start + row.query;
  *to = weight > 0 ? (top + log2f(weight)) * ln_2 : -INFINITY;
}

}  // namespace aisp::tile
