// Rung 1: eight independent chains per thread, loaded 16 bytes at a time; fp16 packs two elements
// into each. One fetched coefficient now serves eight multiply-adds that do not wait for each
// other.
#include "chapters/ch09/common/geometry.hpp"
#include "chapters/ch09/compute_bound/chains.cuh"
#include "lab/case/registry.hpp"

namespace {

constexpr int block_threads = 256, vectors_each = 2, chains = 4 * vectors_each;

__constant__ ch09::CoefficientBits float_table = ch09::coefficient_bits<float>;
__constant__ ch09::CoefficientBits half2_table = ch09::coefficient_bits<__half2>;

template <class Chain>
__device__ void eight_chains(const ch09::Chains16<Chain>* x, ch09::Chains16<Chain>* y,
                             long long vectors, const ch09::CoefficientBits& table) {
  using Math = ch09::Arithmetic<Chain>;
  const long long first =
      blockIdx.x * static_cast<long long>(block_threads * vectors_each) + threadIdx.x;
  ch09::Chains16<Chain> point[vectors_each] = {}, value[vectors_each];
#pragma unroll
  for (int v = 0; v < vectors_each; ++v)
    if (first + v * block_threads < vectors)
      point[v] = point[v].load(x + first + v * block_threads);
#pragma unroll
  for (int c = 0; c < chains; ++c) value[c / 4].chain[c % 4] = Math::from(table.at[ch09::degree]);
#pragma unroll 16
  for (int i = ch09::degree - 1; i >= 0; --i) {
    const Chain coefficient = Math::from(table.at[i]);
#pragma unroll
    for (int c = 0; c < chains; ++c)
      value[c / 4].chain[c % 4] =
          Math::multiply_add(value[c / 4].chain[c % 4], point[c / 4].chain[c % 4], coefficient);
  }
#pragma unroll
  for (int v = 0; v < vectors_each; ++v)
    if (first + v * block_threads < vectors) value[v].store(y + first + v * block_threads);
}

__global__ void __launch_bounds__(block_threads)
    horner_chains_f32(const ch09::Chains16<float>* x, ch09::Chains16<float>* y, long long vectors) {
  eight_chains(x, y, vectors, float_table);
}

__global__ void __launch_bounds__(block_threads)
    horner_chains_f16x2(const ch09::Chains16<__half2>* x, ch09::Chains16<__half2>* y,
                        long long vectors) {
  eight_chains(x, y, vectors, half2_table);
}

void run(const lab::Launch& launch) {
  const bool half = launch.problem.inputs.at(0).dtype == lab::Dtype::f16;
  const auto vectors = launch.dim(0) / (half ? 8 : 4);
  const auto blocks = ch09::blocks_for(vectors, block_threads * vectors_each);
  if (half)
    horner_chains_f16x2<<<blocks, block_threads, 0, launch.stream>>>(
        launch.in<ch09::Chains16<__half2>>(0), launch.out<ch09::Chains16<__half2>>(0), vectors);
  else
    horner_chains_f32<<<blocks, block_threads, 0, launch.stream>>>(
        launch.in<ch09::Chains16<float>>(0), launch.out<ch09::Chains16<float>>(0), vectors);
  lab::check_cuda(cudaGetLastError(), "horner_chains");
}

const lab::RungEntry entry{
    "ch09:compute_bound",
    {.name = "independent_chains",
     .step = 1,
     .builds_on = "dependent_chain",
     .idea = "eight independent chains per thread, 16-byte accesses, packed halves",
     .look_at = "one constant fetched per eight multiply-adds; no stall on the result",
     .prepare = lab::plain(run)}};

}  // namespace
