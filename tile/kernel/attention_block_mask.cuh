// Which blocks of keys the tiles of rows see, from the mask function on intervals: one block of
// threads for each list, and the last of them to end puts the lists in order.
//
// Functions has `reads_arrays`: its mask reads memory, and
//   Truth seen(const BlockPlace&)      by all lanes of a warp where it reads arrays
#pragma once

#include "tile/arch/memory.cuh"
#include "tile/arch/warp.cuh"
#include "tile/collective/attention/interval.hpp"
#include "tile/collective/attention/lists.hpp"

namespace aisp::tile {

// Pairs of queries and keys, as intervals.
struct BlockPlace {
  Interval sequence, head;
  Interval query, key;          // along the keys of the sequence
  Interval query_row, key_row;  // in packed tensors
  Interval queries, keys;       // how many the sequence has
};

// The least and the largest entry of a range of an array, by a warp. Nothing is known where one is
// NaN, or where the range is so long that the mask would cost more than it saves. What lies outside
// of the array reads as 0.
template <class T>
TILE_DEVICE Interval entries_in(const T* array, long long count, Interval index) {
  constexpr double longest = 4096;
  if (!(index.most - index.least < longest)) return interval::anything;
  const auto first = static_cast<long long>(index.least), last = static_cast<long long>(index.most);
  double least = interval::endless, most = -interval::endless;
  bool all_numbers = true;
  for (long long at = first + static_cast<int>(threadIdx.x) % 32; at <= last; at += 32) {
    const double entry = at >= 0 && at < count ? static_cast<double>(array[at]) : 0.0;
    all_numbers = all_numbers && entry == entry;
    least = interval::smaller(least, entry);
    most = interval::larger(most, entry);
  }
  if constexpr (sizeof(T) < 4 || static_cast<T>(0.5f) == T{}) {  // integers: one instruction each
    const bool mine = least <= most;
    return {static_cast<double>(
                __reduce_min_sync(0xffffffff, mine ? static_cast<int>(least) : 0x7fffffff)),
            static_cast<double>(
                __reduce_max_sync(0xffffffff, mine ? static_cast<int>(most) : -0x7fffffff - 1))};
  } else {
    auto lower = static_cast<float>(least), upper = static_cast<float>(most);
    for (int step = 16; step > 0; step /= 2) {
      lower = fminf(lower, __shfl_xor_sync(0xffffffff, lower, step));
      upper = fmaxf(upper, __shfl_xor_sync(0xffffffff, upper, step));
    }
    return __all_sync(0xffffffff, all_numbers) ? Interval{lower, upper} : interval::anything;
  }
}

template <int block_rows, int block_keys, class Functions>
class BlockMask {
 public:
  static constexpr int warps = block_mask_threads / 32;

  TILE_DEVICE BlockMask(const BlockMaskParams& params, const Functions& functions)
      : lists_(params.lists), sequences_(params.sequences), functions_(functions) {}

  TILE_DEVICE void make() {
    const int list = static_cast<int>(blockIdx.x);
    AttentionTile tile{};
    const AttentionTileCoord coord{list % lists_.row_tiles, list / lists_.row_tiles % lists_.heads,
                                   list / lists_.row_tiles / lists_.heads};
    const bool there = find_tile<false>(sequences_, coord, block_rows, block_keys, tile);
    const int blocks = there ? (tile.keys + block_keys - 1) / block_keys : 0;
    int found = 0;
    for (int first = 0; first < blocks; first += block_mask_threads)
      found = append(tile, first, blocks, found);
    if (threadIdx.x == 0) lists_.counts[list] = found;
    if (is_last()) sort();
  }

 private:
  // The entries of up to 1024 blocks from `first` on, behind the `found` ones; how many there are.
  TILE_DEVICE int append(const AttentionTile& tile, int first, int blocks, int found) {
    __shared__ unsigned states[block_mask_threads];
    __shared__ int of_warps[warps];
    const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
    if constexpr (Functions::reads_arrays) {
      for (int at = warp; at < block_mask_threads; at += warps) {
        const unsigned state = first + at < blocks ? state_of(tile, first + at) : 0u;
        if (lane == 0) states[at] = state;
      }
    } else {
      const int at = static_cast<int>(threadIdx.x);
      states[at] = first + at < blocks ? state_of(tile, first + at) : 0u;
    }
    __syncthreads();
    const unsigned state = states[threadIdx.x];
    const unsigned seen = __ballot_sync(0xffffffff, state != 0);
    if (lane == 0) of_warps[warp] = __popc(seen);
    __syncthreads();
    int before = 0, all = 0;
    for (int other = 0; other < warps; ++other) {
      before += other < warp ? of_warps[other] : 0;
      all += of_warps[other];
    }
    if (state != 0)
      lists_.entries[static_cast<long long>(blockIdx.x) * lists_.stride + found + before +
                     __popc(seen & ((1u << lane) - 1))] =
          static_cast<unsigned>(first) + threadIdx.x + (state >> 1 << entry_block_bits);
    __syncthreads();  // states and counts have been read
    return found + all;
  }

  // Bit 0: some row sees a key of the block; above it: the rows of a warpgroup see all of them.
  TILE_DEVICE unsigned state_of(const AttentionTile& tile, int block) const {
    const int first_key = block * block_keys;
    const int last_key = smaller(first_key + block_keys, tile.keys) - 1;
    // Most blocks are empty, or seen by all rows of the tile: that is one question.
    const int last_row = smaller(tile.first_row + block_rows, tile.queries) - 1;
    const Truth whole = functions_.seen(place(tile, tile.first_row, last_row, first_key, last_key));
    if (!whole.some) return 0;
    if (whole.all && last_key == first_key + block_keys - 1)
      return 1u | ((2u << block_rows / 64) - 2u);
    unsigned state = 0;
    for (int warpgroup = 0; warpgroup < block_rows / 64; ++warpgroup) {
      const int first = tile.first_row + 64 * warpgroup;
      const int last = smaller(first + 64, tile.queries) - 1;
      const Truth seen = last < first
                             ? Truth{false, true}  // rows that are none need no mask
                             : functions_.seen(place(tile, first, last, first_key, last_key));
      const bool all = seen.all && (last < first || last_key == first_key + block_keys - 1);
      state |= (seen.some ? 1u : 0u) | (all ? 2u << warpgroup : 0u);
    }
    return (state & 1u) != 0 ? state : 0u;
  }

  TILE_DEVICE static BlockPlace place(const AttentionTile& tile, int first, int last, int first_key,
                                      int last_key) {
    const auto from = [](int least, int most) {
      return Interval{static_cast<double>(least), static_cast<double>(most)};
    };
    const int shift = tile.keys - tile.queries;
    return {.sequence = from(tile.sequence, tile.sequence),
            .head = from(tile.head, tile.head),
            .query = from(first + shift, last + shift),
            .key = from(first_key, last_key),
            .query_row = from(tile.query_start + first, tile.query_start + last),
            .key_row = from(tile.key_start + first_key, tile.key_start + last_key),
            .queries = from(tile.queries, tile.queries),
            .keys = from(tile.keys, tile.keys)};
  }

  // Everybody else's counts are there.
  TILE_DEVICE bool is_last() const {
    __shared__ bool last;
    if (threadIdx.x == 0) {
      last = arch::add_acquire_release(lists_.done, 1) == gridDim.x - 1;
      if (last) atomicExch(lists_.done, 0u);
    }
    __syncthreads();
    return last;
  }

  // Lists by length, as exactly as 1024 classes of it can tell.
  TILE_DEVICE void sort() const {
    __shared__ int starts[block_mask_threads];
    const int thread = static_cast<int>(threadIdx.x);
    const auto class_of = [&](int list) {
      const long long length = *static_cast<volatile int*>(lists_.counts + list);
      return static_cast<int>((lists_.stride - length) * (block_mask_threads - 1) / lists_.stride);
    };
    starts[thread] = 0;
    __syncthreads();
    for (int list = thread; list < lists_.count(); list += block_mask_threads)
      atomicAdd(&starts[class_of(list)], 1);
    __syncthreads();
    for (int step = 1; step < block_mask_threads; step *= 2) {
      const int other = thread >= step ? starts[thread - step] : 0;
      __syncthreads();
      starts[thread] += other;
      __syncthreads();
    }
    const int start = thread > 0 ? starts[thread - 1] : 0;
    __syncthreads();
    starts[thread] = start;
    __syncthreads();
    for (int list = thread; list < lists_.count(); list += block_mask_threads)
      lists_.order[atomicAdd(&starts[class_of(list)], 1)] = list;
  }

  const AttentionLists& lists_;
  const AttentionSequences& sequences_;
  const Functions& functions_;
};

}  // namespace aisp::tile
