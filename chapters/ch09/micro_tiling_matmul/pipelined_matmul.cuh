// The multi-stage main loop: cp.async fills a ring of shared-memory stages while the micro-tiles
// multiply, and fragments of the next k are read while those of this k are used.
#pragma once

#include <type_traits>

#include "chapters/ch09/micro_tiling_matmul/cp_async.cuh"
#include "chapters/ch09/micro_tiling_matmul/matmul.cuh"
#include "chapters/ch09/micro_tiling_matmul/micro_tile.cuh"

namespace aisp::ch09 {

// What one thread copies of each k-block of an operand. Rows past the end are read from the last
// valid one: their results are never stored. Only k has to be filled up with zeros, and the short
// k-block comes first, so that the loop needs no bounds.

// An operand whose rows run along k, (rows, k): 4-byte copies put it into shared memory k-major.
template <MicroTileConfig config, int rows, int stride>
class TransposingCopy {
  static constexpr int rows_at_once = config.threads() / 8;  // a thread copies k, k + 8, ...
  static constexpr int count = rows / rows_at_once;
  static_assert(rows_at_once * count == rows, "threads / 8 must divide the rows of a tile");

 public:
  __device__ TransposingCopy(const float* from, int tile, int all_rows, int k)
      : k_(static_cast<int>(threadIdx.x) % 8), row_(static_cast<int>(threadIdx.x) / 8) {
    const int last = all_rows - 1 - tile * rows;
#pragma unroll
    for (int i = 0; i < count; ++i) offset_[i] = min(row_ + i * rows_at_once, last) * k;
    from_ = from + static_cast<long long>(tile) * rows * k + k_;
  }

  // The first k-block has only `depth` rows of k; the others are zeros.
  __device__ void copy_first(float* to, int depth) {
#pragma unroll
    for (int k = 0; k < config.tile_k; k += 8) {
      const bool inside = k_ + k < depth;
#pragma unroll
      for (int i = 0; i < count; ++i)
        copy_4_async(slot(to, k, i), from_ + (inside ? offset_[i] + k : 0), inside ? 4 : 0);
    }
  }

  __device__ void copy(float* to) {
#pragma unroll
    for (int k = 0; k < config.tile_k; k += 8) {
#pragma unroll
      for (int i = 0; i < count; ++i) copy_4_async(slot(to, k, i), from_ + offset_[i] + k);
    }
  }

  __device__ void advance(int depth) { from_ += depth; }

 private:
  __device__ float* slot(float* to, int k, int i) const {  // (tile_k, stride)
    return to + (k_ + k) * stride + row_ + i * rows_at_once;
  }

  const float* from_;
  int k_, row_;
  int offset_[count];
};

// An operand whose rows run along n, (k, n): 16-byte copies keep its order.
template <MicroTileConfig config>
class StraightCopy {
  static constexpr int vectors = config.tile_n / 4;
  static constexpr int rows_at_once = config.threads() / vectors;
  static constexpr int count = config.tile_k / rows_at_once;
  static_assert(vectors * rows_at_once == config.threads() && rows_at_once * count == config.tile_k,
                "tile_n / 4 must divide threads, and threads / (tile_n / 4) tile_k");

 public:
  __device__ StraightCopy(const float* from, int tile, int n, int)
      : n_(n),
        k_(static_cast<int>(threadIdx.x) / vectors),
        column_(static_cast<int>(threadIdx.x) % vectors * 4) {
    from_ = from + static_cast<long long>(k_) * n + min(tile * config.tile_n + column_, n - 4);
  }

  __device__ void copy_first(float* to, int depth) {
#pragma unroll
    for (int i = 0; i < count; ++i) {
      const bool inside = k_ + i * rows_at_once < depth;
      copy_16_async(slot(to, i), inside ? row(i) : from_, inside ? 16 : 0);
    }
  }

  __device__ void copy(float* to) {
#pragma unroll
    for (int i = 0; i < count; ++i) copy_16_async(slot(to, i), row(i));
  }

  __device__ void advance(int depth) { from_ += static_cast<long long>(depth) * n_; }

 private:
  __device__ float* slot(float* to, int i) const {  // (tile_k, tile_n)
    return to + (k_ + i * rows_at_once) * config.tile_n + column_;
  }
  __device__ const float* row(int i) const {
    return from_ + static_cast<long long>(i) * rows_at_once * n_;
  }

  const float* from_;
  int n_, k_, column_;
};

template <MicroTileConfig config>
__device__ void pipelined_matmul(const MatmulArgs& args) {
  using Tile = MicroTile<config>;
  static_assert(config.stages >= 2, "one stage is being read while another is filled");
  extern __shared__ float4 ring_smem[];  // stages x (a: tile_k x a_stride, b: tile_k x b_stride)
  float* const ring = reinterpret_cast<float*>(ring_smem);
  const TileCoord tile = banded_tile(blockIdx.x, ceil_div(args.m, config.tile_m),
                                     ceil_div(args.n, config.tile_n), config.band);
  const int k_blocks = ceil_div(args.k, config.tile_k);

  TransposingCopy<config, config.tile_m, config.a_stride()> a_copy(args.a, tile.m, args.m, args.k);
  using BCopy =
      std::conditional_t<config.b_is_nk, TransposingCopy<config, config.tile_n, config.b_stride()>,
                         StraightCopy<config>>;
  BCopy b_copy(args.b, tile.n, args.n, args.k);
  const auto copy_stage = [&](int stage) {
    float* const to = ring + stage * config.stage_floats();
    a_copy.copy(to);
    b_copy.copy(to + config.a_floats());
    a_copy.advance(config.tile_k);
    b_copy.advance(config.tile_k);
  };
  const int first_depth = args.k - (k_blocks - 1) * config.tile_k;
  a_copy.copy_first(ring, first_depth);
  b_copy.copy_first(ring + config.a_floats(), first_depth);
  a_copy.advance(first_depth);
  b_copy.advance(first_depth);
  commit_copies();
#pragma unroll
  for (int stage = 1; stage < config.stages - 1; ++stage) {
    if (stage < k_blocks) copy_stage(stage);
    commit_copies();  // an empty group keeps the count of groups equal to that of tiles
  }

  const Tile mine;
  float acc[Tile::micro_m][Tile::micro_n] = {};
  float a[2][Tile::micro_m], b[2][Tile::micro_n];
  int read = 0, write = config.stages - 1;
  const float* a_smem = ring + mine.first_m;                      // (tile_k, a_stride)
  const float* b_smem = ring + config.a_floats() + mine.first_n;  // (tile_k, b_stride)
  wait_copies<config.stages - 2>();
  __syncthreads();
  Tile::read_a(a[0], a_smem);
  Tile::read_b(b[0], b_smem);

#pragma unroll 1
  for (int k_block = 0; k_block < k_blocks; ++k_block) {
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
      Tile::read_b(b[(k + 1) % 2], b_smem + next_k * config.b_stride());
      if (k == 0) {
        if (k_block + config.stages - 1 < k_blocks) copy_stage(write);
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

}  // namespace aisp::ch09
