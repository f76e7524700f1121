// A matrix becomes narrow floats with block scales, a block at a time: one thread, or the host,
// reads the elements that share a scale and writes their codes and the scale.
#pragma once

#include "tile/atom/convert.hpp"
#include "tile/atom/quantize.hpp"

namespace aisp::tile {

// Row-major, strides in elements. Rows of codes begin at a whole byte.
struct QuantizeParams {
  const void* from = nullptr;
  std::int64_t from_stride = 0;
  std::uint8_t* codes = nullptr;
  std::int64_t stride = 0;
  Element element = Element::e2m1;
  std::uint8_t* scales = nullptr;
  ScaleExtent extent{};
  float matrix_scale = 1;

  // Blocks of a row, and rows, with what pads the scales.
  TILE_FN std::int64_t blocks() const { return extent.groups() * scales_in_group; }
  TILE_FN std::int64_t rows() const { return extent.row_blocks() * scale_rows; }
};

// What lies outside of the matrix gets a scale of 0 and no codes.
template <Element from>
TILE_BOTH void quantize_block(const QuantizeParams& p, std::int64_t row, std::int64_t block) {
  const int together = scaled_together(p.extent.scaling), bits = bits_of(p.element);
  const std::int64_t first = block * together;
  const std::int64_t left = row < p.extent.rows ? p.extent.k - first : 0;
  const int count = static_cast<int>(left < 0 ? 0 : left < together ? left : together);
  const auto* const line = static_cast<const Code<from>*>(p.from) + row * p.from_stride + first;
  std::uint32_t largest = 0;  // magnitudes compare as their bits do, NaN above all others
  for (int i = 0; i < count; ++i) {
    const std::uint32_t magnitude = detail::bits_of_float(decode_one<from>(line[i])) & 0x7FFFFFFFu;
    largest = magnitude > largest ? magnitude : largest;
  }
  const std::uint8_t code = count == 0 ? std::uint8_t{0}
                                       : scale_code(p.extent.scaling, p.element,
                                                    detail::float_of_bits(largest), p.matrix_scale);
  p.scales[p.extent.offset(row, block)] = code;
  const float scale = scale_value(p.extent.scaling, code);
  std::uint8_t* to = p.codes + (row * p.stride + first) * bits / 8;
  std::uint32_t waiting = 0;  // bits that do not fill a byte yet
  int held = 0;
  for (int i = 0; i < count; ++i) {
    const std::uint32_t one =
        quantized(p.element, decode_one<from>(line[i]), scale, p.matrix_scale);
    waiting |= one << held;
    for (held += bits; held >= 8; held -= 8, waiting >>= 8)
      *to++ = static_cast<std::uint8_t>(waiting);
  }
  if (held > 0) *to = static_cast<std::uint8_t>(waiting);
}

}  // namespace aisp::tile
