// Tensor maps as the driver would write them, and the rows of a box in them.
#pragma once

#include <gtest/gtest.h>

#include <vector>

#include "sim/exec/async/tma_box.hpp"

namespace aisp::tma_maps {

using namespace sim;

// 16 x 8 x 4 words, boxes of 8 x 4 x 2; all of it valid.
inline TensorMap tiled(int rank = 2) {
  TensorMap map;
  map.rank = static_cast<std::uint8_t>(rank);
  map.element_type = static_cast<int>(TensorType::u32);
  map.address = 0x10000;
  const std::uint64_t dim[] = {16, 8, 4, 4, 4}, stride[] = {64, 512, 2048, 8192};
  const std::uint16_t box[] = {8, 4, 2, 2, 2};
  std::copy(std::begin(dim), std::end(dim), map.dim);
  std::copy(std::begin(stride), std::end(stride), map.stride);
  std::copy(std::begin(box), std::end(box), map.box);
  std::fill(std::begin(map.element_stride), std::end(map.element_stride), 1);
  return map;
}

// Channels of 4 words, packed.
inline TensorMap pixels(std::vector<std::uint64_t> dims, std::vector<int> lower,
                        std::vector<int> upper, std::vector<int> steps, int count) {
  TensorMap map = tiled(static_cast<int>(dims.size()));
  map.kind = MapKind::im2col;
  map.channels_per_pixel = 4;
  map.pixels_per_column = static_cast<std::uint16_t>(count);
  std::uint64_t bytes = 4;
  for (std::size_t i = 0; i < dims.size(); ++i) {
    map.dim[i] = dims[i];
    map.element_stride[i] = static_cast<std::uint8_t>(steps[i]);
    bytes *= dims[i];
    if (i < 4) map.stride[i] = bytes;
  }
  for (std::size_t i = 0; i < lower.size(); ++i) {
    map.lower[i] = static_cast<std::int16_t>(lower[i]);
    map.upper[i] = static_cast<std::int16_t>(upper[i]);
  }
  return map;
}

// The first word of each row, counted from the start of the tensor; -1 where all lies outside.
inline std::vector<int> first_words(const TensorMap& map, const TmaRequest& request) {
  EXPECT_EQ(why_invalid(map, map.is_wide() ? 10 : 9), "");
  EXPECT_EQ(why_refused(map, request), "");
  std::vector<BoxRow> rows;
  box_rows(map, request, rows);
  EXPECT_EQ(rows.size(), box_shape(map, request).rows);
  std::vector<int> words;
  for (const BoxRow& row : rows)
    words.push_back(
        row.from == row.to ? -1 : static_cast<int>(row.address + row.from - map.address) / 4);
  return words;
}

inline TmaRequest at(std::vector<int> coordinates, std::vector<int> offsets = {}) {
  TmaRequest request;
  std::copy(coordinates.begin(), coordinates.end(), request.coordinate);
  std::copy(offsets.begin(), offsets.end(), request.offset);
  return request;
}

}  // namespace aisp::tma_maps
