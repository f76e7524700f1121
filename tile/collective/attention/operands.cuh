// Attention's operands: where they lie in shared memory, and the role that brings them there.
#pragma once

#include "tile/arch/tma.cuh"
#include "tile/arch/warp.cuh"
#include "tile/collective/attention/config.hpp"
#include "tile/collective/attention/lists.hpp"
#include "tile/collective/attention/params.hpp"
#include "tile/pipeline/tma_ring.cuh"
#include "tile/tiled/operand_layout.hpp"

namespace aisp::tile {

template <AttentionConfig config>
struct AttentionShared {
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

// What the configuration leaves open of the sequences' layout.
template <AttentionConfig config>
TILE_DEVICE bool is_packed(const AttentionParams& params) {
  return !config.plain && params.sequences.packed();
}
template <AttentionConfig config>
TILE_DEVICE bool is_paged(const AttentionParams& params) {
  return !config.plain && params.pages.table != nullptr;
}
template <AttentionConfig config>
TILE_DEVICE bool has_others_rows(const AttentionParams& params) {
  return !config.plain && params.sequences.others_rows();
}

// Where results take the place of queries each warp releases its own.
template <AttentionConfig config>
using QueryRing =
    TmaRing<config.query_stages(), (config.staged() ? 4 : 1) * config.math_warpgroups>;
template <AttentionConfig config>
using KeyRing = TmaRing<config.key_stages, config.math_warpgroups>;
template <AttentionConfig config>
using ValueRing = TmaRing<config.value_stages, config.math_warpgroups>;

// By one warp, all of it: one lane speaks to TMA.
template <AttentionConfig config>
class AttentionLoader {
 public:
  TILE_DEVICE AttentionLoader(AttentionShared<config>& shared, const AttentionParams& params)
      : shared_(shared),
        params_(params),
        queries_(shared.queries, {}),
        keys_(shared.keys, {}),
        values_(shared.values, {}) {}

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

  TILE_DEVICE void load_keys(const AttentionTile& tile, int block, unsigned entry = 0) {
    keys_.acquire(at_keys_);
    if (arch::elect_one()) {
      if constexpr (config.listed) shared_.entries[at_keys_.slot] = entry;
      arch::MBarrier* full = keys_.commit(at_keys_, rows_to_load(tile, block).count() * key_bytes);
      char* const to = shared_.k[at_keys_.slot];  // (BLK_KV, HEAD)
      load_rows<config.k_tile()>(to, &params_.k, full, tile, block);
    }
    __syncwarp();
    ++at_keys_;
  }

  TILE_DEVICE void load_values(const AttentionTile& tile, int block) {
    values_.acquire(at_values_);
    char* to = shared_.v[at_values_.slot];  // (HEAD, BLK_KV)
    if constexpr (config.fp8()) {
      if (arch::elect_one())
        load_transposed(to, values_.commit(at_values_, value_bytes), tile, block);
    } else if (has_others_rows<config>(params_) &&
               rows_seen(tile, block).count() < config.block_keys) {
      load_cleared(to, tile, block);
    } else if (arch::elect_one()) {
      const int bytes = rows_to_load(tile, block).count() * key_bytes;
      load_rows<config.v_tile()>(to, &params_.v, values_.commit(at_values_, bytes), tile, block);
    }
    __syncwarp();
    ++at_values_;
  }

 private:
  static constexpr int key_bytes = config.head_size * bytes_of(config.element);
  static constexpr int value_bytes = config.v_tile().bytes();

  // Rows [first, last) of a block.
  struct Rows {
    int first, last;
    TILE_DEVICE int count() const { return last - first; }
  };
  // Those that some row of the tile may see.
  TILE_DEVICE Rows rows_seen(const AttentionTile& tile, int block) const {
    const int first = block * config.block_keys;
    return {larger(tile.lowest() - first, 0), smaller(tile.keys - first, config.block_keys)};
  }
  // Boxes are loaded whole; pages without any key that is seen need not even be there.
  TILE_DEVICE Rows rows_to_load(const AttentionTile& tile, int block) const {
    if (!is_paged<config>(params_)) return {0, config.block_keys};
    const Rows seen = rows_seen(tile, block);
    const int box = params_.pages.box_rows;
    return {seen.first / box * box, (seen.last + box - 1) / box * box};
  }

  template <OperandTile operand>
  TILE_DEVICE void load_rows(char* to, const CUtensorMap* map, arch::MBarrier* full,
                             const AttentionTile& tile, int block) const {
    const int first = block * config.block_keys;
    const AttentionPages& pages = params_.pages;
    if (!is_paged<config>(params_)) {
#pragma unroll
      for (int panel = 0; panel < operand.panels(); ++panel)
        arch::tma_load(to + line_start<operand>(0, panel), map, full, panel * operand.panel_width(),
                       tile.key_start + first, tile.kv_head,
                       is_packed<config>(params_) ? 0 : tile.sequence, arch::CacheHint::evict_last);
      return;
    }
    const Rows rows = rows_to_load(tile, block);
#pragma unroll 1
    for (int row = rows.first; row < rows.last; row += pages.box_rows) {
      const int key = first + row;
      const int page = pages.table[tile.sequence * pages.per_sequence + key / pages.page_rows];
      for (int panel = 0; panel < operand.panels(); ++panel)
        arch::tma_load(to + line_start<operand>(row, panel), map, full,
                       panel * operand.panel_width(), key % pages.page_rows, tile.kv_head, page);
    }
  }

  TILE_DEVICE void load_transposed(char* to, arch::MBarrier* full, const AttentionTile& tile,
                                   int block) const {
    constexpr OperandTile v = config.v_tile();
    for (int panel = 0; panel < v.panels(); ++panel)
      arch::tma_load(to + line_start<v>(0, panel), &params_.v, full,
                     block * config.block_keys + panel * v.panel_width(), 0, tile.kv_head,
                     tile.sequence);
  }

  // Rows that the tile does not see may hold anything, even NaN, which a weight of 0 does not
  // silence: they become zeros before the readers hear of the block.
  TILE_DEVICE void load_cleared(char* to, const AttentionTile& tile, int block) {
    constexpr OperandTile v = config.v_tile();
    if (arch::elect_one()) {
      arch::mbarrier_arrive_expect(&shared_.tail, rows_to_load(tile, block).count() * key_bytes);
      load_rows<v>(to, &params_.v, &shared_.tail, tile, block);
    }
    __syncwarp();
    arch::mbarrier_wait(&shared_.tail, tail_phase_);
    tail_phase_ ^= 1;
    const Rows seen = rows_seen(tile, block);
    clear(to, {0, seen.first});
    clear(to, {seen.last, config.block_keys});
    arch::fence_async_shared();
    __syncwarp();
    if (arch::elect_one()) arch::mbarrier_arrive(&shared_.values.full[at_values_.slot]);
  }
  TILE_DEVICE void clear(char* to, Rows rows) const {
    constexpr OperandTile v = config.v_tile();
    constexpr int chunks = width_of(v.swizzle) / 16;  // of a line in a panel; swizzles stay inside
    const int lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll 1
    for (int at = rows.first * chunks + lane; at < rows.last * chunks; at += 32)
      for (int panel = 0; panel < v.panels(); ++panel)
        *reinterpret_cast<int4*>(to + line_start<v>(0, panel) + at * 16) = int4{};
  }

  AttentionShared<config>& shared_;
  const AttentionParams& params_;
  QueryRing<config> queries_;
  KeyRing<config> keys_;
  ValueRing<config> values_;
  RingState<config.query_stages()> at_queries_ = RingState<config.query_stages()>::writer();
  RingState<config.key_stages> at_keys_ = RingState<config.key_stages>::writer();
  RingState<config.value_stages> at_values_ = RingState<config.value_stages>::writer();
  int at_tile_ = 0;
  unsigned tail_phase_ = 0;
};

}  // namespace aisp::tile
