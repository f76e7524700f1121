// What lies where in the decode kernel's shared memory, and where its rows are.
#pragma once

#include "tile/arch/tma.cuh"
#include "tile/collective/decode/segments.cuh"
#include "tile/pipeline/ring_state.hpp"
#include "tile/tiled/operand_layout.hpp"

namespace aisp::tile {

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
  *to = weight == 0 ? -INFINITY : (top + log2f(weight)) * ln_2;  // NaN where a score is
}

}  // namespace aisp::tile
