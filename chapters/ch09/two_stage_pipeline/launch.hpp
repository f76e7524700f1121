// The grid all rungs of the target share: one block per multiprocessor, or per tile where there
// are fewer tiles. A block takes every gridDim.x-th tile.
#pragma once

#include <algorithm>
#include <cstdint>

#include "chapters/ch09/common/geometry.hpp"
#include "chapters/ch09/two_stage_pipeline/stencil.hpp"
#include "lab/case/rung.hpp"

namespace aisp::ch09 {

using StencilKernel = void (*)(const float* x, float* y, std::int64_t count, std::int64_t tiles);

inline lab::Run stencil_run(lab::Setup& setup, StencilKernel kernel, std::size_t smem_bytes,
                            const char* name) {
  lab::check_cuda(cudaFuncSetAttribute(reinterpret_cast<const void*>(kernel),
                                       cudaFuncAttributeMaxDynamicSharedMemorySize,
                                       static_cast<int>(smem_bytes)),
                  name);
  const std::int64_t multiprocessors = setup.multiprocessors();
  return [=](const lab::Launch& launch) {
    std::int64_t count = launch.dim(0);
    std::int64_t tiles = divide_up(count, stencil_tile);
    const float* x = launch.in<float>(0);
    float* y = launch.out<float>(0);
    void* arguments[] = {&x, &y, &count, &tiles};
    const dim3 grid(static_cast<unsigned>(std::min(tiles, multiprocessors)));
    lab::check_cuda(cudaLaunchKernel(reinterpret_cast<const void*>(kernel), grid,
                                     dim3(stencil_threads), arguments, smem_bytes, launch.stream),
                    name);
  };
}

}  // namespace aisp::ch09
