// The multi-stage main loop: cp.async fills a ring of shared-memory stages while the micro-tiles
// multiply, and fragments of the next k are read while those of this k are used.
#pragma once

#include "chapters/ch09/micro_tiling_matmul/cp_async.cuh"
#include "chapters/ch09/micro_tiling_matmul/matmul.cuh"
#include "chapters/ch09/micro_tiling_matmul/micro_tile.cuh"

namespace ch09 {

// What one thread copies of each k tile. Rows past m and columns past n are read from the last
// valid one: their results are never stored. Only k has to be filled up with zeros, and the short
// k tile comes first, so that the loop needs no bounds.
template <MicroTileConfig config>
class TileCopies {
  static constexpr int a_rows_at_once = config.threads() / 8;  // a thread copies k, k + 8, ...
  static constexpr int a_rows = config.tile_m / a_rows_at_once;
  static constexpr int b_vectors = config.tile_n / 4;
  static constexpr int b_rows_at_once = config.threads() / b_vectors;
  static constexpr int b_rows = config.tile_k / b_rows_at_once;
  static_assert(a_rows_at_once * a_rows == config.tile_m, "threads / 8 must divide tile_m");
  static_assert(b_vectors * b_rows_at_once == config.threads() &&
                    b_rows_at_once * b_rows == config.tile_k,
                "tile_n / 4 must divide threads, and threads / (tile_n / 4) tile_k");

 public:
  __device__ TileCopies(const MatmulArgs& args, TileCoord tile) : n_(args.n) {
    const int thread = threadIdx.x;
    a_k_ = thread % 8;
    a_m_ = thread / 8;
    b_k_ = thread / b_vectors;
    b_n_ = thread % b_vectors * 4;
    const int last = args.m - 1 - tile.m * config.tile_m;
#pragma unroll
    for (int i = 0; i < a_rows; ++i) a_offset_[i] = min(a_m_ + i * a_rows_at_once, last) * args.k;
    a_ = args.a + static_cast<long long>(tile.m) * config.tile_m * args.k + a_k_;
    b_ = args.b + static_cast<long long>(b_k_) * args.n +
         min(tile.n * config.tile_n + b_n_, args.n - 4);
  }

  // The first k tile has only `depth` rows of k; the others are zeros.
  __device__ void copy_first(float* stage, int depth) {
#pragma unroll
    for (int k = 0; k < config.tile_k; k += 8) {
      const bool inside = a_k_ + k < depth;
#pragma unroll
      for (int i = 0; i < a_rows; ++i)
        copy_4_async(a_slot(stage, k, i), a_ + (inside ? a_offset_[i] + k : 0), inside ? 4 : 0);
    }
#pragma unroll
    for (int i = 0; i < b_rows; ++i) {
      const bool inside = b_k_ + i * b_rows_at_once < depth;
      copy_16_async(b_slot(stage, i), inside ? b_row(i) : b_, inside ? 16 : 0);
    }
    advance(depth);
  }

  __device__ void copy(float* stage) {
#pragma unroll
    for (int k = 0; k < config.tile_k; k += 8) {
#pragma unroll
      for (int i = 0; i < a_rows; ++i) copy_4_async(a_slot(stage, k, i), a_ + a_offset_[i] + k);
    }
#pragma unroll
    for (int i = 0; i < b_rows; ++i) copy_16_async(b_slot(stage, i), b_row(i));
    advance(config.tile_k);
  }

 private:
  __device__ float* a_slot(float* stage, int k, int i) const {  // (tile_k, tile_m): transposed
    return stage + (a_k_ + k) * config.a_stride() + a_m_ + i * a_rows_at_once;
  }
  __device__ float* b_slot(float* stage, int i) const {  // (tile_k, tile_n)
    return stage + config.a_floats() + (b_k_ + i * b_rows_at_once) * config.tile_n + b_n_;
  }
  __device__ const float* b_row(int i) const {
    return b_ + static_cast<long long>(i) * b_rows_at_once * n_;
  }
  __device__ void advance(int depth) {
    a_ += depth;
    b_ += static_cast<long long>(depth) * n_;
  }

  const float *a_, *b_;
  int n_, a_k_, a_m_, b_k_, b_n_;
  int a_offset_[a_rows];
};

template <MicroTileConfig config>
__device__ void pipelined_matmul(const MatmulArgs& args) {
  using Tile = MicroTile<config>;
  static_assert(config.stages >= 2, "one stage is being read while another is filled");
  extern __shared__ float4 ring_smem[];  // stages x (a: tile_k x a_stride, b: tile_k x tile_n)
  float* const ring = reinterpret_cast<float*>(ring_smem);
  const TileCoord tile = banded_tile(blockIdx.x, ceil_div(args.m, config.tile_m),
                                     ceil_div(args.n, config.tile_n), config.band);
  const int k_tiles = ceil_div(args.k, config.tile_k);

  TileCopies<config> copies(args, tile);
  copies.copy_first(ring, args.k - (k_tiles - 1) * config.tile_k);
  commit_copies();
#pragma unroll
  for (int stage = 1; stage < config.stages - 1; ++stage) {
    if (stage < k_tiles) copies.copy(ring + stage * config.stage_floats());
    commit_copies();  // an empty group keeps the count of groups equal to that of tiles
  }

  const Tile mine;
  float acc[Tile::micro_m][Tile::micro_n] = {};
  float a[2][Tile::micro_m], b[2][Tile::micro_n];
  int read = 0, write = config.stages - 1;
  const float* a_smem = ring + mine.first_m;                      // (tile_k, a_stride)
  const float* b_smem = ring + config.a_floats() + mine.first_n;  // (tile_k, tile_n)
  wait_copies<config.stages - 2>();
  __syncthreads();
  Tile::read_a(a[0], a_smem);
  Tile::read_b(b[0], b_smem);

#pragma unroll 1
  for (int k_tile = 0; k_tile < k_tiles; ++k_tile) {
#pragma unroll
    for (int k = 0; k < config.tile_k; ++k) {
      const bool last = k == config.tile_k - 1;
      if (last) {
        wait_copies<config.stages - 2>();
        __syncthreads();  // the next stage has landed, and nobody reads this one any more
        read = read + 1 == config.stages ? 0 : read + 1;
        a_smem = ring + read * config.stage_floats() + mine.first_m;
        b_smem = ring + read * config.stage_floats() + config.a_floats() + mine.first_n;
      }
      const int next_k = last ? 0 : k + 1;
      Tile::read_a(a[(k + 1) % 2], a_smem + next_k * config.a_stride());
      Tile::read_b(b[(k + 1) % 2], b_smem + next_k * config.tile_n);
      if (k == 0) {
        if (k_tile + config.stages - 1 < k_tiles) copies.copy(ring + write * config.stage_floats());
        commit_copies();
        write = write + 1 == config.stages ? 0 : write + 1;
      }
      Tile::multiply_add(acc, a[k % 2], b[k % 2]);
    }
  }

#pragma unroll
  for (int i = 0; i < Tile::micro_m; ++i) {
    const int m = tile.m * config.tile_m + mine.row(i);
    if (m >= args.m) continue;
#pragma unroll
    for (int j = 0; j < Tile::micro_n; j += 4) {
      const int n = tile.n * config.tile_n + mine.column(j);  // n and args.n are multiples of 4
      if (n < args.n)
        *reinterpret_cast<float4*>(args.c + static_cast<long long>(m) * args.n + n) =
            make_float4(acc[i][j], acc[i][j + 1], acc[i][j + 2], acc[i][j + 3]);
    }
  }
}

}  // namespace ch09
