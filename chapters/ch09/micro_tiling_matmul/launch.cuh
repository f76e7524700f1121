// From the lab's buffers to the operands of the kernels, and the launch of the pipelined ones.
#pragma once

#include "chapters/ch09/micro_tiling_matmul/matmul.cuh"
#include "chapters/ch09/micro_tiling_matmul/micro_tile.cuh"
#include "lab/case/rung.hpp"

namespace aisp::ch09 {

inline MatmulArgs matmul_args(const lab::Launch& launch) {
  return {.a = launch.in<float>(0),
          .b = launch.in<float>(1),
          .c = launch.out<float>(0),
          .m = static_cast<int>(launch.dim(0)),
          .n = static_cast<int>(launch.dim(1)),
          .k = static_cast<int>(launch.dim(2))};
}

// Runs a kernel built on pipelined_matmul<config>.
template <MicroTileConfig config>
lab::Run ring_run(void (*kernel)(MatmulArgs), const char* name) {
  lab::check_cuda(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                       config.shared_bytes()),
                  name);
  return [kernel, name](const lab::Launch& launch) {
    const MatmulArgs args = matmul_args(launch);
    const int blocks = ceil_div(args.m, config.tile_m) * ceil_div(args.n, config.tile_n);
    kernel<<<blocks, config.threads(), config.shared_bytes(), launch.stream>>>(args);
    lab::check_cuda(cudaGetLastError(), name);
  };
}

}  // namespace aisp::ch09
