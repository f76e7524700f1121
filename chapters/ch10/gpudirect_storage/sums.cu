// One block, one sum: 16-byte loads, sums in registers, then through the warps.
#include "chapters/ch10/gpudirect_storage/sums.hpp"
#include "lab/case/rung.hpp"

using namespace aisp;

namespace aisp::ch10 {
namespace {

constexpr int warps = sum_threads / 32;
constexpr int vector_floats = 4;
constexpr int step = sum_threads * vector_floats;  // floats that a block reads at once

__device__ float sum_of_warp(float value, int lanes) {
  for (int distance = lanes / 2; distance > 0; distance /= 2)
    value += __shfl_xor_sync(0xffffffffu, value, distance);
  return value;
}

__device__ float square_added(float sum, float4 x) {
  sum = fmaf(x.x, x.x, sum);
  sum = fmaf(x.y, x.y, sum);
  sum = fmaf(x.z, x.z, sum);
  return fmaf(x.w, x.w, sum);
}

// The four floats at `at`; those behind the end of the array are zeros.
__device__ float4 load_vector(const float* x, std::int64_t at, std::int64_t floats) {
  if (at + vector_floats <= floats) return *reinterpret_cast<const float4*>(x + at);
  float4 cut{0, 0, 0, 0};
  if (at < floats) cut.x = x[at];
  if (at + 1 < floats) cut.y = x[at + 1];
  if (at + 2 < floats) cut.z = x[at + 2];
  return cut;
}

}  // namespace
}  // namespace aisp::ch10

extern "C" __global__ void __launch_bounds__(ch10::sum_threads)
    storage_sums(const float* x, float* sums, std::int64_t floats) {
  using namespace ch10;
  __shared__ float of_warp[warps];
  const std::int64_t first = std::int64_t{blockIdx.x} * sum_floats + threadIdx.x * vector_floats;
  float sum = 0;
#pragma unroll
  for (int at = 0; at < sum_floats; at += step)
    sum = square_added(sum, load_vector(x, first + at, floats));
  sum = sum_of_warp(sum, 32);
  if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x >= 32) return;
  sum = sum_of_warp(threadIdx.x < warps ? of_warp[threadIdx.x] : 0.0f, warps);
  if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}

namespace aisp::ch10 {

void enqueue_sums(const float* x, float* sums, std::int64_t floats, cudaStream_t stream) {
  const auto blocks = static_cast<unsigned>(sums_of(floats));
  storage_sums<<<blocks, sum_threads, 0, stream>>>(x, sums, floats);
  lab::check_cuda(cudaGetLastError(), "gpudirect_storage storage_sums");
}

}  // namespace aisp::ch10
