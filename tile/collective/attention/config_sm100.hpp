// What an attention kernel for Blackwell is compiled for: tiles of 128 queries whose scores and
// outputs are in tensor memory, and who works on them.
#pragma once

#include "tile/collective/attention/config_sm90.hpp"
#include "tile/collective/rules.hpp"
#include "tile/pipeline/tmem_plan.hpp"

namespace aisp::tile {

struct Sm100AttentionConfig {
  Element element = Element::bf16;  // of q, k, v and o: bf16 or f16
  int head_size = 128;              // 64 or 128
  // Of 128 queries, each with a softmax warpgroup: with two the tensor core has one's products to
  // compute while the other's scores become weights.
  int query_tiles = 2;
  int key_stages = 3, value_stages = 2;  // blocks of keys and of values in shared memory
  // A warpgroup of its own corrects the outputs and stores them; else the softmax warpgroups do.
  bool correction = true;
  // Weights are relative to a maximum that may be too small by this power of two: corrections are
  // few.
  int slack = 8;
  // Weights are handed over in so many parts, 1 or 2: the second product starts with the first
  // three quarters.
  int weight_parts = 2;
  // Of every four pairs of weights, those whose exponential the FMA units compute.
  int polynomials = 1;

  static constexpr int tile_rows = 128, block_keys = 128;
  // A softmax thread has a row; it makes weights of so many keys at a time.
  static constexpr int chunk_keys = 32, chunks = block_keys / chunk_keys;
  TILE_FN int first_chunk(int part) const { return part == 0 ? 0 : part == 1 ? 3 : chunks; }
  TILE_FN int end_chunk(int part) const {
    return part + 1 == weight_parts ? chunks : first_chunk(part + 1);
  }

  TILE_FN int block_rows() const { return tile_rows * query_tiles; }
  // Softmax, correction, and four warps that issue products, load, store zeros, and do nothing.
  TILE_FN int softmax_warps() const { return 4 * query_tiles; }
  TILE_FN int issue_warp() const { return softmax_warps() + (correction ? 4 : 0); }
  TILE_FN int load_warp() const { return issue_warp() + 1; }
  TILE_FN int zero_warp() const { return issue_warp() + 2; }
  TILE_FN int threads() const { return 32 * (issue_warp() + 4); }

  // The operands as they lie in shared memory are those of Hopper's kernel with 128 queries.
  TILE_FN Sm90AttentionConfig operands() const {
    return {.element = element,
            .head_size = head_size,
            .block_keys = block_keys,
            .math_warpgroups = 2,
            .key_stages = key_stages,
            .value_stages = value_stages};
  }

  // Weights of 16 bits take the place of the second half of their scores, all of which the softmax
  // has read by then.
  TILE_FN TmemPlan tmem() const {
    return TmemPlan{}
        .with("scores", query_tiles * block_keys)
        .with("outputs", query_tiles * head_size);
  }

  // A block's registers are given to its threads in eights, and moved to where rows of scores are.
  TILE_FN bool moves_registers() const { return query_tiles > 1; }
  TILE_FN int registers() const {
    return arch::limits_of(100).registers_per_block / threads() / 8 * 8;
  }
  static constexpr int few_registers = 48, correction_registers = 80;
  TILE_FN int softmax_registers() const {
    const int all = registers() * threads() / 128;
    return (all - few_registers - (correction ? correction_registers : 0)) / query_tiles / 8 * 8;
  }

  constexpr bool operator==(const Sm100AttentionConfig&) const = default;
};

namespace rules {

template <int head_size, int query_tiles, bool correction, int weight_parts, int polynomials>
struct Sm100AttentionCounts {
  static constexpr bool kept = (head_size == 64 || head_size == 128) &&
                               (query_tiles == 2 || (query_tiles == 1 && !correction)) &&
                               (weight_parts == 1 || weight_parts == 2) && polynomials >= 0 &&
                               polynomials <= 4;
  struct Said {
    static_assert(kept,
                  "attention on Blackwell: head_size 64 or 128, query_tiles 2, or 1 without "
                  "correction, weight_parts 1 or 2, polynomials 0 to 4");
  };
};

}  // namespace rules

// True, or the compile ends with the broken rule and its numbers.
template <Sm100AttentionConfig c>
constexpr bool sm100_attention_admitted =
    rules::kept<true, rules::Sm100AttentionCounts<c.head_size, c.query_tiles, c.correction,
                                                  c.weight_parts, c.polynomials>>();

}  // namespace aisp::tile
