// The walk of four warps over a block's tiles, and the end of a segment: the warps, each with its
// part of the keys, add up what they have and store it. How a tile gets into shared memory is the
// rung's: its feed.
#pragma once

#include "chapters/ch11/kv_prefetch_pipeline/math_warp.cuh"
#include "tile/arch/barrier.cuh"
#include "tile/arch/pdl.cuh"

namespace aisp::ch11::kv {

// Where the warps meet: half of the columns at a time, in rows that are 4 banks apart.
struct Meeting {
  float sums[math_warps][most_queries][panel_columns + 4];
  float2 weights[math_warps][most_queries];  // the largest score, the sum of weights
};

class Join {
 public:
  TILE_DEVICE Join(const Work& work, Meeting& meeting) : work_(work), meeting_(meeting) {}

  // By all math warps.
  TILE_DEVICE void store(const MathWarp& warp, const Segment& segment) {
    float factor[2];
    give_weights(warp, factor);
    if (!segment.whole && warp.warp() == 0 && warp.lane() < work_.queries) {
      const float2 all = weights_of(warp.lane());
      work_.partial_weights[segment.slot * work_.queries + warp.lane()] = all;
    }
#pragma unroll
    for (int panel = 0; panel < 2; ++panel) {
      give_sums(warp, panel, factor);
      meet();
      for (int query = warp.warp(); query < work_.queries; query += math_warps)
        store_row(segment, query, panel * panel_columns + 2 * warp.lane(),
                  add_up(query, 2 * warp.lane()));
      meet();  // before the next panel, or the next segment, comes to the same place
    }
  }

 private:
  // Barrier 1 is the math warps'.
  static TILE_DEVICE void meet() { tile::arch::barrier_sync(1, math_threads); }

  // Leaves what this warp's accumulators are to be multiplied by.
  TILE_DEVICE void give_weights(const MathWarp& warp, float (&factor)[2]) {
    const int first = warp.lane() % 4 * 2;
#pragma unroll
    for (int j = 0; j < 2; ++j) {
      const float weight = warp.weight(j);
      if (warp.lane() < 4) meeting_.weights[warp.warp()][first + j] = {warp.top(j), weight};
    }
    meet();
#pragma unroll
    for (int j = 0; j < 2; ++j)
      factor[j] = tile::arch::exp2_approximate(warp.top(j) - base_of(weights_of(first + j).x));
  }

  static TILE_DEVICE float base_of(float top) { return top == -INFINITY ? 0.0f : top; }

  // Of all warps.
  TILE_DEVICE float2 weights_of(int query) const {
    float2 all{-INFINITY, 0};
    for (const auto& warp : meeting_.weights) all.x = fmaxf(all.x, warp[query].x);
    for (const auto& warp : meeting_.weights)
      all.y += warp[query].y * tile::arch::exp2_approximate(warp[query].x - base_of(all.x));
    return all;
  }

  TILE_DEVICE void give_sums(const MathWarp& warp, int panel, const float (&factor)[2]) {
    auto& rows = meeting_.sums[warp.warp()];
#pragma unroll
    for (int step = 0; step < panel_columns / 16; ++step)
#pragma unroll
      for (int i = 0; i < 4; ++i)
        rows[warp.lane() % 4 * 2 + i % 2][16 * step + 8 * (i / 2) + warp.lane() / 4] =
            warp.accumulators(panel * (panel_columns / 16) + step)[i] * factor[i % 2];
  }

  TILE_DEVICE float2 add_up(int query, int column) const {
    float2 sum{};
    for (const auto& warp : meeting_.sums) {
      const float2 part = *reinterpret_cast<const float2*>(&warp[query][column]);
      sum.x += part.x;
      sum.y += part.y;
    }
    return sum;
  }

  TILE_DEVICE void store_row(const Segment& segment, int query, int column, float2 sum) {
    if (!segment.whole) {
      const std::int64_t row = segment.slot * work_.queries + query;
      *reinterpret_cast<float2*>(work_.partial_sums + row * head_size + column) = sum;
      return;
    }
    const std::int64_t row = segment.head * work_.queries + query;
    const float share = 1 / weights_of(query).y;  // a head has at least one key
    *reinterpret_cast<std::uint32_t*>(work_.o + row * row_bytes + 2 * column) =
        tile::arch::pack_bf16(sum.x * share, sum.y * share);
  }

  const Work& work_;
  Meeting& meeting_;
};

// By the math warps. A feed has three verbs: start(segment), wait(tile) for the shared address of a
// tile that is there, and release() when this thread has read it.
template <class Feed>
TILE_DEVICE void attend(const Work& work, Meeting& meeting, Feed& feed) {
  MathWarp warp(work);
  Join join(work, meeting);
  Walk walk(work);
  Segment segment;
  while (walk.next(segment)) {
    feed.start(segment);
    warp.start(segment.head);
    for (int tile = segment.first_tile; tile < segment.last_tile; ++tile) {
      warp.attend(tile, feed.wait(tile));
      feed.release();
    }
    join.store(warp, segment);
  }
  tile::arch::launch_dependents();  // the kernel that combines may take its place
}

}  // namespace aisp::ch11::kv
