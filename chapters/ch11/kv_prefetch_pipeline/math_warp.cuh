// What one warp does with its 16 keys of a tile. The products are written transposed, keys times
// queries and values times weights: 16 rows of the matrix unit are keys, or columns of the values,
// and its 8 columns are the queries, so that few queries fill it.
#pragma once

#include "chapters/ch11/kv_prefetch_pipeline/tiles.cuh"
#include "tile/arch/convert.cuh"
#include "tile/arch/ldmatrix.cuh"
#include "tile/arch/math.cuh"
#include "tile/arch/mma.cuh"
#include "tile/arch/warp.cuh"

namespace aisp::ch11::kv {

// An 8x8 matrix of 16-bit elements, two neighbours of a row in each lane, transposed.
TILE_DEVICE std::uint32_t transpose_8x8(std::uint32_t rows) {
  std::uint32_t columns;
  asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(columns) : "r"(rows));
  return columns;
}

// Over the eight lanes that hold the same two queries.
TILE_DEVICE float largest_of_keys(float value) {
#pragma unroll
  for (int step = 4; step < 32; step *= 2)
    value = fmaxf(value, __shfl_xor_sync(0xffffffff, value, step));
  return value;
}
TILE_DEVICE float sum_of_keys(float value) {
#pragma unroll
  for (int step = 4; step < 32; step *= 2) value += __shfl_xor_sync(0xffffffff, value, step);
  return value;
}

// Element i of a product's accumulators belongs to row lane / 4 + 8 * (i / 2) and column 2 * (lane
// % 4) + i % 2: a lane has two queries everywhere.
class MathWarp {
 public:
  static constexpr int steps = head_size / 16;

  TILE_DEVICE explicit MathWarp(const Work& work)
      : work_(work),
        lane_(static_cast<int>(tile::arch::lane_index())),
        warp_(tile::arch::warp_uniform(static_cast<int>(threadIdx.x) / 32)) {
    // Four 8x8 matrices make one ldmatrix, 16 keys and 16 columns: for keys first those below each
    // other, for values, which are transposed, first those beside each other.
    const int matrix = lane_ / 8, line = lane_ % 8, first_key = 16 * warp_;
    k_line_ = (first_key + matrix % 2 * 8 + line) * 128;
    k_place_ = (matrix / 2 ^ line) * 16;
    v_line_ = (first_key + matrix / 2 * 8 + line) * 128;
    v_place_ = (matrix % 2 ^ line) * 16;
  }

  // Reads the queries and forgets all keys.
  TILE_DEVICE void start(int head) {
    const int query = lane_ / 4;
    const char* const from = work_.q +
                             static_cast<std::int64_t>(head * work_.queries + query) * row_bytes +
                             lane_ % 4 * 4;
#pragma unroll
    for (int i = 0; i < 2 * steps; ++i)
      q_[i / 2][i % 2] =
          query < work_.queries ? *reinterpret_cast<const std::uint32_t*>(from + i * 16) : 0u;
#pragma unroll
    for (int j = 0; j < 2; ++j) top_[j] = -INFINITY, weight_[j] = 0;
#pragma unroll
    for (auto& part : accumulators_)
#pragma unroll
      for (float& sum : part) sum = 0;
  }

  // `landed` is the shared address of the tile.
  TILE_DEVICE void attend(int tile, std::uint32_t landed) {
    const int left = work_.keys - tile * tile_keys - 16 * warp_;  // keys from this warp's first on
    float scores[4];
    score(landed, scores);
    if (left < 16) hide(left, scores);
    weigh(scores);
    add_values(landed + 2 * panel_bytes, left, scores);
  }

  TILE_DEVICE int lane() const { return lane_; }
  TILE_DEVICE int warp() const { return warp_; }
  // Of query 2 * (lane % 4) + j: the largest score in powers of two, and the sum of weights.
  TILE_DEVICE float top(int j) const { return top_[j]; }
  TILE_DEVICE float weight(int j) const { return sum_of_keys(weight_[j]); }
  // Columns 16 * step and on.
  TILE_DEVICE const float (&accumulators(int step) const)[4] { return accumulators_[step]; }

 private:
  static TILE_DEVICE int column(int step, int place) {
    return step / 4 * panel_bytes + ((step % 4 * 32) ^ place);
  }

  // Even and odd steps have accumulators of their own, so that two products are under way.
  TILE_DEVICE void score(std::uint32_t keys, float (&scores)[4]) const {
    float accumulators[2][4] = {};
#pragma unroll
    for (int step = 0; step < steps; ++step) {
      std::uint32_t k[4];
      tile::arch::ldmatrix_x4(k, keys + k_line_ + column(step, k_place_));
      tile::arch::mma_16x8x16_bf16(accumulators[step % 2], k, q_[step]);
    }
#pragma unroll
    for (int i = 0; i < 4; ++i) scores[i] = accumulators[0][i] + accumulators[1][i];
  }

  TILE_DEVICE void hide(int left, float (&scores)[4]) const {
#pragma unroll
    for (int i = 0; i < 4; ++i)
      if (lane_ / 4 + 8 * (i / 2) >= left) scores[i] = -INFINITY;
  }

  // Scores become weights 2^(scale * score - top). The top follows the largest score within a
  // slack: a weight may reach 2^8, which costs no accuracy, and most tiles need no correction.
  TILE_DEVICE void weigh(float (&scores)[4]) {
    constexpr float slack = 8;
    float factor[2];
#pragma unroll
    for (int j = 0; j < 2; ++j) {
      const float largest = largest_of_keys(fmaxf(scores[j], scores[j + 2])) * work_.scale;
      const float top = largest > top_[j] + slack ? largest : top_[j];
      const float base = top == -INFINITY ? 0.0f : top;  // no key so far
      factor[j] = top == top_[j] ? 1.0f : tile::arch::exp2_approximate(top_[j] - base);
      top_[j] = top;
#pragma unroll
      for (int i = j; i < 4; i += 2)
        scores[i] = tile::arch::exp2_approximate(fmaf(scores[i], work_.scale, -base));
      weight_[j] = weight_[j] * factor[j] + (scores[j] + scores[j + 2]);
    }
    if (!__any_sync(0xffffffff, factor[0] != 1.0f || factor[1] != 1.0f)) return;
#pragma unroll
    for (auto& part : accumulators_)
#pragma unroll
      for (int i = 0; i < 4; ++i) part[i] *= factor[i % 2];
  }

  TILE_DEVICE void add_values(std::uint32_t values, int left, const float (&weights)[4]) {
    const std::uint32_t p[2] = {transpose_8x8(tile::arch::pack_bf16(weights[0], weights[1])),
                                transpose_8x8(tile::arch::pack_bf16(weights[2], weights[3]))};
    // A weight of 0 does not undo a NaN: what lies behind the last key becomes 0 itself.
    std::uint32_t kept[2];
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int key = 8 * half + lane_ % 4 * 2;
      kept[half] = (key < left ? 0x0000ffffu : 0u) | (key + 1 < left ? 0xffff0000u : 0u);
    }
#pragma unroll
    for (int step = 0; step < steps; ++step) {
      std::uint32_t v[4];
      tile::arch::ldmatrix_x4_trans(v, values + v_line_ + column(step, v_place_));
      if (left < 16) {
#pragma unroll
        for (int i = 0; i < 4; ++i) v[i] &= kept[i / 2];
      }
      tile::arch::mma_16x8x16_bf16(accumulators_[step], v, p);
    }
  }

  const Work& work_;
  int lane_, warp_;
  int k_line_, k_place_, v_line_, v_place_;
  std::uint32_t q_[steps][2];
  float accumulators_[steps][4];
  float top_[2], weight_[2];
};

}  // namespace aisp::ch11::kv
