// What the roles of Blackwell's attention share: buffers, barriers, and columns of tensor memory.
#pragma once

#include "tile/collective/attention/config_sm100.hpp"
#include "tile/collective/attention/key_values.cuh"
#include "tile/pipeline/tcgen05_ring.cuh"
#include "tile/pipeline/tmem_ring.cuh"

namespace aisp::tile {

// The output of one tile of queries, a ring of one slot: every product of weights and values is a
// turn of it, and whoever corrects or stores the output waits for the product before.
template <Sm100AttentionConfig config>
using Tcgen05OutputRing = TmemRing<1, config.head_size>;

// Four warps hand something over: each arrives when all of its lanes have done their part.
inline constexpr int arriving_warps = 4;
TILE_DEVICE void arrive_as_warp(arch::MBarrier* barrier) {
  __syncwarp();
  if (arch::elect_one()) arch::mbarrier_arrive(barrier);
}

template <Sm100AttentionConfig config>
struct Sm100AttentionShared {
  static_assert(sm100_attention_admitted<config>);
  static constexpr Sm90AttentionConfig operands = config.operands();
  static constexpr int tiles = config.query_tiles;

  alignas(1024) char q[tiles][operands.q_tile().bytes()];                // (TILE_Q, HEAD, TILES)
  alignas(1024) char k[config.key_stages][operands.k_tile().bytes()];    // (BLK_KV, HEAD, STAGES)
  alignas(1024) char v[config.value_stages][operands.v_tile().bytes()];  // (HEAD, BLK_KV, STAGES)
  TmaRingBarriers<1> queries[tiles];
  TmaRingBarriers<config.key_stages> keys;
  TmaRingBarriers<config.value_stages> values;
  arch::MBarrier tail;
  arch::MBarrier scores[tiles];                        // the product is done
  arch::MBarrier weights[tiles][config.weight_parts];  // a part is in tensor memory
  typename Tcgen05OutputRing<config>::Barriers outputs[tiles];
  // From the softmax to the correction: a factor for each row and block but the first, and at last
  // the sum of the row's weights.
  struct {
    arch::MBarrier full, empty;
    float of_row[config.tile_rows];
  } factors[tiles];
  arch::TmemAddress tmem;

  // By one thread, before the block meets.
  TILE_DEVICE void init() {
    for (int tile = 0; tile < tiles; ++tile) {
      Tcgen05Ring<1>::init(queries[tile]);
      arch::mbarrier_init(&scores[tile], 1);
      for (arch::MBarrier& part : weights[tile]) arch::mbarrier_init(&part, arriving_warps);
      Tcgen05OutputRing<config>::init(outputs[tile]);
      arch::mbarrier_init(&factors[tile].full, arriving_warps);
      arch::mbarrier_init(&factors[tile].empty, arriving_warps);
    }
    Tcgen05Ring<config.key_stages>::init(keys);
    Tcgen05Ring<config.value_stages>::init(values);
    arch::mbarrier_init(&tail, 1);
    arch::fence_mbarrier_init();
  }

  TILE_DEVICE arch::TmemAddress scores_of(int tile) const {
    return arch::tmem_at(tmem, 0, first_scores + tile * config.block_keys);
  }
  TILE_DEVICE arch::TmemAddress weights_of(int tile) const {
    return arch::tmem_at(scores_of(tile), 0, config.block_keys / 2);
  }
  TILE_DEVICE Tcgen05OutputRing<config> output(int tile) {
    return {outputs[tile], arch::tmem_at(tmem, 0, first_output + tile * config.head_size), 1};
  }

 private:
  static constexpr int first_scores = config.tmem().first("scores");
  static constexpr int first_output = config.tmem().first("outputs");
};

}  // namespace aisp::tile
