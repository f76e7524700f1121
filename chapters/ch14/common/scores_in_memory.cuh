// Attention without a kernel of its own: the library's batched product writes the scores as f32, a
// kernel changes them, one hides those that the mask leaves out, a softmax makes bf16 weights of
// them, and a second product multiplies these by v.
#pragma once

#include <cmath>

#include "chapters/ch14/common/flex_kinds.hpp"
#include "tile/arch/convert.cuh"
#include "tile/arch/math.cuh"
#include "tile/device/gemm/gemm.hpp"

namespace aisp::ch14 {

struct StoredScores {
  float* scores;           // (heads of all sequences, rows, stride)
  std::uint16_t* weights;  // the same, bf16
  std::int64_t rows;       // of all heads
  int sequence_rows, heads, stride;
  Flex flex;
  const float* slope;
  const int* document;

  TILE_DEVICE float* row(std::int64_t at) const { return scores + at * stride; }
  TILE_DEVICE int query(std::int64_t at) const { return static_cast<int>(at % sequence_rows); }
  TILE_DEVICE int head(std::int64_t at) const {
    return static_cast<int>(at / sequence_rows % heads);
  }
  TILE_DEVICE float changed(float score, int head_of, int query_of, int key) const {
    constexpr auto cap = static_cast<float>(flex_cap);
    switch (flex) {
      case Flex::alibi:
      case Flex::causal_alibi:
        return score + slope[head_of] * static_cast<float>(key - query_of);
      case Flex::soft_cap:
        return cap * tile::arch::tanh_approximate(score / cap);
      case Flex::soft_cap_precise:
        return cap * tanhf(score / cap);
      default:
        return score;
    }
  }
  TILE_DEVICE bool sees(int query_of, int key) const {
    const bool causal = query_of >= key;
    switch (flex) {
      case Flex::causal:
      case Flex::causal_alibi:
        return causal;
      case Flex::document:
        return causal && document[query_of] == document[key];
      case Flex::prefix:
        return causal || key < sequence_rows / 4;
      case Flex::window:
        return causal && query_of - key < flex_window;
      default:
        return true;
    }
  }
};

inline constexpr int stored_threads = 256;

// A block for each row: four neighbours a thread.
template <class Change>
TILE_DEVICE void each_stored(const StoredScores& all, const Change& change) {
  const std::int64_t at = blockIdx.x;
  auto* row = reinterpret_cast<float4*>(all.row(at));
  const int query = all.query(at), head = all.head(at);
  for (int four = static_cast<int>(threadIdx.x); four < all.stride / 4; four += stored_threads) {
    float4 scores = row[four];
    scores.x = change(scores.x, head, query, 4 * four);
    scores.y = change(scores.y, head, query, 4 * four + 1);
    scores.z = change(scores.z, head, query, 4 * four + 2);
    scores.w = change(scores.w, head, query, 4 * four + 3);
    row[four] = scores;
  }
}

template <class Combine>
TILE_DEVICE float over_block(float value, Combine combine) {
  __shared__ float of_warps[stored_threads / 32];
  for (int distance = 16; distance > 0; distance /= 2)
    value = combine(value, __shfl_xor_sync(0xffffffff, value, distance));
  __syncthreads();  // what was there has been read
  if (threadIdx.x % 32 == 0) of_warps[threadIdx.x / 32] = value;
  __syncthreads();
  for (int warp = 0; warp < stored_threads / 32; ++warp)
    value = warp == 0 ? of_warps[0] : combine(value, of_warps[warp]);
  return value;
}

// The second and third time the row comes out of the caches.
TILE_DEVICE void softmax_stored(const StoredScores& all) {
  constexpr float log2_e = 1.4426950408889634f;
  const float* row = all.row(blockIdx.x);
  const int columns = all.sequence_rows, first = static_cast<int>(threadIdx.x);
  float largest = -INFINITY, sum = 0;
  for (int key = first; key < columns; key += stored_threads) largest = fmaxf(largest, row[key]);
  largest = over_block(largest, [](float a, float b) { return fmaxf(a, b); });
  const float base = largest == -INFINITY ? 0.0f : largest;
  const auto weight = [&](int key) {
    return key < columns ? tile::arch::exp2_approximate((row[key] - base) * log2_e) : 0.0f;
  };
  for (int key = first; key < columns; key += stored_threads) sum += weight(key);
  sum = over_block(sum, [](float a, float b) { return a + b; });
  const float inverse = sum > 0 ? 1.0f / sum : 0.0f;
  auto* to = reinterpret_cast<std::uint32_t*>(all.weights +
                                              static_cast<std::int64_t>(blockIdx.x) * all.stride);
  for (int pair = first; pair < all.stride / 2; pair += stored_threads)
    to[pair] = tile::arch::pack_bf16(weight(2 * pair) * inverse, weight(2 * pair + 1) * inverse);
}

}  // namespace aisp::ch14
