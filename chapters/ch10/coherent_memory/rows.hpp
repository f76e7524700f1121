// The function of coherent_memory: one dot product for every row of a matrix that lies in the
// host's memory. Every byte is needed once, so that how it comes to the multiprocessors is all that
// counts.
#pragma once

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstdint>

#include "lab/case/rung.hpp"

namespace aisp::ch10 {

struct RowShape {
  explicit RowShape(const lab::Size& size) : rows(size.dims.at(0)), columns(size.dims.at(1)) {}
  std::int64_t rows, columns;  // floats

  std::int64_t row_bytes() const { return 4 * columns; }
  std::int64_t bytes() const { return rows * row_bytes(); }

  // Where they come in parts: 8 MiB, or a tenth of a small matrix.
  std::int64_t chunk_rows() const {
    constexpr std::int64_t largest = 8 << 20;
    return std::clamp<std::int64_t>(rows / 10, 1, std::max<std::int64_t>(1, largest / row_bytes()));
  }
  std::int64_t chunks() const { return (rows + chunk_rows() - 1) / chunk_rows(); }
  // Of a chunk; the last one may have fewer.
  std::int64_t rows_in(std::int64_t chunk) const {
    return std::min(chunk_rows(), rows - chunk * chunk_rows());
  }
  std::int64_t offset_of(std::int64_t chunk) const {  // in bytes
    return chunk * chunk_rows() * row_bytes();
  }
};

// The launch's products of the rows of one chunk, which lie at `x`, wherever the device can read.
void enqueue_chunk(const lab::Launch& launch, const void* x, std::int64_t chunk);
// Of all rows.
void enqueue_all(const lab::Launch& launch, const void* x);

}  // namespace aisp::ch10
