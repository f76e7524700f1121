// A math warpgroup as the consumer of tiles and blocks of keys: its ends of the rings, its turns at
// the matrix unit, and the scales of fp8 blocks.
#pragma once

#include "tile/arch/barrier.cuh"
#include "tile/arch/memory.cuh"
#include "tile/arch/warp.cuh"
#include "tile/collective/attention/output_sm90.cuh"

namespace aisp::tile {

// Named barriers 1, 2, ...: a warpgroup waits at its own and opens the next one's.
template <Sm90AttentionConfig config>
class AttentionTurns {
 public:
  TILE_DEVICE explicit AttentionTurns(int warpgroup) : warpgroup_(warpgroup) {}
  TILE_DEVICE void start() {
    if (last()) pass();
  }
  TILE_DEVICE void wait() {
    if constexpr (config.ping_pong) arch::barrier_sync(1 + warpgroup_, 256);
  }
  TILE_DEVICE void pass() {
    if constexpr (config.ping_pong)
      arch::barrier_arrive(1 + (warpgroup_ + 1) % config.math_warpgroups, 256);
  }
  // Nobody waits for another turn of the first warpgroup.
  TILE_DEVICE void pass_for_good() {
    if (!last()) pass();
  }

 private:
  TILE_DEVICE bool last() const { return warpgroup_ == config.math_warpgroups - 1; }
  int warpgroup_;
};

template <Sm90AttentionConfig config>
class AttentionConsumer {
 public:
  TILE_DEVICE AttentionConsumer(Sm90AttentionShared<config>& shared, int row)
      : row_(row),
        shared_(shared),
        queries_(shared.queries, {}),
        keys_(shared.keys, {}),
        values_(shared.values, {}) {}

  // Waits for the next tile; null after the last.
  TILE_DEVICE const AttentionTile* next_tile() {
    queries_.wait(at_queries_);
    const AttentionTile& tile = shared_.tiles[at_tile_];
    const int blocks = arch::warp_uniform(tile.blocks);
    if (blocks == no_tile) return nullptr;
    at_tile_ = (at_tile_ + 1) % shared_.tiles_kept;
    blocks_ = arch::warp_uniform(smaller(tile.blocks, tile.blocks_of(row_, config.block_keys)));
    unseen_ = blocks - blocks_;
    return &tile;
  }
  // Of that tile, those that this warpgroup's rows see; the compiler knows that all threads have
  // the same number.
  TILE_DEVICE int blocks() const { return blocks_; }
  // The tile's last keys may be loaded for other warpgroups' rows alone.
  TILE_DEVICE int unseen() const { return unseen_; }
  // This warpgroup goes through them, from number `from` on, as the others do, turns and all: the
  // keys of a block together with the values of the one before it.
  TILE_DEVICE void pass_unseen(AttentionTurns<config>& turns, int from) {
    for (int i = from; i < unseen_; ++i) {
      wait_keys();
      turns.wait();
      if (i > 0) wait_values();
      turns.pass();
      meet();
      release_keys();
      if (i > 0) release_values();
    }
  }
  // ... and the values of the last of them.
  TILE_DEVICE void pass_unseen_values() {
    if (unseen_ == 0) return;
    wait_values();
    meet();
    release_values();
  }
  // What `value` is computed from is computed here. The assembler would else move the next wait for
  // products, of which it does not know that it takes long, ahead of the softmax.
  TILE_DEVICE void pin(float value) {
    if (lane() == 0) arch::store_shared_float(&shared_.pinned[threadIdx.x / 32 - 4], value);
  }
  TILE_DEVICE const char* queries() const { return shared_.q[at_queries_.slot]; }  // (BLK_Q, HEAD)
  // After the last product with them; where results take their place they are released later.
  TILE_DEVICE void leave_queries() {
    if constexpr (!config.staged()) queries_.release(at_queries_);
    ++at_queries_;
  }

  TILE_DEVICE const char* wait_keys() {
    keys_.wait(at_keys_);
    return shared_.k[at_keys_.slot];  // (BLK_KV, HEAD)
  }
  // What the list says of these keys' block.
  TILE_DEVICE unsigned entry() const { return shared_.entries[at_keys_.slot]; }
  TILE_DEVICE void release_keys() {
    keys_.release(at_keys_);
    ++at_keys_;
  }
  TILE_DEVICE const char* wait_values() {
    values_.wait(at_values_);
    return shared_.v[at_values_.slot];  // (HEAD, BLK_KV)
  }
  TILE_DEVICE void release_values() {
    values_.release(at_values_);
    ++at_values_;
  }

 private:
  // One thread releases a slot for its warpgroup. Where no product has brought the warps together,
  // one of them may not have seen the slot full yet.
  TILE_DEVICE void meet() { arch::barrier_sync(8 + row_ / 64, 128); }

  int row_;  // the warpgroup's first in a tile
  Sm90AttentionShared<config>& shared_;
  QueryRing<config> queries_;
  KeyRing<config> keys_;
  ValueRing<config> values_;
  RingState<config.query_stages()> at_queries_ = RingState<config.query_stages()>::reader();
  RingState<config.key_stages> at_keys_ = RingState<config.key_stages>::reader();
  RingState<config.value_stages> at_values_ = RingState<config.value_stages>::reader();
  int at_tile_ = 0, blocks_ = 0, unseen_ = 0;
};

// Scores are scaled by one number for all blocks, or by one for each where elements are fp8. There
// the accumulators of P V count in units of the last block's scale.
template <Sm90AttentionConfig config>
class AttentionScaling {
 public:
  TILE_DEVICE explicit AttentionScaling(const AttentionParams& params)
      : params_(params), scores_(params.scale_log2) {}

  // `block` of the tile comes next.
  TILE_DEVICE void enter(const AttentionTile& tile, int block) {
    if constexpr (config.fp8()) {
      const AttentionScales& all = params_.scales;
      const int heads = params_.kv_heads * params_.sequences.heads_per_kv_head;
      const std::int64_t q = (tile.sequence * heads + tile.head) * all.q_count;
      const std::int64_t kv = (tile.sequence * params_.kv_heads + tile.kv_head) * all.k_count;
      value_before_ = value_;
      const int key = (tile.first_block + block) * config.block_keys;
      value_ = all.v[kv + key / fp8_scale_rows];
      scores_ = params_.scale_log2 * all.q[q + tile.first_row / fp8_scale_rows] *
                all.k[kv + key / fp8_scale_rows];
    }
  }
  TILE_DEVICE float scores() const { return scores_; }
  // What accumulators must be multiplied by to count in the new block's units.
  TILE_DEVICE float correction() const { return config.fp8() ? value_before_ / value_ : 1.0f; }
  TILE_DEVICE float values() const { return config.fp8() ? value_ : 1.0f; }
  TILE_DEVICE float values_before() const { return config.fp8() ? value_before_ : 1.0f; }

 private:
  const AttentionParams& params_;
  float scores_, value_ = 1, value_before_ = 1;
};

}  // namespace aisp::tile
