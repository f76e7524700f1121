// Horner's rule on independent chains, with all 256 steps written out: each coefficient is part of
// its instruction, and nothing but multiply-adds is left between the loads and the stores.
#pragma once

#include "chapters/ch09/common/geometry.hpp"
#include "chapters/ch09/compute_bound/chains.cuh"
#include "lab/case/rung.hpp"

namespace aisp::ch09 {

inline constexpr int block_threads = 128;

// A thread has `vectors_each` 16-byte vectors of four chains each.
template <int vectors_each, class Chain>
__device__ void horner(const Chains16<Chain>* x, Chains16<Chain>* y, long long vectors) {
  using Math = Arithmetic<Chain>;
  constexpr CoefficientBits table = coefficient_bits<Chain>;
  constexpr int chains = 4 * vectors_each;
  const long long first =
      blockIdx.x * static_cast<long long>(block_threads * vectors_each) + threadIdx.x;
  Chains16<Chain> point[vectors_each], value[vectors_each];
  // Past the end the last vector is computed once more and not stored: no branch around the chains.
#pragma unroll
  for (int v = 0; v < vectors_each; ++v)
    point[v] = Chains16<Chain>::load(x + min(first + v * block_threads, vectors - 1));
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

// Starts one of the kernels built on horner().
template <int vectors_each, class Chain>
void launch_horner(void (*kernel)(const Chains16<Chain>*, Chains16<Chain>*, long long),
                   const lab::Launch& launch) {
  const auto vectors = launch.problem.inputs.at(0).bytes() / 16;
  kernel<<<blocks_for(vectors, block_threads * vectors_each), block_threads, 0, launch.stream>>>(
      launch.in<Chains16<Chain>>(0), launch.out<Chains16<Chain>>(0), vectors);
  lab::check_cuda(cudaGetLastError(), "horner");
}

// The fp16 kernels of the two rungs are compiled in files of their own: unrolled, each takes a
// while.
void run_four_chains_f16(const lab::Launch& launch);
void run_eight_chains_f16(const lab::Launch& launch);

inline bool is_f16(const lab::Launch& launch) {
  return launch.problem.inputs.at(0).dtype == lab::Dtype::f16;
}

}  // namespace aisp::ch09
