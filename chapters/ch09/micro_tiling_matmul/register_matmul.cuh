// The micro-tile main loop without overlap: load a k-block, wait, multiply, wait. Inputs may be of
// any element type; they become floats on their way to shared memory, products are FFMA.
#pragma once

#include "chapters/ch09/micro_tiling_matmul/matmul.cuh"
#include "chapters/ch09/micro_tiling_matmul/micro_tile.cuh"

namespace aisp::ch09 {

// 128 threads of 8x8 elements; three blocks share an SM, so that one loads while others multiply.
inline constexpr MicroTileConfig eight_by_eight{
    .tile_m = 128, .tile_n = 64, .tile_k = 16, .warps_m = 4, .warps_n = 1, .blocks_per_sm = 3};

template <class In, class Out>
struct TypedMatmulArgs {
  const In* a;  // (m, k)
  const In* b;  // (k, n), or (n, k) for b_is_nk
  Out* c;       // (m, n)
  int m, n, k;
};

template <class Element>
struct alignas(16) Vector16 {  // what one thread loads at once
  static constexpr int count = 16 / static_cast<int>(sizeof(Element));
  Element elements[count];
};

// A (tile_rows, tile_k) tile of a matrix whose rows run along k, stored k-major in shared memory.
// Rows past `rows` repeat the last one, k past the end is zero; k is a multiple of the vector.
template <int tile_rows, int tile_k, int stride, int threads, class Element>
__device__ void load_transposed(float* smem, const Element* matrix, int first_row, int rows,
                                int first_k, int k) {
  using Vector = Vector16<Element>;
  constexpr int per_row = tile_k / Vector::count;
#pragma unroll
  for (int at = threadIdx.x; at < tile_rows * per_row; at += threads) {
    const int row = at / per_row, column = at % per_row * Vector::count;
    Vector vector{};
    if (first_k + column < k)
      vector = *reinterpret_cast<const Vector*>(
          matrix + static_cast<long long>(min(first_row + row, rows - 1)) * k + first_k + column);
#pragma unroll
    for (int i = 0; i < Vector::count; ++i)
      smem[(column + i) * stride + row] = static_cast<float>(vector.elements[i]);
  }
}

// A (tile_k, tile_columns) tile of a matrix whose rows run along n.
template <int tile_k, int tile_columns, int stride, int threads>
__device__ void load_straight(float* smem, const float* matrix, int first_k, int k,
                              int first_column, int columns) {
  constexpr int per_row = tile_columns / 4;
#pragma unroll
  for (int at = threadIdx.x; at < tile_k * per_row; at += threads) {
    const int row = at / per_row, column = at % per_row * 4;
    float4 four{};
    if (first_k + row < k)
      four = *reinterpret_cast<const float4*>(matrix +
                                              static_cast<long long>(first_k + row) * columns +
                                              min(first_column + column, columns - 4));
    *reinterpret_cast<float4*>(smem + row * stride + column) = four;
  }
}

template <MicroTileConfig config, bool b_is_nk, class In, class Out>
__device__ void register_matmul(const TypedMatmulArgs<In, Out>& args) {
  using Tile = MicroTile<config>;
  constexpr int a_stride = config.tile_m + 4, b_stride = config.tile_n + 4;
  __shared__ alignas(16) float a_smem[config.tile_k * a_stride];  // (tile_k, a_stride)
  __shared__ alignas(16) float b_smem[config.tile_k * b_stride];  // (tile_k, b_stride)
  const TileCoord tile = banded_tile(blockIdx.x, ceil_div(args.m, config.tile_m),
                                     ceil_div(args.n, config.tile_n), config.band);
  const int first_m = tile.m * config.tile_m, first_n = tile.n * config.tile_n;
  const Tile mine;
  float acc[Tile::micro_m][Tile::micro_n] = {};
  for (int first_k = 0; first_k < args.k; first_k += config.tile_k) {
    load_transposed<config.tile_m, config.tile_k, a_stride, config.threads()>(
        a_smem, args.a, first_m, args.m, first_k, args.k);
    if constexpr (b_is_nk)
      load_transposed<config.tile_n, config.tile_k, b_stride, config.threads()>(
          b_smem, args.b, first_n, args.n, first_k, args.k);
    else
      load_straight<config.tile_k, config.tile_n, b_stride, config.threads()>(
          b_smem, args.b, first_k, args.k, first_n, args.n);
    __syncthreads();
#pragma unroll
    for (int k = 0; k < config.tile_k; ++k) {
      float a[Tile::micro_m], b[Tile::micro_n];
      Tile::read_a(a, a_smem + k * a_stride + mine.first_m);
      Tile::read_b(b, b_smem + k * b_stride + mine.first_n);
      Tile::multiply_add(acc, a, b);
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < Tile::micro_m; ++i) {
    const int m = first_m + mine.row(i);
    if (m >= args.m) continue;
#pragma unroll
    for (int j = 0; j < Tile::micro_n; j += 4) {
      const int n = first_n + mine.column(j);  // args.n is a multiple of 4
      if (n >= args.n) continue;
      struct alignas(4 * sizeof(Out)) Four {
        Out elements[4];
      };
      *reinterpret_cast<Four*>(args.c + static_cast<long long>(m) * args.n + n) =
          Four{{static_cast<Out>(acc[i][j]), static_cast<Out>(acc[i][j + 1]),
                static_cast<Out>(acc[i][j + 2]), static_cast<Out>(acc[i][j + 3])}};
    }
  }
}

}  // namespace aisp::ch09
