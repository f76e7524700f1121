// Softmax of scores that arrive block of keys by block of keys: weights are relative to the largest
// score so far; when a larger one comes, what was summed before shrinks by a factor.
//
// A thread holds pairs of neighbours of two rows, 8 apart, as the accumulators of every matrix
// instruction lie: value 4 i + 2 h + c is row h, column 8 i + 2 (lane % 4) + c. Four lanes share a
// row.
#pragma once

#include <cmath>

#include "tile/arch/convert.cuh"
#include "tile/arch/math.cuh"

namespace aisp::ch10 {

namespace arch = tile::arch;

inline constexpr float log2_e = 1.4426950408889634f;

// `folded`: the exponent is one multiply-add, s * (scale * log2(e)) - largest * (scale * log2(e)).
// Else it is spelled out: exp of scale * (s - largest), where exp multiplies by log2(e) once more.
template <bool folded>
class OnlineSoftmax {
 public:
  TILE_DEVICE explicit OnlineSoftmax(float scale) : scale_(folded ? scale * log2_e : scale) {}

  // Scores become weights; the accumulators before them are to be multiplied by shrunk[row].
  template <int count>
  TILE_DEVICE void weigh(float (&scores)[count], float (&shrunk)[2]) {
#pragma unroll
    for (int row = 0; row < 2; ++row) {
      const float before = largest_[row];
      const float largest = largest_[row] = of_quad(largest_of(scores, row));
      shrunk[row] = weight(before, largest);
      float sum = 0;
#pragma unroll
      for (int i = 2 * row; i < count; i += 4) {
        scores[i] = weight(scores[i], largest);
        scores[i + 1] = weight(scores[i + 1], largest);
        sum += scores[i] + scores[i + 1];
      }
      sum_[row] = sum_[row] * shrunk[row] + sum;
    }
  }

  // What the outputs of each row are to be multiplied by in the end.
  TILE_DEVICE void finish(float (&inverse)[2]) const {
#pragma unroll
    for (int row = 0; row < 2; ++row) {
      float sum = sum_[row];
      sum += __shfl_xor_sync(0xffffffff, sum, 1);
      sum += __shfl_xor_sync(0xffffffff, sum, 2);
      inverse[row] = 1.0f / sum;
    }
  }

 private:
  template <int count>
  TILE_DEVICE float largest_of(const float (&scores)[count], int row) const {
    float largest = largest_[row];
#pragma unroll
    for (int i = 2 * row; i < count; i += 4)
      largest = fmaxf(largest, fmaxf(scores[i], scores[i + 1]));
    return largest;
  }
  TILE_DEVICE static float of_quad(float largest) {
    largest = fmaxf(largest, __shfl_xor_sync(0xffffffff, largest, 1));
    return fmaxf(largest, __shfl_xor_sync(0xffffffff, largest, 2));
  }
  TILE_DEVICE float weight(float score, float largest) const {
    if constexpr (folded) return arch::exp2_approximate(fmaf(score, scale_, -largest * scale_));
    return arch::exp2_approximate(scale_ * (score - largest) * log2_e);
  }

  float scale_;
  float largest_[2] = {-INFINITY, -INFINITY};
  float sum_[2] = {0, 0};  // of this thread's columns
};

// Keys after the last one that a row sees get no weight.
template <int count>
TILE_DEVICE void hide_keys(float (&scores)[count], int first_key, int last_upper, int last_lower) {
  const int column = first_key + static_cast<int>(threadIdx.x) % 4 * 2;
#pragma unroll
  for (int i = 0; i < count; ++i)
    if (column + i / 4 * 8 + i % 2 > (i / 2 % 2 == 0 ? last_upper : last_lower))
      scores[i] = -INFINITY;
}

template <int count>
TILE_DEVICE void shrink_rows(float (&accumulators)[count], const float (&by)[2]) {
#pragma unroll
  for (int i = 0; i < count; ++i) accumulators[i] *= by[i / 2 % 2];
}

// 16 neighbouring columns of accumulators as operand A of the next product: both instructions,
// mma.sync and wgmma, want them where they are.
template <int count>
TILE_DEVICE void as_operand_a(std::uint32_t (&a)[4], const float (&accumulators)[count], int step) {
#pragma unroll
  for (int i = 0; i < 4; ++i)
    a[i] = arch::pack_bf16(accumulators[8 * step + 2 * i], accumulators[8 * step + 2 * i + 1]);
}

}  // namespace aisp::ch10
