// The end of a segment: the warps that divided the keys of the same rows add up what they have, 32
// columns at a time through shared memory, and store the result or what the segment has of it.
#pragma once

#include "tile/arch/barrier.cuh"
#include "tile/collective/decode/warp.cuh"

namespace aisp::tile {

template <DecodeConfig config, class Functions>
class DecodeStore {
 public:
  using Warp = DecodeWarp<config, Functions>;

  TILE_DEVICE DecodeStore(const DecodeProblem& problem, DecodeShared<config>& shared)
      : problem_(problem), shared_(shared) {}

  // By all math warps. Barrier 1 is theirs.
  TILE_DEVICE void store(const Warp& warp, const DecodeSegment& segment) {
    float factor[2];  // (2): the rows
    join_weights(warp, factor);
    if (warp.key_group() == 0 && warp.lane() % 4 == 0) store_weights(warp, segment);
    const int groups = problem_.key_groups;
    const int first = warp.warp() - warp.key_group();  // of the warps with the same rows
#pragma unroll
    for (int group = 0; group < config.head_size / 32; ++group) {
#pragma unroll
      for (int atom = 0; atom < 4; ++atom)
#pragma unroll
        for (int i = 0; i < 4; ++i)
          shared_.accumulators[warp.warp()][4 * atom + i][warp.lane()] =
              warp.accumulators(4 * group + atom)[i] * factor[i / 2];
      meet();
      for (int atom = warp.key_group(); atom < 4; atom += groups) {
        float accumulators[4] = {};  // (MMA_C)
        for (int other = first; other < first + groups; ++other)
#pragma unroll
          for (int i = 0; i < 4; ++i)
            accumulators[i] += shared_.accumulators[other][4 * atom + i][warp.lane()];
        store_accumulators(warp, segment, 32 * group + 8 * atom + warp.column(), accumulators);
      }
      meet();  // before the next columns, or the next segment, come to the same memory
    }
  }

 private:
  static TILE_DEVICE void meet() { arch::barrier_sync(1, 32 * DecodeConfig::math_warps); }

  // The largest score and the sum of weights of the lane's rows over all warps, and what this
  // warp's accumulators are to be multiplied by.
  TILE_DEVICE void join_weights(const Warp& warp, float (&factor)[2]) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const float sum = warp.softmax().sum(half);
      if (warp.lane() % 4 == 0)
        shared_.weights[warp.warp()][warp.row_in_tile(half)] = {warp.softmax().top(half), sum};
    }
    meet();
    const int first = warp.warp() - warp.key_group();
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int row = warp.row_in_tile(half);
      top_[half] = -INFINITY;
      for (int other = 0; other < problem_.key_groups; ++other)
        top_[half] = fmaxf(top_[half], shared_.weights[first + other][row].x);
      const float base = top_[half] == -INFINITY ? 0.0f : top_[half];
      weight_[half] = 0;
      for (int other = 0; other < problem_.key_groups; ++other) {
        const float2 weight = shared_.weights[first + other][row];
        weight_[half] += weight.y * arch::exp2_approximate(weight.x - base);
      }
      factor[half] = arch::exp2_approximate(warp.softmax().top(half) - base);
    }
  }

  TILE_DEVICE void store_weights(const Warp& warp, const DecodeSegment& segment) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int row = warp.row_of(half);
      if (row >= rows_of(problem_.work, segment.of)) continue;
      if (!segment.whole)
        problem_.partial_weights[static_cast<std::int64_t>(segment.slot) * problem_.rows + row] = {
            top_[half], weight_[half]};
      else if (problem_.log_sum_exp != nullptr)
        store_log_sum(problem_, segment.sequence, segment.of,
                      decode_row(problem_.work, segment.head, row), top_[half], weight_[half]);
    }
  }

  TILE_DEVICE void store_accumulators(const Warp& warp, const DecodeSegment& segment, int column,
                                      const float (&accumulators)[4]) {
    const DecodeWork& work = problem_.work;
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int row = warp.row_of(half);
      if (row >= rows_of(work, segment.of)) continue;
      const float2 pair{accumulators[2 * half], accumulators[2 * half + 1]};
      if (!segment.whole) {
        const std::int64_t at = static_cast<std::int64_t>(segment.slot) * problem_.rows + row;
        *reinterpret_cast<float2*>(problem_.partial_accumulators + at * config.head_size + column) =
            pair;
        continue;
      }
      const DecodeRow coord = decode_row(work, segment.head, row);
      char* const to = problem_.o.row(work.sequences.packed() ? 0 : segment.sequence, coord.head,
                                      segment.of.query_start + coord.query);
      const float inverse = weight_[half] > 0 ? 1 / weight_[half] : 0;
      reinterpret_cast<std::uint32_t*>(to)[column / 2] =
          config.element == Element::bf16 ? arch::pack_bf16(pair.x * inverse, pair.y * inverse)
                                          : arch::pack_f16(pair.x * inverse, pair.y * inverse);
    }
  }

  const DecodeProblem& problem_;
  DecodeShared<config>& shared_;
  float top_[2], weight_[2];  // (2): the rows
};

}  // namespace aisp::tile
