// D = silu(A B' + bias), one kernel made of a configuration, a tree and a schedule.
#include <cuda_bf16.h>

#include <cmath>
#include <cstdio>

#include "tile/device/gemm/plan_sm90.cuh"

using namespace aisp::tile;

constexpr Sm90Config config{.tile_n = 128, .stages = 6, .cluster_m = 2, .roles = Roles::ping_pong};
using Tree = Silu<Add<Accumulator, ColumnVector<Element::bf16>>>;
struct BiasSilu : Sm90Recipe<config, Tree, Persistent> {};  // the kernel's name in a profile

__nv_bfloat16* numbers(int count, unsigned seed) {  // in [-1, 1)
  __nv_bfloat16* made = nullptr;
  cudaMallocManaged(&made, count * sizeof *made);
  for (int i = 0; i < count; ++i, seed = seed * 1664525u + 1013904223u)
    made[i] = static_cast<float>(seed >> 8) / (1 << 23) - 1;
  return made;
}

int main() {
  const int m = 200, n = 136, k = 264;
  const auto *a = numbers(m * k, 1), *b = numbers(n * k, 2), *bias = numbers(n, 3);
  auto* d = numbers(m * n, 4);
  device::GemmProblem problem{.m = m, .n = n, .k = k};
  problem.a = {.data = a, .stride = k};  // (m, k), rows contiguous
  problem.b = {.data = b, .stride = k};  // (n, k)
  problem.d = {.data = d, .stride = n};  // (m, n)
  const auto run = device::plan<BiasSilu>(problem, {.of = {.right = {.data = bias}}});
  run(nullptr);  // on a stream; a plan is made once and run often
  cudaDeviceSynchronize();

  int wrong = 0;
  for (int row = 0; row < m; ++row)
    for (int column = 0; column < n; ++column) {
      double x = float(bias[column]);
      for (int i = 0; i < k; ++i) x += double{float(a[row * k + i])} * float(b[column * k + i]);
      const double want = x / (1 + std::exp(-x));
      wrong += !(std::abs(float(d[row * n + column]) - want) <= std::abs(x) / 200 + 1e-4);
    }
  std::printf("%d of %d elements wrong\n", wrong, m * n);
  return wrong != 0;
}
