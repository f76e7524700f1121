// The kernel of streams. A thread has four values: their chains of fused multiply-adds hide one
// another's latency.
#include "chapters/ch11/common/relax.cuh"
#include "chapters/ch11/streams/relax.hpp"
#include "lab/case/range.hpp"
#include "lab/case/rung.hpp"

namespace aisp::ch11 {
namespace {

constexpr int threads = 256, per_thread = 4;

__device__ float4 relaxed(const float4& x) {
  float4 y{0, 0, 0, 0};
#pragma unroll 8
  for (int step = 0; step < stream_steps; ++step)
    y = {relax_step(y.x, x.x, 1), relax_step(y.y, x.y, 1), relax_step(y.z, x.z, 1),
         relax_step(y.w, x.w, 1)};
  return y;
}

__global__ void __launch_bounds__(threads) relax_in_place(float* values, std::int64_t count) {
  const std::int64_t first = (std::int64_t{blockIdx.x} * threads + threadIdx.x) * per_thread;
  if (first + per_thread <= count) {
    auto* four = reinterpret_cast<float4*>(values + first);
    *four = relaxed(*four);
  } else if (first < count) {
    float x[per_thread] = {};
    for (std::int64_t i = first; i < count; ++i) x[i - first] = values[i];
    const float4 y = relaxed({x[0], x[1], x[2], x[3]});
    const float all[per_thread] = {y.x, y.y, y.z, y.w};
    for (std::int64_t i = first; i < count; ++i) values[i] = all[i - first];
  }
}

}  // namespace

void enqueue_relax(float* values, std::int64_t count, cudaStream_t stream) {
  const lab::Range range("compute");
  const auto blocks =
      static_cast<unsigned>((count + threads * per_thread - 1) / (threads * per_thread));
  relax_in_place<<<blocks, threads, 0, stream>>>(values, count);
  lab::check_cuda(cudaGetLastError(), "relax_in_place");
}

}  // namespace aisp::ch11
