// The baseline's kernel for one pair of types; each .cu beside it compiles one family of types, so
// that none takes long.
#pragma once

#include "chapters/ch09/micro_tiling_matmul/register_matmul.cuh"
#include "lab/case/rung.hpp"

namespace aisp::ch09 {

template <class In, class Out>
__global__ void __launch_bounds__(eight_by_eight.threads(), eight_by_eight.blocks_per_sm)
    gemm_micro_tiles(const __grid_constant__ TypedMatmulArgs<In, Out> args) {
  register_matmul<eight_by_eight, true>(args);
}

template <class In, class Out>
void run_micro_tiles(const lab::Launch& launch) {
  const int m = static_cast<int>(launch.dim(0)), n = static_cast<int>(launch.dim(1));
  const int blocks = ceil_div(m, eight_by_eight.tile_m) * ceil_div(n, eight_by_eight.tile_n);
  gemm_micro_tiles<In, Out><<<blocks, eight_by_eight.threads(), 0, launch.stream>>>(
      {launch.in<In>(0), launch.in<In>(1), launch.out<Out>(0), m, n,
       static_cast<int>(launch.dim(2))});
  lab::check_cuda(cudaGetLastError(), "gemm_micro_tiles");
}

lab::Run prepare_fp32();
void run_bf16(const lab::Launch& launch);
void run_fp16(const lab::Launch& launch);
void run_fp8(const lab::Launch& launch);

}  // namespace aisp::ch09
