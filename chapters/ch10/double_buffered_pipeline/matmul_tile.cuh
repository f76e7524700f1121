// What every rung of this ladder shares: the operands, the tile, its place in shared memory, the
// micro-tile of a thread and the store. Only how tiles get into shared memory differs.
#pragma once

#include "lab/case/rung.hpp"
#include "tile/schedule/tile_order.hpp"
#include "tile/tiled/operand_tile.hpp"

namespace aisp::ch10 {

// C = A B, all row-major.
struct MatmulArgs {
  const float* a;  // (m, k)
  const float* b;  // (k, n)
  float* c;        // (m, n)
  int m, n, k;
};

inline constexpr int tile_m = 128, tile_n = 256, tile_k = 32;
inline constexpr int threads = 256;  // 4 x 2 warps of 4 x 8 lanes, 8 x 16 accumulators each
inline constexpr int micro_m = 8, micro_n = 16;

// A keeps its rows of 32 along k; B is cut into boxes of 32 along n, a line for each k. Lines have
// 128 bytes, their 16-byte units exchanged by line % 8: nobody meets a bank conflict.
inline constexpr tile::OperandTile a_tile{tile::Element::f32, tile::Major::k, tile_m, tile_k};
inline constexpr tile::OperandTile b_tile{tile::Element::f32, tile::Major::mn, tile_n, tile_k};

struct alignas(1024) TileBuffer {
  char a[a_tile.bytes()];
  char b[b_tile.bytes()];
};

inline __host__ __device__ int ceil_div(int value, int divisor) {
  return (value + divisor - 1) / divisor;
}

inline __host__ __device__ tile::TileGrid grid_of(const MatmulArgs& args) {
  return {ceil_div(args.m, tile_m), ceil_div(args.n, tile_n)};
}

// The corner of the block's tile: neighbours in groups of 8 rows share what L2 holds.
struct Corner {
  int row, column;
};
inline __device__ Corner block_corner(const MatmulArgs& args) {
  const tile::TileCoord at = tile::grouped_order(static_cast<int>(blockIdx.x), grid_of(args), 8);
  return {at.m * tile_m, at.n * tile_n};
}

// The start of dynamic shared memory is aligned to 16 bytes only.
inline __device__ TileBuffer* buffers_in_shared() {
  extern __shared__ char raw[];
  const auto address = static_cast<unsigned>(__cvta_generic_to_shared(raw));
  return reinterpret_cast<TileBuffer*>(raw + (1024 - address % 1024) % 1024);
}
template <int buffers>
constexpr int shared_bytes = buffers* static_cast<int>(sizeof(TileBuffer)) + 1024;

// A thread's 8 x 16 accumulators of the block's tile: rows 4 apart, columns in fours 32 apart.
class MicroTile {
 public:
  __device__ MicroTile() {
    const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
    // Neighbours (lane ^ 1) read the same rows of A, lane ^ 2 the same columns of B, so that a
    // 16-byte read of a warp takes two passes over shared memory.
    const int lane_m = (lane >> 1 & 1) | (lane >> 3 & 2);
    const int lane_n = (lane & 1) | (lane >> 1 & 6);
    row_ = warp / 2 * (tile_m / 4) + lane_m;
    column_ = warp % 2 * (tile_n / 2) + lane_n * 4;  // four in each of four boxes
    a_ = row_ * line_bytes;
    b_ = column_ / 32 * b_tile.panel_bytes();
    unit_ = lane_n;
  }

  __device__ void multiply(const TileBuffer& buffer) {
#pragma unroll 1  // 512 FMAs are enough for one iteration, and few for the instruction cache
    for (int unit = 0; unit < tile_k / 4; ++unit) {
      float4 a[micro_m];
#pragma unroll
      for (int i = 0; i < micro_m; ++i) a[i] = read_a(buffer, i, unit);
#pragma unroll
      for (int k = 0; k < 4; ++k) {
        float4 b[micro_n / 4];
#pragma unroll
        for (int j = 0; j < micro_n / 4; ++j) b[j] = read_b(buffer, unit * 4 + k, j);
        add_products(a, b, k);
      }
    }
  }

  __device__ void store(const MatmulArgs& args, Corner corner) const {
#pragma unroll
    for (int i = 0; i < micro_m; ++i) {
      const int m = corner.row + row(i);
      if (m >= args.m) continue;
#pragma unroll
      for (int j = 0; j < micro_n / 4; ++j) {
        const int n = corner.column + column(j);  // args.n is a multiple of 4
        if (n < args.n)
          *reinterpret_cast<float4*>(args.c + static_cast<long long>(m) * args.n + n) = make_float4(
              sums_[i][4 * j], sums_[i][4 * j + 1], sums_[i][4 * j + 2], sums_[i][4 * j + 3]);
      }
    }
  }

 private:
  static constexpr int line_bytes = 128;

  // Four along k of row i, and four along n of box j. row_ % 4 and i % 2 give the line modulo 8.
  __device__ float4 read_a(const TileBuffer& buffer, int i, int unit) const {
    const int swizzled = unit ^ (row_ % 4 + i % 2 * 4);
    return *reinterpret_cast<const float4*>(buffer.a + a_ + 4 * i * line_bytes + swizzled * 16);
  }
  __device__ float4 read_b(const TileBuffer& buffer, int k, int j) const {
    const int swizzled = unit_ ^ (k % 8);
    return *reinterpret_cast<const float4*>(buffer.b + b_ + j * b_tile.panel_bytes() +
                                            k * line_bytes + swizzled * 16);
  }

  __device__ int row(int i) const { return row_ + 4 * i; }
  __device__ int column(int j) const { return column_ + 32 * j; }

  static __device__ float part(const float4& four, int k) {
    return k == 0 ? four.x : k == 1 ? four.y : k == 2 ? four.z : four.w;
  }
  __device__ void add_products(const float4 (&a)[micro_m], const float4 (&b)[micro_n / 4], int k) {
#pragma unroll
    for (int i = 0; i < micro_m; ++i)
#pragma unroll
      for (int j = 0; j < micro_n; ++j) {
        // Back and forth, so that the last b of a row is the first of the next one.
        const int snake = i % 2 == 0 ? j : micro_n - 1 - j;
        sums_[i][snake] += part(a[i], k) * part(b[snake / 4], snake % 4);
      }
  }

  int row_, column_;
  int a_, b_, unit_;  // in bytes: its first row of A, its first box of B; its unit of a line of B
  float sums_[micro_m][micro_n] = {};
};

inline int blocks_of(const MatmulArgs& args) { return grid_of(args).count(); }

template <int buffers, class Kernel>
void allow_shared_memory(Kernel* kernel, const char* name) {
  lab::check_cuda(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                       shared_bytes<buffers>),
                  name);
}

inline MatmulArgs matmul_args(const lab::Launch& launch) {
  return {.a = launch.in<float>(0),
          .b = launch.in<float>(1),
          .c = launch.out<float>(0),
          .m = static_cast<int>(launch.dim(0)),
          .n = static_cast<int>(launch.dim(1)),
          .k = static_cast<int>(launch.dim(2))};
}

}  // namespace aisp::ch10
