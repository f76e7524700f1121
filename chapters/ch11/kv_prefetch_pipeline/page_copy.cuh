// A tile of keys and values copied by all threads of a block, 16 bytes at a time.
#pragma once

#include "chapters/ch11/kv_prefetch_pipeline/attend.cuh"
#include "tile/arch/cp_async.cuh"

namespace aisp::ch11::kv {

struct CopyParams {
  const char* k;  // (pages, kv_heads, page rows, 128), bf16
  const char* v;
  Pages pages;
  Work work;
};

// Two rows of a warp's copy are 512 contiguous bytes. A thread has the same 16 bytes of every
// eighth row, so that the swizzle is the same for all of them.
class PageCopy {
 public:
  TILE_DEVICE explicit PageCopy(const CopyParams& params) : params_(params) {}

  TILE_DEVICE void start(const Segment& segment) {
    const Pages& pages = params_.pages;
    head_ = segment.head % pages.kv_heads;
    table_ =
        pages.table + static_cast<std::int64_t>(segment.head / pages.kv_heads) * pages.per_sequence;
  }

  // To the shared address of a tile.
  TILE_DEVICE void copy(int tile, std::uint32_t to) const {
    const int row = static_cast<int>(threadIdx.x) / units;
    const int unit = static_cast<int>(threadIdx.x) % units;
    // Of the first row; the others are 8 lines apart.
    const std::uint32_t k = to + unit / 8 * panel_bytes + row * 128 + (unit % 8 ^ row) * 16;
    const std::uint32_t v = k + 2 * panel_bytes;
#pragma unroll
    for (int i = 0; i < tile_keys / rows_at_once; ++i) {
      const int key = tile * tile_keys + i * rows_at_once + row;
      const bool there = key < params_.work.keys;  // what is not becomes zeros
      const std::int64_t from = there ? offset(key) + unit * 16 : 0;
      tile::arch::cp_async_16(k + i * rows_at_once * 128, params_.k + from, there ? 16 : 0);
      tile::arch::cp_async_16(v + i * rows_at_once * 128, params_.v + from, there ? 16 : 0);
    }
  }

 private:
  static constexpr int units = row_bytes / 16;
  static constexpr int rows_at_once = math_threads / units;
  static_assert(rows_at_once == 8, "the swizzle's period");

  // In bytes. Neighbouring places of the table are in one cache line, which stays in L1.
  TILE_DEVICE std::int64_t offset(int key) const {
    const Pages& pages = params_.pages;
    const std::int64_t page = table_[key / pages.rows];
    return ((page * pages.kv_heads + head_) * pages.rows + key % pages.rows) * row_bytes;
  }

  const CopyParams& params_;
  const std::int32_t* table_;
  int head_;
};

}  // namespace aisp::ch11::kv
