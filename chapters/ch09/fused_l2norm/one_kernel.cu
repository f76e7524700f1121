// One kernel: the block that summed a row scales it at once. The second read finds the row in L1
// or L2, so memory moves each element once.
#include "chapters/ch09/fused_l2norm/dispatch.hpp"
#include "chapters/ch09/fused_l2norm/scaled_sum.cuh"
#include "lab/case/registry.hpp"

using namespace aisp;

namespace aisp::ch09 {

template <class T>
__global__ void __launch_bounds__(walk_threads)
    l2norm_one_kernel(const uint4* __restrict__ x, uint4* __restrict__ y, int vectors) {
  __shared__ ScaledSum partials[most_warps];
  const std::int64_t first = std::int64_t{blockIdx.x} * vectors;
  const RowScale row = row_scale(row_sum<T>(x + first, vectors, partials));
#pragma unroll 4
  for (int v = static_cast<int>(threadIdx.x); v < vectors; v += walk_threads)
    y[first + v] = scaled<T>(x[first + v], row);
}

}  // namespace aisp::ch09

namespace {

using namespace ch09;

template <class T>
void run(const lab::Launch& launch) {
  l2norm_one_kernel<T><<<blocks_for(launch.dim(0), 1), walk_threads, 0, launch.stream>>>(
      launch.in<uint4>(0), launch.out<uint4>(0), row_vectors(launch));
  lab::check_cuda(cudaGetLastError(), "fused_l2norm one_kernel");
}

const lab::RungEntry entry{"ch09:fused_l2norm",
                           {.name = "one_kernel",
                            .step = 1,
                            .builds_on = "norm_then_scale",
                            .idea = "the block that summed a row scales it",
                            .look_at = "one launch; the second read of x hits a cache",
                            .needs = lab::Needs::sm_80,
                            .peer = false,
                            .variants = {},
                            .prepare = lab::plain([](const lab::Launch& launch) {
                              is_bf16(launch) ? run<Bf16>(launch) : run<float>(launch);
                            })}};

}  // namespace
