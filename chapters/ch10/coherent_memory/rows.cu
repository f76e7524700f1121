// One warp, one row: 16-byte loads, four of them under way, sums in registers and then through the
// warp.
#include "chapters/ch10/coherent_memory/rows.hpp"

using namespace aisp;

namespace aisp::ch10 {
namespace {

constexpr int row_threads = 256, rows_per_block = row_threads / 32;

}  // namespace
}  // namespace aisp::ch10

// `columns` is a multiple of 4, x and w are aligned to 16 bytes.
extern "C" __global__ void __launch_bounds__(ch10::row_threads)
    coherent_rows(const float4* __restrict__ x, const float4* __restrict__ w, float* __restrict__ y,
                  std::int64_t rows, int vectors) {
  const std::int64_t row = std::int64_t{blockIdx.x} * ch10::rows_per_block + threadIdx.x / 32;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  if (row >= rows) return;
  const float4* mine = x + row * vectors;
  float sum = 0;
#pragma unroll 4
  for (int i = lane; i < vectors; i += 32) {
    const float4 a = mine[i], b = w[i];
    sum = fmaf(a.x, b.x, sum);
    sum = fmaf(a.y, b.y, sum);
    sum = fmaf(a.z, b.z, sum);
    sum = fmaf(a.w, b.w, sum);
  }
  for (int distance = 16; distance > 0; distance /= 2)
    sum += __shfl_xor_sync(0xffffffffu, sum, distance);
  if (lane == 0) y[row] = sum;
}

namespace aisp::ch10 {
namespace {

void enqueue_rows(const lab::Launch& launch, const void* x, float* y, std::int64_t rows,
                  std::int64_t columns) {
  const auto blocks = static_cast<unsigned>((rows + rows_per_block - 1) / rows_per_block);
  coherent_rows<<<blocks, row_threads, 0, launch.stream>>>(
      static_cast<const float4*>(x), launch.in<float4>(1), y, rows, static_cast<int>(columns / 4));
  lab::check_cuda(cudaGetLastError(), "coherent_rows");
}

}  // namespace

void enqueue_chunk(const lab::Launch& launch, const void* x, std::int64_t chunk) {
  const RowShape shape(launch.problem.size);
  enqueue_rows(launch, x, launch.out<float>(0) + chunk * shape.chunk_rows(), shape.rows_in(chunk),
               shape.columns);
}

void enqueue_all(const lab::Launch& launch, const void* x) {
  const RowShape shape(launch.problem.size);
  enqueue_rows(launch, x, launch.out<float>(0), shape.rows, shape.columns);
}

}  // namespace aisp::ch10
