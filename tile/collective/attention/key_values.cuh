// The part of attention's loading role that all kernels share: blocks of keys and of values come
// by TMA, whether sequences are plain, padded, packed or paged.
#pragma once

#include "tile/arch/tma.cuh"
#include "tile/arch/warp.cuh"
#include "tile/collective/attention/config_sm90.hpp"
#include "tile/collective/attention/params.hpp"
#include "tile/pipeline/tma_ring.cuh"
#include "tile/tiled/operand_layout.hpp"

namespace aisp::tile {

// What the configuration leaves open of the sequences' layout.
template <Sm90AttentionConfig config>
TILE_DEVICE bool is_packed(const AttentionParams& params) {
  return !config.plain && params.sequences.packed();
}
template <Sm90AttentionConfig config>
TILE_DEVICE bool is_paged(const AttentionParams& params) {
  return !config.plain && params.pages.table != nullptr;
}
template <Sm90AttentionConfig config>
TILE_DEVICE bool has_others_rows(const AttentionParams& params) {
  return !config.plain && params.sequences.others_rows();
}

// By one warp, all of it: one lane speaks to TMA. Shared has buffers k and v, the barriers keys and
// values of their rings, one barrier `tail`, and where blocks are listed their `entries`.
template <Sm90AttentionConfig config, class Shared>
class KeyValueLoader {
 public:
  TILE_DEVICE KeyValueLoader(Shared& shared, const AttentionParams& params)
      : shared_(shared), params_(params), keys_(shared.keys, {}), values_(shared.values, {}) {}

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

  Shared& shared_;
  const AttentionParams& params_;
  TmaRing<config.key_stages, 1> keys_;  // who releases a slot does not matter to its writer
  TmaRing<config.value_stages, 1> values_;
  RingState<config.key_stages> at_keys_ = RingState<config.key_stages>::writer();
  RingState<config.value_stages> at_values_ = RingState<config.value_stages>::writer();
  unsigned tail_phase_ = 0;
};

}  // namespace aisp::tile
