// An output whose elements share block scales: a warp finds the largest of each block in its
// fragments, then stores the codes and, once, the scale. What pads the scales to whole blocks of
// 128 rows x 4 is written too: the next product reads it beside elements that are zero.
#pragma once

#include "tile/atom/quantize.hpp"
#include "tile/collective/epilogue/fragment_memory.hpp"
#include "tile/collective/epilogue/output.cuh"
#include "tile/collective/epilogue/staging.cuh"
#include "tile/collective/gemm_config_sm100.hpp"

namespace aisp::tile {

struct ScaledOutput : BatchOutput {
  std::uint8_t* scales = nullptr;
  ScaleExtent scale_extent{};  // of one matrix; those of a batch follow each other
  float of_matrix = 1;         // what the codes and scales are multiplied by to give the output
};
template <Sm100Config config>
using Sm100Output =
    std::conditional_t<config.out_scaling == Scaling::none, BatchOutput, ScaledOutput>;

namespace detail {

// Of four neighbouring lanes. Magnitudes compare as their bits do, NaN above all others.
TILE_DEVICE std::uint32_t largest_of_quad(std::uint32_t magnitude) {
#pragma unroll
  for (int mask = 1; mask < 4; mask *= 2) {
    const std::uint32_t other = __shfl_xor_sync(0xFFFFFFFFu, magnitude, mask);
    magnitude = other > magnitude ? other : magnitude;
  }
  return magnitude;
}

template <Element element>
TILE_DEVICE void write_codes(void* data, std::int64_t index, std::uint8_t first,
                             std::uint8_t second) {
  if constexpr (element == Element::e2m1)
    static_cast<std::uint8_t*>(data)[index / 2] = static_cast<std::uint8_t>(first | second << 4);
  else
    static_cast<std::uint16_t*>(data)[index / 2] = static_cast<std::uint16_t>(first | second << 8);
}

}  // namespace detail

// The elements that share a scale, of 16 rows: `fragments` side by side, the first of which begins
// at `coord` (of this lane). Lines begin at an even element and have an even number of them.
template <Element element, Scaling scaling, int count>
TILE_DEVICE void store_scaled(const ScaledOutput& out,
                              const EpilogueFragment<float> (&fragments)[count], OutputCoord coord,
                              Extent extent) {
  static_assert(8 * count == scaled_together(scaling) && bits_of(element) != 6);
  const ScaleExtent& scales = out.scale_extent;
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const int row = coord.row + 8 * half;
    std::uint32_t largest = 0;
#pragma unroll
    for (int i = 0; i < count; ++i)
#pragma unroll
      for (const float value : fragments[i].at[half]) {
        const std::uint32_t magnitude = __float_as_uint(value) & 0x7FFFFFFFu;
        const bool inside = coord.column + 8 * i < extent.columns;
        if (inside && magnitude > largest) largest = magnitude;
      }
    largest = detail::largest_of_quad(largest);
    const std::uint8_t code = scale_code(scaling, element, __uint_as_float(largest), out.of_matrix);
    const float scale = scale_value(scaling, code);
    const int number = coord.column / scaled_together(scaling);
    if (lane() % 4 == 0 && row < scales.row_blocks() * scale_rows &&
        number < scales.groups() * scales_in_group)
      out.scales[coord.batch * scales.bytes() + scales.offset(row, number)] = code;
    if (row >= extent.rows) continue;
    const std::int64_t line = coord.batch * out.batch_stride + row * out.stride;
#pragma unroll
    for (int i = 0; i < count; ++i)
      if (coord.column + 8 * i < extent.columns)
        detail::write_codes<element>(
            out.data, line + coord.column + 8 * i,
            quantized(element, fragments[i].at[half][0], scale, out.of_matrix),
            quantized(element, fragments[i].at[half][1], scale, out.of_matrix));
  }
}

}  // namespace aisp::tile
