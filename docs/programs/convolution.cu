// A 3 x 3 convolution with padding.
#include <cuda_bf16.h>

#include <cmath>
#include <cstdio>

#include "tile/device/conv2d/conv2d.hpp"

__nv_bfloat16* numbers(int count, unsigned seed) {  // in [-1, 1)
  __nv_bfloat16* made = nullptr;
  cudaMallocManaged(&made, count * sizeof *made);
  for (int i = 0; i < count; ++i, seed = seed * 1664525u + 1013904223u)
    made[i] = static_cast<float>(seed >> 8) / (1 << 23) - 1;
  return made;
}

int main() {
  const int n = 2, h = 9, w = 11, c = 16, k = 24, r = 3, s = 3;
  const auto *x = numbers(n * h * w * c, 1), *filter = numbers(k * r * s * c, 2);
  auto* y = numbers(n * h * w * k, 3);
  aisp::tile::device::Conv2dProblem problem{.n = n, .h = h, .w = w, .c = c, .k = k, .r = r, .s = s};
  problem.padding = {1, 1};  // height, width; so are stride and dilation
  problem.x = x, problem.filter = filter,
  problem.y = y;  // (n, h, w, c), (k, r, s, c), (n, p, q, k)
  aisp::tile::device::conv2d(problem, nullptr);
  cudaDeviceSynchronize();

  int wrong = 0;
  for (int at = 0; at < n * h * w * k; ++at) {
    const int out = at % k, column = at / k % w, row = at / k / w % h, image = at / k / w / h;
    double want = 0;
    for (int tap = 0; tap < r * s * c; ++tap) {
      const int in = tap % c, to = column + tap / c % s - 1, from = row + tap / c / s - 1;
      if (from >= 0 && from < h && to >= 0 && to < w)
        want += double{float(x[((image * h + from) * w + to) * c + in])} *
                float(filter[out * r * s * c + tap]);
    }
    wrong += !(std::abs(float(y[at]) - want) <= std::abs(want) / 256 + 1e-4);
  }
  std::printf("%d of %d elements wrong\n", wrong, n * h * w * k);
  return wrong != 0;
}
