// One thread for each block of a matrix that gets block scales.
#pragma once

#include "tile/arch/target.cuh"
#include "tile/collective/quantize_block.hpp"

namespace aisp::tile {

inline constexpr int quantize_threads = 128;

template <Element from>
__global__ void __launch_bounds__(quantize_threads)
    quantize_rows(const __grid_constant__ QuantizeParams params) {
  const std::int64_t number = std::int64_t{blockIdx.x} * quantize_threads + threadIdx.x;
  const std::int64_t row = number / params.blocks();
  if (row < params.rows()) quantize_block<from>(params, row, number % params.blocks());
}

// The bits of the largest magnitude, which compare as the magnitudes do, NaN above all others.
// `largest` is 0 at first.
template <Element from>
__global__ void __launch_bounds__(quantize_threads)
    largest_magnitude_of(const Code<from>* data, std::int64_t rows, std::int64_t k,
                         std::int64_t stride, unsigned* largest) {
  unsigned own = 0;
  for (std::int64_t row = blockIdx.x; row < rows; row += gridDim.x)
    for (std::int64_t at = threadIdx.x; at < k; at += quantize_threads) {
      const float value = decode_one<from>(data[row * stride + at]);
      own = max(own, __float_as_uint(value) & 0x7FFFFFFFu);
    }
  own = __reduce_max_sync(0xFFFFFFFFu, own);
  if (threadIdx.x % 32 == 0) atomicMax(largest, own);
}

}  // namespace aisp::tile
