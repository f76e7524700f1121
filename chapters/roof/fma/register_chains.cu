// Eight chains per thread that share both constant operands: no loads, no bank conflicts, no
// dependence that a neighbouring instruction would have to wait for. fp16 has real pairs in every
// operand: a half that is broadcast keeps the compiler from using both of its pipes (HFMA2.MMA).
#include <cuda_fp16.h>

#include "chapters/roof/fma/recurrence.hpp"
#include "lab/case/registry.hpp"

using namespace aisp;

namespace {

constexpr int block_threads = 128, steps_at_once = 32;

__device__ float multiply_add(float a, float b, float c) { return fmaf(a, b, c); }
__device__ __half2 multiply_add(__half2 a, __half2 b, __half2 c) { return __hfma2(a, b, c); }

// `threads` threads have work; chain i of thread t is element i * threads + t.
template <class Chain>
__device__ void iterate(const Chain* x, Chain a, Chain b, Chain* y, long long threads,
                        long long thread, int steps) {
  Chain value[roof::chains];
#pragma unroll
  for (int i = 0; i < roof::chains; ++i) value[i] = x[i * threads + thread];
#pragma unroll 1
  for (; steps >= steps_at_once; steps -= steps_at_once) {
#pragma unroll
    for (int step = 0; step < steps_at_once; ++step)
#pragma unroll
      for (int i = 0; i < roof::chains; ++i) value[i] = multiply_add(value[i], a, b);
  }
#pragma unroll 1
  for (; steps > 0; --steps)
#pragma unroll
    for (int i = 0; i < roof::chains; ++i) value[i] = multiply_add(value[i], a, b);
#pragma unroll
  for (int i = 0; i < roof::chains; ++i) y[i * threads + thread] = value[i];
}

__global__ void __launch_bounds__(block_threads)
    fma_chains_f32(const float* x, const float* a, const float* b, float* y, long long threads,
                   int steps) {
  const long long thread = blockIdx.x * static_cast<long long>(block_threads) + threadIdx.x;
  if (thread < threads) iterate(x, a[thread], b[thread], y, threads, thread, steps);
}

__global__ void __launch_bounds__(block_threads)
    fma_chains_f16x2(const __half2* x, const __half2* a, const __half2* b, __half2* y,
                     long long threads, int steps) {
  const long long thread = blockIdx.x * static_cast<long long>(block_threads) + threadIdx.x;
  if (thread < threads) iterate(x, a[thread], b[thread], y, threads, thread, steps);
}

void run(const lab::Launch& launch) {
  const bool half = launch.problem.inputs.at(0).dtype == lab::Dtype::f16;
  const long long threads = launch.dim(0) / (roof::chains * (half ? 2 : 1));
  const auto blocks = static_cast<unsigned>((threads + block_threads - 1) / block_threads);
  const int steps = static_cast<int>(launch.dim(1));
  if (half)
    fma_chains_f16x2<<<blocks, block_threads, 0, launch.stream>>>(
        launch.in<__half2>(0), launch.in<__half2>(1), launch.in<__half2>(2), launch.out<__half2>(0),
        threads, steps);
  else
    fma_chains_f32<<<blocks, block_threads, 0, launch.stream>>>(
        launch.in<float>(0), launch.in<float>(1), launch.in<float>(2), launch.out<float>(0),
        threads, steps);
  lab::check_cuda(cudaGetLastError(), "fma_chains");
}

const lab::RungEntry entry{"roof:fma",
                           {.name = "register_chains",
                            .step = 0,
                            .builds_on = "",
                            .idea = "eight independent chains per thread, all in registers",
                            .look_at = "256 FFMA (or HFMA2) per turn of the loop and little else",
                            .prepare = lab::plain(run)}};

}  // namespace
