// All 256 steps written out: each coefficient is part of its instruction, and nothing but
// multiply-adds is left between the loads and the stores.
#pragma once

#include "chapters/ch09/compute_bound/chains.cuh"
#include "lab/case/rung.hpp"

namespace ch09 {

inline constexpr int block_threads = 128;
// 16-byte vectors per thread, four chains each: what was fastest on the H200. More chains make the
// unrolled code larger than the instruction caches like.
inline constexpr int vectors_f32 = 2, vectors_f16 = 1;

template <class Chain, int vectors_each>
__device__ void unrolled_horner(const Chains16<Chain>* x, Chains16<Chain>* y, long long vectors) {
  using Math = Arithmetic<Chain>;
  constexpr int chains = 4 * vectors_each;
  constexpr CoefficientBits table = coefficient_bits<Chain>;
  const long long first =
      blockIdx.x * static_cast<long long>(block_threads * vectors_each) + threadIdx.x;
  Chains16<Chain> point[vectors_each] = {}, value[vectors_each];
#pragma unroll
  for (int v = 0; v < vectors_each; ++v)
    if (first + v * block_threads < vectors)
      point[v] = point[v].load(x + first + v * block_threads);
#pragma unroll
  for (int c = 0; c < chains; ++c) value[c / 4].chain[c % 4] = Math::from(table.at[degree]);
#pragma unroll
  for (int i = degree - 1; i >= 0; --i) {
#pragma unroll
    for (int c = 0; c < chains; ++c)
      value[c / 4].chain[c % 4] = Math::multiply_add(
          value[c / 4].chain[c % 4], point[c / 4].chain[c % 4], Math::from(table.at[i]));
  }
#pragma unroll
  for (int v = 0; v < vectors_each; ++v)
    if (first + v * block_threads < vectors) value[v].store(y + first + v * block_threads);
}

void run_immediate_f16(const lab::Launch& launch);

}  // namespace ch09
