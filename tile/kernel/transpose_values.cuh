// fp8 products take the second operand with the sum's index contiguous: values (rows, head) become
// (head, rows) before attention, each 32 rows in the order in which fp8 weights stand in registers.
#pragma once

#include "tile/collective/attention/products_sm90.cuh"

namespace aisp::tile {

struct TransposeValues {
  const char* from;  // one byte per element; strides in elements
  std::int64_t row_stride, head_stride, batch_stride;
  char* to;  // (batch, heads, head_size, padded): rows behind the last are zeros
  int rows, heads, head_size, padded;
  const std::int32_t* lengths;  // rows of a sequence that hold anything; null: all
};

inline constexpr int transposed_rows = 128;

// A block of 128 threads has 128 rows and some columns of one head: x counts rows, y columns, z
// heads.
template <int columns>
__global__ void __launch_bounds__(128) transpose_values(const TransposeValues all) {
  __shared__ unsigned char tile[columns][transposed_rows + 4];  // (ROWS + 4, COLUMNS)
  const int head = static_cast<int>(blockIdx.z) % all.heads;
  const int sequence = static_cast<int>(blockIdx.z) / all.heads;
  const int first_row = static_cast<int>(blockIdx.x) * transposed_rows;
  const int first_column = static_cast<int>(blockIdx.y) * columns;
  const int rows = all.lengths ? all.lengths[sequence] : all.rows;
  const int thread = static_cast<int>(threadIdx.x), row = first_row + thread;
  const char* line = all.from + sequence * all.batch_stride + head * all.head_stride +
                     row * all.row_stride + first_column;
#pragma unroll
  for (int chunk = 0; chunk < columns / 16; ++chunk) {
    int4 sixteen{};
    if (row < rows) sixteen = *reinterpret_cast<const int4*>(line + 16 * chunk);
    const int words[4]{sixteen.x, sixteen.y, sixteen.z, sixteen.w};
#pragma unroll
    for (int i = 0; i < 16; ++i)
      tile[16 * chunk + i][thread] = static_cast<unsigned char>(words[i / 4] >> 8 * (i % 4));
  }
  __syncthreads();
  char* out =
      all.to +
      ((static_cast<std::int64_t>(sequence) * all.heads + head) * all.head_size + first_column) *
          all.padded +
      first_row;
  const int slot = thread % 32 * 4;  // four rows of every fourth column
  for (int column = thread / 32; column < columns; column += 4) {
    unsigned word = 0;
#pragma unroll
    for (int i = 0; i < 4; ++i)
      word |= static_cast<unsigned>(tile[column][slot / 32 * 32 + fp8_key_of_slot(slot % 32 + i)])
              << 8 * i;
    *reinterpret_cast<unsigned*>(out + static_cast<std::int64_t>(column) * all.padded + slot) =
        word;
  }
}

}  // namespace aisp::tile
