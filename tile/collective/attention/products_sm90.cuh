// What a math warpgroup of attention does with one block of keys: scores, mask, weights as an
// operand, and their product with the values.
#pragma once

#include "tile/arch/wgmma.cuh"
#include "tile/atom/convert.hpp"
#include "tile/collective/attention/operands.cuh"
#include "tile/collective/attention/score_layout.hpp"
#include "tile/collective/attention/softmax_sm90.cuh"
#include "tile/collective/mainloop/accumulators.cuh"

namespace aisp::tile {

// Registers of one thread: 64 rows of a warpgroup by the keys of a block, or by the head.
template <Sm90AttentionConfig config>
struct AttentionRegisters {
  static constexpr int steps = config.block_keys * bytes_of(config.element) / 32;
  float scores[config.block_keys / 2];  // (4, BLK_KV / 8)
  float out[config.head_size / 2];      // (4, HEAD / 8)
  std::uint32_t weights[steps][4];      // (MMA_A, STEPS)
};

// scores = Q K', asynchronously; the warpgroup's rows start at `first_row` of the tile.
template <Sm90AttentionConfig config>
TILE_DEVICE void multiply_keys(float (&scores)[config.block_keys / 2], const char* q, const char* k,
                               int first_row) {
  constexpr OperandTile q_tile = config.q_tile(), k_tile = config.k_tile();
  constexpr auto kind = matrix_kind(config.element, config.element);
  const std::uint64_t a =
      operand_descriptor<q_tile>(q + operand_start<q_tile>(first_row, 0));  // (64, HEAD)
  const std::uint64_t b = operand_descriptor<k_tile>(k);                    // (BLK_KV, HEAD)
#pragma unroll
  for (int step = 0; step < k_tile.steps(); ++step)
    arch::wgmma_instruction<kind, false, false>(scores, a + descriptor_step<q_tile>(0, step),
                                                b + descriptor_step<k_tile>(0, step), step > 0);
}

// out (+)= P V, asynchronously; P is in registers.
template <Sm90AttentionConfig config>
TILE_DEVICE void multiply_values(AttentionRegisters<config>& of, const char* v, bool add) {
  constexpr OperandTile v_tile = config.v_tile();
  constexpr auto kind = matrix_kind(config.element, config.element);
  const std::uint64_t b = operand_descriptor<v_tile>(v);  // (HEAD, BLK_KV)
#pragma unroll
  for (int step = 0; step < v_tile.steps(); ++step)
    arch::wgmma_instruction<kind, v_tile.major == Major::mn>(
        of.out, of.weights[step], b + descriptor_step<v_tile>(0, step), add || step > 0);
}

// The accumulators of one product are, two neighbours at a time, the A operand of the next. An fp8
// operand has four neighbours in a register: its keys are renumbered, those of V in the same way
// (fp8_key_of_slot).
template <Sm90AttentionConfig config>
TILE_DEVICE void pack_weights(AttentionRegisters<config>& of) {
#pragma unroll
  for (int step = 0; step < of.steps; ++step)
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      if constexpr (config.fp8()) {
        const auto from = [&](int at) {
          return of.scores[16 * step + offset_at<fp8_score_of_weight>(at, i)];
        };
        of.weights[step][i] = static_cast<std::uint32_t>(arch::pack_e4m3(from(0), from(1))) |
                              static_cast<std::uint32_t>(arch::pack_e4m3(from(2), from(3))) << 16;
      } else {
        const float* from = &of.scores[8 * step + 2 * i];
        of.weights[step][i] = config.element == Element::bf16 ? arch::pack_bf16(from[0], from[1])
                                                              : arch::pack_f16(from[0], from[1]);
      }
    }
}

// Of a thread's columns 0, 1, 8, 9, 16, ... the first 32 as bits: those before column `end`.
TILE_DEVICE std::uint32_t columns_before(int end) {
  const int inside = end < 0 ? 0 : end > 128 ? 128 : end;
  const int count = inside / 8 * 2 + smaller(inside % 8, 2);
  return static_cast<std::uint32_t>((std::uint64_t{1} << count) - 1);
}

// Keys that a row does not see get a score of minus infinity. Bits of a register become predicates
// several at a time: two comparisons for each score would take longer than its exponential.
template <Sm90AttentionConfig config>
TILE_DEVICE void mask_scores(float (&scores)[config.block_keys / 2], const AttentionTile& tile,
                             int row, int first_key) {
  constexpr Layout rows = accumulator_rows(config.block_keys / 2);
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int thread_key = first_key + wgmma_warp_accumulator(lane, 0).column;
#pragma unroll
  for (int low_row = 0; low_row < 2; ++low_row) {
    const int at = tile.first_row + row + 8 * low_row;
    const int least = at + tile.low - thread_key;
    const int most = smaller(at + tile.high, tile.keys - 1) - thread_key;
#pragma unroll
    for (int word = 0; word < config.block_keys; word += 128) {
      const std::uint32_t seen = columns_before(most + 1 - word) & ~columns_before(least - word);
#pragma unroll
      for (int i = 0; i < 32 && word / 4 + i < config.block_keys / 4; ++i)
        if ((seen >> i & 1) == 0) scores[offset_at<rows>(low_row, word / 4 + i)] = -INFINITY;
    }
  }
}

template <Sm90AttentionConfig config>
TILE_DEVICE void scale_out(float (&out)[config.head_size / 2], float upper, float lower) {
#pragma unroll
  for (int i = 0; i < config.head_size / 2; i += 4) {
    out[i] *= upper;
    out[i + 1] *= upper;
    out[i + 2] *= lower;
    out[i + 3] *= lower;
  }
}

}  // namespace aisp::tile
