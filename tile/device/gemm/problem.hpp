// The GEMM as a user states it: D = activation(alpha A B + beta C + bias), for a batch of matrices.
#pragma once

#include <cstdint>

#include "tile/atom/block_scale.hpp"
#include "tile/collective/epilogue/activation.hpp"

namespace aisp::tile::device {

// One matrix of a batch in device memory. Rows are along m for A, C and D, along n for B; `major`
// says which index is contiguous, `stride` counts elements from one row (or column) to the next.
struct Matrix {
  const void* data = nullptr;
  Element element = Element::bf16;
  std::int64_t stride = 0;
  Major major = Major::k;         // of C and D: k means that rows (along n) are contiguous
  std::int64_t batch_stride = 0;  // elements from one matrix of the batch to the next
  // Block scales, laid out as ScaleExtent says; those of a batch follow each other. Of D they are
  // written. A factor of the whole matrix is part of alpha for A and B; D is its codes times their
  // scales times matrix_scale.
  Scaling scaling = Scaling::none;
  const void* scales = nullptr;
  float matrix_scale = 1;

  constexpr bool operator==(const Matrix&) const = default;
};

// A vector of D's element that is added to every column (n elements) or to every row (m elements)
// of each matrix of the batch.
struct Bias {
  const void* data = nullptr;  // null: no bias
  BiasAlong along = BiasAlong::columns;

  constexpr bool operator==(const Bias&) const = default;
};

struct GemmProblem {
  std::int64_t m = 0, n = 0, k = 0, batch = 1;
  Matrix a{};  // (m, k)
  Matrix b{};  // (n, k): B transposed, so that Major::k means contiguous along k for both
  Matrix c{};  // (m, n), read where beta is not 0
  Matrix d{};  // (m, n), written
  float alpha = 1, beta = 0;
  Bias bias{};
  Activation activation = Activation::none;

  constexpr bool operator==(const GemmProblem&) const = default;

  constexpr bool has_epilogue() const {
    return bias.data != nullptr || activation != Activation::none;
  }
};

}  // namespace aisp::tile::device
