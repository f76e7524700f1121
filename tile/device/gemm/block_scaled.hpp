// Products of 8-bit floats with factors for blocks of their operands, as models in fp8 are kept:
//   D(m, n) = bias(n) + column_factor(n) * sum over k of
//             a_factor(m, k / 128) A(m, k) * b_factor(n / 128, k / 128) B(n, k)
// On sm_90. Blackwell's own block scales, of 16 or 32 elements, are Matrix::scaling.
#pragma once

#include "tile/device/gemm/gemm.hpp"

namespace aisp::tile::device {

inline constexpr int factor_block = 128;

// f32 in device memory. Strides count floats; 0: all along it are the same, so that one factor
// serves a matrix, a row or a column.
struct Factors {
  const float* data = nullptr;
  std::int64_t row_stride = 0;  // of A: from row to row; of B: from 128 columns to the next 128
  std::int64_t k_stride = 0;    // from 128 k to the next 128

  constexpr bool operator==(const Factors&) const = default;
};

struct BlockScaledProblem {
  GemmProblem product{};  // e4m3 x e4m3 -> bf16; batch 1, alpha 1, beta 0
  Factors a{}, b{};
  const float* column_factors = nullptr;  // n numbers, or null
  const void* bias = nullptr;             // n numbers of D's element, or null

  constexpr bool operator==(const BlockScaledProblem&) const = default;
};

Plan plan_gemm_block_scaled(const BlockScaledProblem& problem);

}  // namespace aisp::tile::device
