// Rung 2 in fp16: two elements per chain.
#include "chapters/ch09/common/geometry.hpp"
#include "chapters/ch09/compute_bound/immediate.cuh"

namespace {

__global__ void __launch_bounds__(ch09::block_threads)
    horner_immediate_f16x2(const ch09::Chains16<__half2>* x, ch09::Chains16<__half2>* y,
                           long long vectors) {
  ch09::unrolled_horner<__half2, ch09::vectors_f16>(x, y, vectors);
}

}  // namespace

namespace ch09 {

void run_immediate_f16(const lab::Launch& launch) {
  const auto vectors = launch.dim(0) / 8;
  horner_immediate_f16x2<<<ch09::blocks_for(vectors, ch09::block_threads * ch09::vectors_f16),
                           ch09::block_threads, 0, launch.stream>>>(
      launch.in<ch09::Chains16<__half2>>(0), launch.out<ch09::Chains16<__half2>>(0), vectors);
  lab::check_cuda(cudaGetLastError(), "horner_immediate_f16x2");
}

}  // namespace ch09
