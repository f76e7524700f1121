// The products of the separable transform inside a block: matrices in shared memory, mma.sync, a
// warp for every 32 x 64 part of a tile. All rungs multiply with this.
#pragma once

#include <cuda_runtime.h>

#include "chapters/ch11/common/tile_transform.hpp"
#include "tile/arch/barrier.cuh"
#include "tile/arch/convert.cuh"
#include "tile/arch/cp_async.cuh"
#include "tile/arch/ldmatrix.cuh"
#include "tile/arch/mma.cuh"

namespace aisp::ch11 {

inline constexpr int panel_columns = 64, line_bytes = 128;

// A row-major bf16 matrix in panels of 64 columns. Line i of a panel has its eight 16-byte chunks
// exchanged by XOR with i % 8, so that eight rows of a chunk lie in different banks: as TMA writes
// a box with its swizzle of 128 bytes.
template <int rows_, int columns_>
struct alignas(1024) SharedMatrix {
  static constexpr int rows = rows_, columns = columns_;
  static constexpr int panels = columns / panel_columns, panel_bytes = rows * line_bytes;
  static constexpr int bytes = panels * panel_bytes;
  unsigned char data[bytes];

  // Where 16-byte chunk `chunk` of a row lies.
  static TILE_DEVICE int offset(int row, int chunk) {
    return chunk / 8 * panel_bytes + row * line_bytes + (chunk % 8 ^ row % 8) * 16;
  }
};

template <int rows>
using SharedTile = SharedMatrix<rows, tile_columns>;

// The warps that multiply: two next to each other share 32 rows.
template <int rows>
inline constexpr int math_warps = rows / 32 * (tile_columns / panel_columns);

// Which part of a tile belongs to the warp.
struct Part {
  int row, panel;
};
TILE_DEVICE Part part_of_warp() {
  const int warp = static_cast<int>(threadIdx.x) / 32;
  return {warp / 2 * 32, warp % 2};
}

struct PartAccumulators {
  float at[2][8][4];  // 16 rows, 8 columns each
};

// accumulators = a b, this warp's part.
template <int rows, int depth>
TILE_DEVICE void multiply(PartAccumulators& accumulators, const SharedMatrix<rows, depth>& a,
                          const SharedMatrix<depth, tile_columns>& b, Part part) {
  using namespace tile::arch;
  const std::uint32_t lane = threadIdx.x % 32;
  // All rows that a lane asks for have the same rest modulo 8, so the swizzle of an even chunk is
  // one XOR with a constant.
  const std::uint32_t line = lane % 16 * line_bytes;
  const std::uint32_t swizzle = (lane / 16 ^ lane % 8) * 16;
  const std::uint32_t a_line = shared_address(a.data) + part.row * line_bytes + line;
  const std::uint32_t b_line = shared_address(b.data) + part.panel * b.panel_bytes + line;
#pragma unroll
  for (int i = 0; i < 2; ++i)
#pragma unroll
    for (int j = 0; j < 8; ++j)
#pragma unroll
      for (float& sum : accumulators.at[i][j]) sum = 0.0f;
#pragma unroll 2
  for (int k = 0; k < depth; k += 16) {
    std::uint32_t of_a[2][4];
#pragma unroll
    for (int i = 0; i < 2; ++i)
      ldmatrix_x4(of_a[i], a_line + k / panel_columns * a.panel_bytes + i * 16 * line_bytes +
                               (k % panel_columns * 2 ^ swizzle));
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      std::uint32_t of_b[4];
      ldmatrix_x4_trans(of_b, b_line + k * line_bytes + (j * 32 ^ swizzle));
#pragma unroll
      for (int i = 0; i < 2; ++i) {
        mma_16x8x16_bf16(accumulators.at[i][2 * j], of_a[i], {of_b[0], of_b[1]});
        mma_16x8x16_bf16(accumulators.at[i][2 * j + 1], of_a[i], {of_b[2], of_b[3]});
      }
    }
  }
}

// The accumulators as bf16 in place of the warp's part of a tile: a lane has two neighbours of
// eight rows that differ in their place modulo 8, so the stores of a warp meet no bank twice.
template <int rows>
TILE_DEVICE void put(const PartAccumulators& accumulators, SharedTile<rows>& tile, Part part) {
  const std::uint32_t lane = threadIdx.x % 32, swizzle = lane / 4 * 16;
  const std::uint32_t line = tile::arch::shared_address(tile.data) + part.panel * tile.panel_bytes +
                             (part.row + lane / 4) * line_bytes + lane % 4 * 4;
#pragma unroll
  for (int j = 0; j < 8; ++j) {
    const std::uint32_t chunk = line + (j * 16 ^ swizzle);
#pragma unroll
    for (int eight = 0; eight < 4; ++eight) {
      const float(&pair)[4] = accumulators.at[eight / 2][j];
      asm volatile("st.shared.b32 [%0], %1;" ::"r"(chunk + eight * 8 * line_bytes),
                   "r"(tile::arch::pack_bf16(pair[eight % 2 * 2], pair[eight % 2 * 2 + 1]))
                   : "memory");
    }
  }
}

// Where the warps that multiply meet; barriers 1 to 6 belong to the pairs.
template <int rows>
TILE_DEVICE void meet_all(int barrier) {
  tile::arch::barrier_sync(barrier, 32 * math_warps<rows>);
}
TILE_DEVICE void meet_pair() {
  tile::arch::barrier_sync(1 + static_cast<int>(threadIdx.x) / 64, 64);
}

// tile = left tile, by all warps that multiply; `barrier` is theirs. Rows of the result are read
// by the pair of warps that has them, or after another barrier.
template <int rows>
TILE_DEVICE void multiply_from_left(const SharedMatrix<rows, rows>& left, SharedTile<rows>& tile,
                                    int barrier) {
  const Part part = part_of_warp();
  PartAccumulators accumulators;
  multiply(accumulators, left, tile, part);
  meet_all<rows>(barrier);  // everybody has read all of it
  put(accumulators, tile, part);
}

// tile = tile right: only the two warps of a row read it.
template <int rows>
TILE_DEVICE void multiply_from_right(SharedTile<rows>& tile,
                                     const SharedMatrix<tile_columns, tile_columns>& right) {
  const Part part = part_of_warp();
  PartAccumulators accumulators;
  multiply(accumulators, tile, right, part);
  meet_pair();
  put(accumulators, tile, part);
}

// By all threads of a block of as many: asks for a matrix in global memory, row by row.
template <int threads, int rows, int columns>
TILE_DEVICE void fetch(SharedMatrix<rows, columns>& to, const std::uint16_t* from) {
  constexpr int row_chunks = columns / 8;
#pragma unroll 8
  for (int i = static_cast<int>(threadIdx.x); i < rows * row_chunks; i += threads)
    tile::arch::cp_async_16(to.data + to.offset(i / row_chunks, i % row_chunks), from + i * 8);
}
// And back.
template <int threads, int rows, int columns>
TILE_DEVICE void store(const SharedMatrix<rows, columns>& from, std::uint16_t* to) {
  constexpr int row_chunks = columns / 8;
#pragma unroll 8
  for (int i = static_cast<int>(threadIdx.x); i < rows * row_chunks; i += threads)
    reinterpret_cast<uint4*>(to)[i] =
        *reinterpret_cast<const uint4*>(from.data + from.offset(i / row_chunks, i % row_chunks));
}

// Dynamic shared memory from the next multiple of 1024 bytes on.
template <class T>
TILE_DEVICE T& in_shared_memory() {
  extern __shared__ unsigned char raw[];
  return *reinterpret_cast<T*>((reinterpret_cast<std::uintptr_t>(raw) + 1023) &
                               ~std::uintptr_t{1023});
}
template <class T>
inline constexpr int shared_bytes = static_cast<int>(sizeof(T)) + 1024;

}  // namespace aisp::ch11
