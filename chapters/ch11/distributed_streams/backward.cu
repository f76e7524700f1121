// Two multiply-adds per weight and sample. A thread has eight weights in registers; the samples go
// through shared memory, two with each load that all threads of a warp share.
#include "chapters/ch11/distributed_streams/backward.hpp"
#include "lab/case/rung.hpp"

namespace aisp::ch11 {
namespace {

constexpr int threads = 256;
constexpr int per_thread = 8;
constexpr int pairs_at_once = 256;  // pairs of samples in shared memory: 4 KiB

__global__ void __launch_bounds__(threads)
    backward(float* gradients, const float* weights, const float2* samples, std::int64_t elements,
             std::int64_t sample_count) {
  __shared__ float4 pairs[pairs_at_once];
  const std::int64_t first = std::int64_t{blockIdx.x} * threads * per_thread + threadIdx.x;
  float weight[per_thread], sum[per_thread];
#pragma unroll
  for (int k = 0; k < per_thread; ++k) {
    const std::int64_t i = first + k * threads;
    weight[k] = i < elements ? weights[i] : 0.0f;
    sum[k] = 0.0f;
  }
  for (std::int64_t start = 0; start < sample_count; start += 2 * pairs_at_once) {
    __syncthreads();
    for (int p = static_cast<int>(threadIdx.x); p < pairs_at_once; p += threads) {
      const std::int64_t t = start + 2 * p;
      // A sample of zeros adds nothing.
      const float2 a = t < sample_count ? samples[t] : make_float2(0.0f, 0.0f);
      const float2 b = t + 1 < sample_count ? samples[t + 1] : make_float2(0.0f, 0.0f);
      pairs[p] = make_float4(a.x, a.y, b.x, b.y);
    }
    __syncthreads();
    const std::int64_t left = (sample_count - start + 1) / 2;
    const int count = left < pairs_at_once ? static_cast<int>(left) : pairs_at_once;
#pragma unroll 4
    for (int p = 0; p < count; ++p) {
      const float4 pair = pairs[p];
#pragma unroll
      for (int k = 0; k < per_thread; ++k) {
        sum[k] = fmaf(pair.x, fmaf(weight[k], pair.x, -pair.y), sum[k]);
        sum[k] = fmaf(pair.z, fmaf(weight[k], pair.z, -pair.w), sum[k]);
      }
    }
  }
#pragma unroll
  for (int k = 0; k < per_thread; ++k) {
    const std::int64_t i = first + k * threads;
    if (i < elements) gradients[i] = sum[k];
  }
}

}  // namespace

void enqueue_backward(float* gradients, const float* weights, const float* samples,
                      std::int64_t elements, std::int64_t sample_count, cudaStream_t stream) {
  constexpr std::int64_t per_block = threads * per_thread;
  const auto blocks = static_cast<unsigned>((elements + per_block - 1) / per_block);
  backward<<<blocks, threads, 0, stream>>>(
      gradients, weights, reinterpret_cast<const float2*>(samples), elements, sample_count);
  lab::check_cuda(cudaGetLastError(), "backward");
}

}  // namespace aisp::ch11
