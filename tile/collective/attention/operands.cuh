// Attention's operands: where they lie in shared memory, and the role that brings them there.
#pragma once

#include "tile/collective/attention/key_values.cuh"
#include "tile/collective/attention/lists.hpp"

namespace aisp::tile {

template <Sm90AttentionConfig config>
struct Sm90AttentionShared {
  alignas(1024) char q[config.query_stages()][config.q_tile().bytes()];  // (BLK_Q, HEAD, STAGES)
  alignas(1024) char k[config.key_stages][config.k_tile().bytes()];      // (BLK_KV, HEAD, STAGES)
  alignas(1024) char v[config.value_stages][config.v_tile().bytes()];    // (HEAD, BLK_KV, STAGES)
  TmaRingBarriers<config.query_stages()> queries;
  TmaRingBarriers<config.key_stages> keys;
  TmaRingBarriers<config.value_stages> values;
  arch::MBarrier tail;
  // The tiles that are handed over with their queries. A warpgroup still stores one when the
  // queries of the second after it are asked for.
  static constexpr int tiles_kept = 4;
  AttentionTile tiles[tiles_kept];
  float pinned[4 * config.math_warpgroups];  // written by each math warp, read by nobody
  // Where blocks are listed: what the list says of the one in each slot of keys.
  unsigned entries[config.listed ? config.key_stages : 1];
  // Tiles and queries are handed over together, so that this is where the queries of one lie.
  TILE_DEVICE int slot_of(const AttentionTile& tile) const {
    return static_cast<int>(&tile - tiles) % config.query_stages();
  }
};

// What is handed over after the last tile, instead of a number of blocks.
inline constexpr int no_tile = -1;

// Where results take the place of queries each warp releases its own.
template <Sm90AttentionConfig config>
using QueryRing =
    TmaRing<config.query_stages(), (config.staged() ? 4 : 1) * config.math_warpgroups>;
template <Sm90AttentionConfig config>
using KeyRing = TmaRing<config.key_stages, config.math_warpgroups>;
template <Sm90AttentionConfig config>
using ValueRing = TmaRing<config.value_stages, config.math_warpgroups>;

// By one warp, all of it: one lane speaks to TMA.
template <Sm90AttentionConfig config>
class AttentionLoader : public KeyValueLoader<config, Sm90AttentionShared<config>> {
 public:
  TILE_DEVICE AttentionLoader(Sm90AttentionShared<config>& shared, const AttentionParams& params)
      : KeyValueLoader<config, Sm90AttentionShared<config>>(shared, params),
        shared_(shared),
        params_(params),
        queries_(shared.queries, {}) {}

  // A tile and its queries; after the last tile one without. Returns the tile as it lies in shared
  // memory: the loading warp has few registers.
  TILE_DEVICE const AttentionTile& hand_over(const AttentionTile& tile) {
    constexpr OperandTile q = config.q_tile();
    const AttentionTile& handed = shared_.tiles[at_tile_];
    queries_.acquire(at_queries_);
    if (arch::elect_one()) {
      shared_.tiles[at_tile_] = tile;
      arch::MBarrier* full = queries_.commit(at_queries_, tile.blocks > 0 ? q.bytes() : 0);
      char* const q_smem = shared_.q[at_queries_.slot];  // (BLK_Q, HEAD)
      for (int panel = 0; tile.blocks > 0 && panel < q.panels(); ++panel)
        arch::tma_load(q_smem + line_start<q>(0, panel), &params_.q, full, panel * q.panel_width(),
                       tile.query_start + tile.first_row, tile.head,
                       is_packed<config>(params_) ? 0 : tile.sequence);
    }
    __syncwarp();
    ++at_queries_;
    at_tile_ = (at_tile_ + 1) % shared_.tiles_kept;
    return handed;
  }

 private:
  Sm90AttentionShared<config>& shared_;
  const AttentionParams& params_;
  QueryRing<config> queries_;
  RingState<config.query_stages()> at_queries_ = RingState<config.query_stages()>::writer();
  int at_tile_ = 0;
};

}  // namespace aisp::tile
