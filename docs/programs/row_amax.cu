// D = A B' in bf16 and the largest magnitude of each of its rows, for dynamic quantisation.
#include <cuda_bf16.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "tile/device/gemm/plan_sm90.cuh"

using namespace aisp::tile;

constexpr Sm90Config config{.tile_n = 64};
struct ProductAndAmax : Sm90Recipe<config, RowAmax<Scaled<Accumulator>>, Persistent> {};

__nv_bfloat16* numbers(int count, unsigned seed) {  // in [-1, 1)
  __nv_bfloat16* made = nullptr;
  cudaMallocManaged(&made, count * sizeof *made);
  for (int i = 0; i < count; ++i, seed = seed * 1664525u + 1013904223u)
    made[i] = static_cast<float>(seed >> 8) / (1 << 23) - 1;
  return made;
}

int main() {
  const int m = 150, n = 200, k = 72;
  const auto *a = numbers(m * k, 1), *b = numbers(n * k, 2);
  auto* d = numbers(m * n, 3);
  float* largest = nullptr;
  cudaMallocManaged(&largest, m * sizeof(float));
  std::fill_n(largest, m, 0.0f);  // a launch raises what it finds
  device::GemmProblem problem{.m = m, .n = n, .k = k};
  problem.a = {.data = a, .stride = k};
  problem.b = {.data = b, .stride = k};
  problem.d = {.data = d, .stride = n};
  const ProductAndAmax::Tree::Params tree{.of = {.right = {.value = 0.125f}}, .largest = largest};
  device::plan<ProductAndAmax>(problem, tree)(nullptr);
  cudaDeviceSynchronize();

  int wrong = 0;
  for (int row = 0; row < m; ++row) {
    double most = 0;
    for (int column = 0; column < n; ++column) {
      double want = 0;
      for (int i = 0; i < k; ++i) want += double{float(a[row * k + i])} * float(b[column * k + i]);
      want *= 0.125;
      most = std::max(most, std::abs(want));
      wrong += !(std::abs(float(d[row * n + column]) - want) <= std::abs(want) / 200 + 1e-5);
    }
    wrong += !(std::abs(largest[row] - most) <= most * 1e-5);
  }
  std::printf("%d of %d elements and maxima wrong\n", wrong, m * n + m);
  return wrong != 0;
}
