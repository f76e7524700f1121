// The kernel of adaptive_streams. A block keeps its row in registers; what passes between threads
// is one sum for each warp and step, in two sets by turns, so that a step has one barrier.
#include "chapters/ch11/adaptive_streams/load.hpp"
#include "chapters/ch11/adaptive_streams/rows.hpp"
#include "chapters/ch11/common/relax.cuh"
#include "lab/case/range.hpp"
#include "lab/case/rung.hpp"

namespace aisp::ch11 {
namespace {

constexpr int threads = 1024, warps = threads / 32, fours = row_floats / threads / 4;
static_assert(warps == 32, "the sums of the warps are added by the lanes of each");

__device__ float warp_sum(float value) {
  for (int distance = 16; distance > 0; distance /= 2)
    value += __shfl_xor_sync(0xffffffffu, value, distance);
  return value;
}

// Every thread gets the sum of the whole row.
__device__ float row_sum(const float4 (&y)[fours], float* sums) {
  float own = 0;
#pragma unroll
  for (const float4& four : y) own += (four.x + four.y) + (four.z + four.w);
  own = warp_sum(own);
  if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = own;
  __syncthreads();
  return warp_sum(sums[threadIdx.x % 32]);
}

__global__ void __launch_bounds__(threads) relax_rows(float* values, int steps) {
  __shared__ float sums[2][warps];
  auto* row = reinterpret_cast<float4*>(values + std::int64_t{blockIdx.x} * row_floats);
  float4 x[fours], y[fours] = {};
#pragma unroll
  for (int i = 0; i < fours; ++i) x[i] = row[i * threads + threadIdx.x];
  constexpr float linear = 1 + coupling;
  for (int step = 0; step < steps; ++step) {
    const float pull = static_cast<float>(coupling / row_floats) * row_sum(y, sums[step % 2]);
#pragma unroll
    for (int i = 0; i < fours; ++i)
      y[i] = {relax_step(y[i].x, x[i].x + pull, linear), relax_step(y[i].y, x[i].y + pull, linear),
              relax_step(y[i].z, x[i].z + pull, linear), relax_step(y[i].w, x[i].w + pull, linear)};
  }
#pragma unroll
  for (int i = 0; i < fours; ++i) row[i * threads + threadIdx.x] = y[i];
}

}  // namespace

void enqueue_rows(float* values, std::int64_t rows, int steps, cudaStream_t stream) {
  const lab::Range range("compute");
  relax_rows<<<static_cast<unsigned>(rows), threads, 0, stream>>>(values, steps);
  lab::check_cuda(cudaGetLastError(), "relax_rows");
}

}  // namespace aisp::ch11
