// Softmax of rows that come block by block: weights relative to a maximum that is known so far, and
// a factor that corrects what was added up before whenever it grows.
#pragma once

#include "tile/arch/math.cuh"
#include "tile/collective/attention/score_layout.hpp"

namespace aisp::tile {

// The larger one; NaN if either is, where that is asked for.
template <bool or_nan>
TILE_DEVICE float larger_score(float a, float b) {
  return or_nan ? arch::maximum_or_nan(a, b) : fmaxf(a, b);
}

// The four lanes that hold a row of the matrix unit's accumulators.
template <bool or_nan = false>
TILE_DEVICE float quad_maximum(float value) {
  value = larger_score<or_nan>(value, __shfl_xor_sync(0xffffffff, value, 1));
  return larger_score<or_nan>(value, __shfl_xor_sync(0xffffffff, value, 2));
}
TILE_DEVICE float quad_sum(float value) {
  value += __shfl_xor_sync(0xffffffff, value, 1);
  return value + __shfl_xor_sync(0xffffffff, value, 2);
}

// The two rows, 8 apart, of which a thread holds scores: every four are two neighbours of the upper
// row and two of the lower. Everything is in powers of two: exp(x) = 2^(x log2 e), and log2 e is
// part of the scores' scale, so that a weight costs one FMA and one exp2.
class OnlineSoftmax {
 public:
  TILE_DEVICE void start() {
#pragma unroll
    for (int row = 0; row < 2; ++row) {
      top_[row] = -INFINITY;
      sum_[row] = 0;
    }
  }

  // Scores become weights 2^(scale * score - top + lift). The top follows the largest score so far
  // within `slack`: a weight may reach 2^slack, which costs no accuracy, and most blocks need no
  // correction at all. Of every eight weights `polynomials` do without the special-function unit,
  // for functions of scores that need it themselves.
  template <int polynomials = 0, int count>
  TILE_DEVICE void weigh(float (&scores)[count], float scale, float slack, float lift) {
#pragma unroll
    for (int row = 0; row < 2; ++row) {
      // exp2_approximate() keeps a NaN. The polynomial's argument is limited, which no NaN
      // survives: there the largest score brings it to all weights of the row.
      constexpr bool or_nan = polynomials > 0;
      const float largest = quad_maximum<or_nan>(largest_of<or_nan>(scores, row)) * scale;
      const float top = largest > top_[row] + slack ? largest : top_[row];
      const float base = top == -INFINITY ? 0.0f : top;  // the row has seen no key yet
      factor_[row] = top == top_[row] ? 1.0f : arch::exp2_approximate(top_[row] - base);
      top_[row] = top;
      const float shift = or_nan && largest != largest ? largest : lift - base;
      constexpr int chains = chains_of(count / 2);
      float sum[chains] = {};  // (CHAINS)
#pragma unroll
      for (int i = 0; i < count / 2; ++i) {
        float& score = scores[offset_at<accumulator_rows(count)>(row, i)];
        const float exponent = fmaf(score, scale, shift);
        score = i % 8 < polynomials ? arch::exp2_polynomial(exponent)
                                    : arch::exp2_approximate(exponent);
        sum[i % chains] += score;
      }
#pragma unroll
      for (int i = 1; i < chains; ++i) sum[0] += sum[i];
      sum_[row] = sum_[row] * factor_[row] + sum[0];
    }
  }

  // Some row of this warp has to correct its accumulators.
  TILE_DEVICE bool moved() const {
    return __any_sync(0xffffffff, factor_[0] != 1.0f || factor_[1] != 1.0f);
  }
  TILE_DEVICE float factor(int row) const { return factor_[row]; }
  // Once, when all blocks are in: the sum of a row's weights, of all four lanes.
  TILE_DEVICE float sum(int row) const { return quad_sum(sum_[row]); }
  TILE_DEVICE float top(int row) const { return top_[row]; }

  // What this lane has of the sums: known when the last weight is.
  TILE_DEVICE float lane_sum() const { return sum_[0] + sum_[1]; }

 private:
  // One warp alone keeps a unit busy only with some independent results under way.
  static TILE_FN int chains_of(int values) { return values < 4 ? values : 4; }

  template <bool or_nan, int count>
  TILE_DEVICE static float largest_of(const float (&scores)[count], int row) {
    constexpr int chains = chains_of(count / 4);
    float largest[chains];  // (CHAINS)
#pragma unroll
    for (int i = 0; i < count / 4; ++i) {
      const float pair = larger_score<or_nan>(scores[4 * i + 2 * row], scores[4 * i + 2 * row + 1]);
      largest[i % chains] = i < chains ? pair : larger_score<or_nan>(largest[i % chains], pair);
    }
#pragma unroll
    for (int i = 1; i < chains; ++i) largest[0] = larger_score<or_nan>(largest[0], largest[i]);
    return largest[0];
  }

  float top_[2], sum_[2], factor_[2];  // (2): the rows
};

}  // namespace aisp::tile
