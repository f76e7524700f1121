// The heads of attention into the width of a model: a sum over two modes that no matrix holds
// together.
#include <cuda_bf16.h>

#include <cmath>
#include <cstdio>

#include "tile/device/contract/contract.hpp"

__nv_bfloat16* numbers(int count, unsigned seed) {  // in [-1, 1)
  __nv_bfloat16* made = nullptr;
  cudaMallocManaged(&made, count * sizeof *made);
  for (int i = 0; i < count; ++i, seed = seed * 1664525u + 1013904223u)
    made[i] = static_cast<float>(seed >> 8) / (1 << 23) - 1;
  return made;
}

int main() {
  const int b = 2, h = 3, s = 50, d = 64, e = 40;
  const auto *heads = numbers(b * h * s * d, 1), *weights = numbers(h * d * e, 2);
  auto* y = numbers(b * s * e, 3);
  auto problem = aisp::tile::device::contraction(
      "bhsd,hde->bse", {{'b', b}, {'h', h}, {'s', s}, {'d', d}, {'e', e}});
  problem.a.data = heads, problem.b.data = weights, problem.d.data = y;
  aisp::tile::device::contract(problem, nullptr);
  cudaDeviceSynchronize();

  int wrong = 0;
  for (int at = 0; at < b * s * e; ++at) {
    const int column = at % e, row = at / e % s, batch = at / e / s;
    double want = 0;
    for (int k = 0; k < h * d; ++k)
      want += double{float(heads[((batch * h + k / d) * s + row) * d + k % d])} *
              float(weights[k * e + column]);
    wrong += !(std::abs(float(y[at]) - want) <= std::abs(want) / 256 + 1e-4);
  }
  std::printf("%d of %d elements wrong\n", wrong, b * s * e);
  return wrong != 0;
}
