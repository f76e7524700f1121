// The warp of the decode kernel that keeps tiles of keys and values on their way.
#pragma once

#include "tile/arch/warp.cuh"
#include "tile/collective/decode/config.cuh"

namespace aisp::tile {

template <DecodeConfig config>
class DecodeLoader {
 public:
  TILE_DEVICE DecodeLoader(const DecodeParams& params, DecodeShared<config>& shared)
      : params_(params), shared_(shared), lane_(static_cast<int>(arch::lane_index())) {}

  TILE_DEVICE void load(const DecodeSegment& segment) {
    if (segment.first_tile >= segment.last_tile) return;
    // A page's number is asked for one tile ahead: it is there when its turn comes.
    Box next = find_box(segment, segment.first_tile);
    for (int tile = segment.first_tile; tile < segment.last_tile; ++tile) {
      const Box box = next;
      if (tile + 1 < segment.last_tile) next = find_box(segment, tile + 1);
      load_tile(&params_.k, segment.head, box);
      load_tile(&params_.v, segment.head, box);
    }
  }

 private:
  struct Box {
    int row, sequence;  // or page
  };

  // Each lane up to the number of boxes in a tile has one.
  TILE_DEVICE Box find_box(const DecodeSegment& segment, int tile) const {
    const DecodePages& pages = params_.pages;
    const int key = tile * decode_tile_keys + lane_ * pages.box_rows;
    if (pages.table == nullptr)
      return {segment.of.key_start + key,
              params_.problem.work.sequences.packed() ? 0 : segment.sequence};
    // Pages without a key that is seen need not exist: TMA gives zeros for a page beyond
    // the last.
    const int page = key / pages.page_rows;
    const bool seen = key < segment.of.keys && key + pages.box_rows > segment.of.first_key &&
                      lane_ * pages.box_rows < decode_tile_keys && page < pages.pages_per_sequence;
    const std::int64_t first =
        static_cast<std::int64_t>(segment.sequence) * pages.pages_per_sequence;
    return {key - page * pages.page_rows, seen ? pages.table[first + page] : pages.pages};
  }

  TILE_DEVICE void load_tile(const CUtensorMap* map, int head, Box box) {
    arch::mbarrier_wait(&shared_.empty[at_.slot], at_.phase);
    arch::MBarrier* const full = &shared_.full[at_.slot];
    if (lane_ == 0) arch::mbarrier_arrive_expect(full, config.slot_bytes());
    __syncwarp();
    const int first_row = lane_ * params_.pages.box_rows;
    if (first_row < decode_tile_keys) {
      char* const to = shared_.slots[at_.slot];  // (KEYS, HEAD)
#pragma unroll
      for (int panel = 0; panel < config.panels(); ++panel)  // every key is read once
        arch::tma_load(to + line_start<config.slot_tile()>(first_row, panel), map, full,
                       panel * DecodeConfig::panel_columns, box.row, head, box.sequence,
                       arch::CacheHint::evict_first);
    }
    ++at_;
  }

  const DecodeParams& params_;
  DecodeShared<config>& shared_;
  int lane_;
  RingState<config.slots()> at_ = RingState<config.slots()>::writer();
};

}  // namespace aisp::tile
