// Causal attention with half as many heads of keys as of queries.
#include <cuda_bf16.h>

#include <cmath>
#include <cstdio>
#include <vector>

#include "tile/device/attention/attention.hpp"

__nv_bfloat16* numbers(int count, unsigned seed) {  // in [-1, 1)
  __nv_bfloat16* made = nullptr;
  cudaMallocManaged(&made, count * sizeof *made);
  for (int i = 0; i < count; ++i, seed = seed * 1664525u + 1013904223u)
    made[i] = static_cast<float>(seed >> 8) / (1 << 23) - 1;
  return made;
}

int main() {
  const int heads = 4, kv_heads = 2, rows = 150, size = 64;
  const auto *q = numbers(heads * rows * size, 1), *k = numbers(kv_heads * rows * size, 2);
  const auto* v = numbers(kv_heads * rows * size, 3);
  auto* o = numbers(heads * rows * size, 4);
  aisp::tile::device::AttentionProblem problem{.batch = 1,
                                               .query_heads = heads,
                                               .kv_heads = kv_heads,
                                               .query_rows = rows,
                                               .kv_rows = rows,
                                               .head_size = size};
  const auto dense = [&](const __nv_bfloat16* data, int count) {
    return aisp::tile::device::HeadTensor{.data = data,
                                          .row_stride = size,
                                          .head_stride = rows * size,
                                          .batch_stride = count * rows * size};
  };
  problem.q = dense(q, heads), problem.o = dense(o, heads);
  problem.k = dense(k, kv_heads), problem.v = dense(v, kv_heads);
  problem.window_right = 0;  // no query sees a later key
  aisp::tile::device::attention(problem, nullptr);
  cudaDeviceSynchronize();

  int wrong = 0;
  for (int at = 0; at < heads * rows; ++at) {
    const int row = at % rows, kv_first = at / rows / (heads / kv_heads) * rows;
    std::vector<double> want(size);
    double sum = 0;
    for (int key = 0; key <= row; ++key) {
      double score = 0;
      for (int i = 0; i < size; ++i)
        score += double{float(q[at * size + i])} * float(k[(kv_first + key) * size + i]);
      const double weight = std::exp(score / std::sqrt(size));
      sum += weight;
      for (int i = 0; i < size; ++i) want[i] += weight * float(v[(kv_first + key) * size + i]);
    }
    for (int i = 0; i < size; ++i)
      wrong += !(std::abs(float(o[at * size + i]) - want[i] / sum) <= 0.01);
  }
  std::printf("%d of %d elements wrong\n", wrong, heads * rows * size);
  return wrong != 0;
}
