// A layer's kernel: a block has eight rows of the weights and all vectors. Its weights come by one
// bulk copy, for they are contiguous; they depend on no other kernel, x does.
#pragma once

#include "chapters/ch11/programmatic_launch/chain.hpp"
#include "tile/arch/bulk_copy.cuh"
#include "tile/arch/pdl.cuh"

namespace aisp::ch11::chain {

struct Layer {
  const std::uint16_t* weights;  // (width, width), bf16
  const float* x;                // (batch, width)
  float* y;                      // the same
  int width;
};

// Where a kernel waits for the one ahead of it, and when the one behind may start.
enum class Overlap {
  none,           // a kernel starts when the one ahead is over
  waits_first,    // its blocks take their places early, and then wait; the next: when this is over
  prologue_first  // it fetches its weights before it waits; the next: right away
};

inline constexpr int warps = threads / 32;
inline constexpr int results = rows_per_block * batch;  // of a block, result b * rows + row
static_assert(results == 32, "each lane of a warp ends up with one result");

// Past L1, which may hold what the same place had two layers ago.
TILE_DEVICE float4 load_4(const float* from) {
  return __ldcg(reinterpret_cast<const float4*>(from));
}

// results += rows (of `width` weights) times x, for four neighbouring columns.
TILE_DEVICE void multiply_columns(const std::uint16_t* rows, int width, const float4 (&x)[batch],
                                  float (&sums)[results]) {
#pragma unroll
  for (int row = 0; row < rows_per_block; ++row) {
    const uint2 four = *reinterpret_cast<const uint2*>(rows + row * width);
    const float w[4] = {__uint_as_float(four.x << 16), __uint_as_float(four.x & 0xffff0000u),
                        __uint_as_float(four.y << 16), __uint_as_float(four.y & 0xffff0000u)};
#pragma unroll
    for (int b = 0; b < batch; ++b) {
      float& sum = sums[b * rows_per_block + row];
      sum = fmaf(w[0], x[b].x, sum);
      sum = fmaf(w[1], x[b].y, sum);
      sum = fmaf(w[2], x[b].z, sum);
      sum = fmaf(w[3], x[b].w, sum);
    }
  }
}

// Result i of all lanes is added up in lane i: each step halves the results that a lane holds.
template <int count>
TILE_DEVICE float add_lanes(float (&sums)[count], int lane) {
  if constexpr (count == 1) {
    return sums[0];
  } else {
    constexpr int half = count / 2;
    const bool upper = (lane & half) != 0;
    float kept[half];
#pragma unroll
    for (int i = 0; i < half; ++i) {
      const float given = upper ? sums[i] : sums[i + half];
      kept[i] = (upper ? sums[i + half] : sums[i]) + __shfl_xor_sync(0xffffffff, given, half);
    }
    return add_lanes(kept, lane);
  }
}

template <Overlap overlap>
TILE_DEVICE void run_layer(const Layer& layer) {
  extern __shared__ __align__(128) std::uint16_t rows[];  // (rows_per_block, width)
  __shared__ tile::arch::MBarrier landed;
  __shared__ float parts[warps][results];
  const int thread = static_cast<int>(threadIdx.x), lane = thread % 32, warp = thread / 32;
  const int first_row = static_cast<int>(blockIdx.x) * rows_per_block;

  if constexpr (overlap == Overlap::waits_first) tile::arch::wait_for_primary();
  if constexpr (overlap == Overlap::prologue_first) tile::arch::launch_dependents();
  if (thread == 0) {
    const int bytes = rows_per_block * layer.width * static_cast<int>(sizeof(std::uint16_t));
    tile::arch::mbarrier_init(&landed, 1);
    tile::arch::fence_mbarrier_init();
    tile::arch::mbarrier_arrive_expect(&landed, bytes);
    tile::arch::bulk_load(rows, layer.weights + static_cast<std::int64_t>(first_row) * layer.width,
                          bytes, &landed);
  }
  __syncthreads();  // the barrier is ready
  if constexpr (overlap == Overlap::prologue_first) tile::arch::wait_for_primary();

  const int b = lane / rows_per_block, row = first_row + lane % rows_per_block;
  const float before = warp == 0 ? __ldcg(layer.x + b * layer.width + row) : 0.0f;
  float sums[results] = {};
  for (int column = 4 * thread; column < layer.width; column += 4 * threads) {
    float4 x[batch];
#pragma unroll
    for (int i = 0; i < batch; ++i) x[i] = load_4(layer.x + i * layer.width + column);
    tile::arch::mbarrier_wait(&landed, 0);  // once it is over it stays so
    multiply_columns(rows + column, layer.width, x, sums);
  }
  parts[warp][lane] = add_lanes(sums, lane);
  __syncthreads();
  if (warp > 0) return;
  float sum = 0;
#pragma unroll
  for (int other = 0; other < warps; ++other) sum += parts[other][lane];
  layer.y[b * layer.width + row] = fmaf(share, fminf(fmaxf(sum, -1.0f), 1.0f), before);
}

}  // namespace aisp::ch11::chain
