// Rung 1: a block loads a 32x32 tile of A and of B into shared memory once and every thread uses
// it 32 times. Global traffic falls by 32; two shared-memory reads per multiply-add remain.
#include "chapters/ch09/micro_tiling_matmul/launch.cuh"
#include "lab/case/registry.hpp"

using namespace aisp;

namespace {

using ch09::MatmulArgs;

constexpr int tile = 32;

__global__ void __launch_bounds__(tile* tile)
    matmul_shared_tile(const __grid_constant__ MatmulArgs args) {
  __shared__ float a_smem[tile][tile];  // (m, k)
  __shared__ float b_smem[tile][tile];  // (k, n)
  const int tiles_n = ch09::ceil_div(args.n, tile);
  const int m = blockIdx.x / tiles_n * tile + threadIdx.y;
  const int n = blockIdx.x % tiles_n * tile + threadIdx.x;
  float sum = 0.0f;
  for (int first = 0; first < args.k; first += tile) {
    const int a_k = first + threadIdx.x, b_k = first + threadIdx.y;
    a_smem[threadIdx.y][threadIdx.x] =
        m < args.m && a_k < args.k ? args.a[static_cast<long long>(m) * args.k + a_k] : 0.0f;
    b_smem[threadIdx.y][threadIdx.x] =
        n < args.n && b_k < args.k ? args.b[static_cast<long long>(b_k) * args.n + n] : 0.0f;
    __syncthreads();
#pragma unroll
    for (int k = 0; k < tile; ++k) sum += a_smem[threadIdx.y][k] * b_smem[k][threadIdx.x];
    __syncthreads();
  }
  if (m < args.m && n < args.n) args.c[static_cast<long long>(m) * args.n + n] = sum;
}

void run(const lab::Launch& launch) {
  const auto args = ch09::matmul_args(launch);
  const int blocks = ch09::ceil_div(args.m, tile) * ch09::ceil_div(args.n, tile);
  matmul_shared_tile<<<blocks, dim3(tile, tile), 0, launch.stream>>>(args);
  lab::check_cuda(cudaGetLastError(), "matmul_shared_tile");
}

const lab::RungEntry entry{"ch09:micro_tiling_matmul",
                           {.name = "shared_tile",
                            .step = 1,
                            .builds_on = "naive",
                            .idea = "32x32 tiles of A and B in shared memory",
                            .look_at = "global traffic falls by 32; shared memory is the limit",
                            .prepare = lab::plain(run)}};

}  // namespace
