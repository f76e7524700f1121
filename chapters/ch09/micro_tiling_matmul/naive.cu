// Rung 0: one thread per element of C. Lanes of a warp are neighbours in a row of C, so reads of B
// and writes of C are coalesced and the read of A is a broadcast; nothing is used again on purpose.
#include "chapters/ch09/micro_tiling_matmul/launch.cuh"
#include "lab/case/registry.hpp"

using namespace aisp;

namespace {

using ch09::MatmulArgs;

constexpr int columns = 32, rows = 8;

__global__ void __launch_bounds__(columns* rows)
    matmul_naive(const __grid_constant__ MatmulArgs args) {
  const int blocks_n = ch09::ceil_div(args.n, columns);
  const int m = blockIdx.x / blocks_n * rows + threadIdx.y;
  const int n = blockIdx.x % blocks_n * columns + threadIdx.x;
  if (m >= args.m || n >= args.n) return;
  const float* a = args.a + static_cast<long long>(m) * args.k;
  const float* b = args.b + n;
  float sum = 0.0f;
  for (int k = 0; k < args.k; ++k) sum += a[k] * b[static_cast<long long>(k) * args.n];
  args.c[static_cast<long long>(m) * args.n + n] = sum;
}

void run(const lab::Launch& launch) {
  const auto args = ch09::matmul_args(launch);
  const int blocks = ch09::ceil_div(args.m, rows) * ch09::ceil_div(args.n, columns);
  matmul_naive<<<blocks, dim3(columns, rows), 0, launch.stream>>>(args);
  lab::check_cuda(cudaGetLastError(), "matmul_naive");
}

const lab::RungEntry entry{"ch09:micro_tiling_matmul",
                           {.name = "naive",
                            .step = 0,
                            .builds_on = "",
                            .idea = "one thread per element of C, coalesced",
                            .look_at = "two loads per multiply-add: L1 is the limit",
                            .prepare = lab::plain(run)}};

}  // namespace
