// D = 2 A B' + C with one call of the compiled kernels; nothing here needs nvcc.
#include <cuda_bf16.h>

#include <cmath>
#include <cstdio>
#include <exception>

#include "tile/device/gemm/gemm.hpp"

__nv_bfloat16* numbers(int count, unsigned seed) {  // in [-1, 1)
  __nv_bfloat16* made = nullptr;
  cudaMallocManaged(&made, count * sizeof *made);
  for (int i = 0; i < count; ++i, seed = seed * 1664525u + 1013904223u)
    made[i] = static_cast<float>(seed >> 8) / (1 << 23) - 1;
  return made;
}

int main() try {
  const int m = 200, n = 136, k = 264;
  const auto *a = numbers(m * k, 1), *b = numbers(n * k, 2), *c = numbers(m * n, 3);
  auto* d = numbers(m * n, 4);
  aisp::tile::device::GemmProblem problem{.m = m, .n = n, .k = k};
  problem.a = {.data = a, .stride = k};
  problem.b = {.data = b, .stride = k};
  problem.c = {.data = c, .stride = n};
  problem.d = {.data = d, .stride = n};
  problem.alpha = 2, problem.beta = 1;
  const cudaStream_t stream = nullptr;
  aisp::tile::device::gemm(problem, stream);
  cudaDeviceSynchronize();

  int wrong = 0;
  for (int row = 0; row < m; ++row)
    for (int column = 0; column < n; ++column) {
      double want = float(c[row * n + column]);
      for (int i = 0; i < k; ++i)
        want += 2 * double{float(a[row * k + i])} * float(b[column * k + i]);
      wrong += !(std::abs(float(d[row * n + column]) - want) <= std::abs(want) / 256 + 1e-4);
    }
  std::printf("%d of %d elements wrong\n", wrong, m * n);
  return wrong != 0;
} catch (const std::exception& refused) {  // what the library does not take, with the numbers
  std::fprintf(stderr, "%s\n", refused.what());
  return 1;
}
