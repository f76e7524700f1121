// D = A times the transpose of B in bf16, with one call; the result is compared with float64.
#include <cuda_bf16.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <vector>

#include "tile/device/gemm/gemm.hpp"

namespace {

constexpr int m = 200, n = 136, k = 264;

void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "gemm: %s\n", cudaGetErrorString(error));
  std::exit(1);
}

// Numbers in [-1, 1) that look random and are the same every time.
std::vector<__nv_bfloat16> numbers(int count, std::uint32_t seed) {
  std::vector<__nv_bfloat16> made;
  for (int i = 0; i < count; ++i) {
    seed = seed * 1664525u + 1013904223u;
    made.push_back(__float2bfloat16(static_cast<float>(seed >> 8) / (1 << 23) - 1));
  }
  return made;
}

__nv_bfloat16* on_device(const std::vector<__nv_bfloat16>& values) {
  __nv_bfloat16* memory = nullptr;
  check(cudaMalloc(&memory, values.size() * sizeof values[0]));
  check(
      cudaMemcpy(memory, values.data(), values.size() * sizeof values[0], cudaMemcpyHostToDevice));
  return memory;
}

// Elements that differ from float64 by more than the rounding of the result to bf16.
int count_wrong(const std::vector<__nv_bfloat16>& a, const std::vector<__nv_bfloat16>& b,
                const std::vector<__nv_bfloat16>& d) {
  int wrong = 0;
  for (int row = 0; row < m; ++row)
    for (int column = 0; column < n; ++column) {
      double want = 0;
      for (int i = 0; i < k; ++i)
        want += double{__bfloat162float(a[row * k + i])} * __bfloat162float(b[column * k + i]);
      const double got = __bfloat162float(d[row * n + column]);
      wrong += !(std::abs(got - want) <= std::abs(want) / 256 + 1e-4);  // a NaN is wrong
    }
  return wrong;
}

}  // namespace

int main() try {
  const auto a = numbers(m * k, 1), b = numbers(n * k, 2);
  std::vector<__nv_bfloat16> d(m * n, __float2bfloat16(NAN));

  aisp::tile::device::GemmProblem problem{.m = m, .n = n, .k = k};
  problem.a = {.data = on_device(a), .element = aisp::tile::Element::bf16, .stride = k};
  problem.b = {.data = on_device(b), .element = aisp::tile::Element::bf16, .stride = k};
  __nv_bfloat16* result = on_device(d);
  problem.d = {.data = result, .element = aisp::tile::Element::bf16, .stride = n};
  const cudaStream_t stream = nullptr;
  aisp::tile::device::gemm(problem, stream);

  check(cudaMemcpy(d.data(), result, d.size() * sizeof d[0], cudaMemcpyDeviceToHost));
  const int wrong = count_wrong(a, b, d);
  std::printf("%d x %d x %d in bf16, %d of %d elements wrong\n", m, n, k, wrong, m * n);
  return wrong == 0 ? 0 : 1;
} catch (const std::exception& refused) {  // what the library does not take, with the numbers
  std::fprintf(stderr, "gemm: %s\n", refused.what());
  return 1;
}
