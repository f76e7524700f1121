// Copies an operand's tiles, one k-block after the other, from global to shared memory by cp.async.
// What lies outside the matrix becomes zeros, which add nothing.
#pragma once

#include "tile/arch/cp_async.cuh"
#include "tile/tiled/tiled_copy.hpp"

namespace aisp::tile {

// A or B of a batch of products. Strides count elements; a line runs along the contiguous index.
struct OperandMatrix {
  const void* data = nullptr;
  std::int64_t line_stride = 0, batch_stride = 0;
  int rows = 0, k = 0;  // rows along m or n
};

template <OperandTile tile, int threads>
class TiledCopy {
  using Plan = CopyPlan<tile, threads>;
  static constexpr int element_bytes = bytes_of(tile.element);
  static constexpr bool k_major = tile.major == Major::k;

 public:
  // The tile of rows from `row` on, starting with k element `k`.
  TILE_DEVICE TiledCopy(const OperandMatrix& matrix, int row, int batch, int k)
      : line_stride_(matrix.line_stride * element_bytes) {
    const int thread = static_cast<int>(threadIdx.x);
    const int line = k_major ? row : k, along = k_major ? k : row;
    lines_left_ = (k_major ? matrix.rows : matrix.k) - line - Plan::line(thread, 0);
    elements_left_ =
        (k_major ? matrix.k : matrix.rows) - along - Plan::byte(thread) / element_bytes;
    const std::int64_t first = batch * matrix.batch_stride + along;
    from_ = static_cast<const char*>(matrix.data) + first * element_bytes +
            (line + Plan::line(thread, 0)) * line_stride_ + Plan::byte(thread);
  }

  // The next k-block to `to`.
  TILE_DEVICE void copy(char* to) {
    const int thread = static_cast<int>(threadIdx.x);
    const std::uint32_t start = arch::shared_address(to);  // (BLK_MN, BLK_K)
    const int valid = CpAsync16::valid(0, min(elements_left_, CpAsync16::bytes) * element_bytes);
    const char* from = from_;
#pragma unroll
    for (int i = 0; i < Plan::count; ++i) {
      const bool inside = i * Plan::lines_at_once < lines_left_;
      arch::cp_async_16(start + Plan::offset(thread, i), from, inside ? valid : 0);
      from += Plan::lines_at_once * line_stride_;
    }
    advance();
  }

 private:
  TILE_DEVICE void advance() {
    if constexpr (k_major) {
      from_ += tile.k * element_bytes;
      elements_left_ -= tile.k;
    } else {
      from_ += tile.k * line_stride_;
      lines_left_ -= tile.k;
    }
  }

  const char* from_;
  std::int64_t line_stride_;        // bytes
  int lines_left_, elements_left_;  // from this thread's first chunk to the edges
};

}  // namespace aisp::tile
