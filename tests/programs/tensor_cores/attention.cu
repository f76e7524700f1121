// Attention forward in one pass, as FlashAttention does it: mma.sync for both products, a running
// maximum and sum per row, probabilities kept in registers as the next product's operand.
#include <cuda_fp16.h>

#include <cstdint>

#include "ampere.cuh"
#include "gemm_check.hpp"

namespace {

constexpr int depth = 64, query_tile = 64, key_tile = 32, threads = 128;

__device__ std::uint32_t packed(float low, float high) {
  const __half2 pair = __floats2half2_rn(low, high);
  return *reinterpret_cast<const std::uint32_t*>(&pair);
}
__device__ void load_transposed(std::uint32_t (&to)[4], std::uint32_t from) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(from)
               : "memory");
}

// Rows of 128 bytes whose chunks of 16 are permuted by the row.
__device__ std::uint32_t place(int row, int chunk) {
  return static_cast<std::uint32_t>(row * depth * 2 + (chunk ^ row % 8) * 16);
}
__device__ void load_rows(std::uint32_t to, const __half* from, int first, int rows, int valid) {
  for (int i = threadIdx.x; i < rows * 8; i += threads) {
    const int row = i / 8, chunk = i % 8;
    const bool inside = first + row < valid;
    ampere::copy_16(to + place(row, chunk),
                    inside ? from + (first + row) * depth + chunk * 8 : from, inside ? 16 : 0);
  }
}

__global__ void __launch_bounds__(threads)
    attend(const __half* q, const __half* k, const __half* v, float* out, int queries, int keys,
           float scale, bool causal) {
  __shared__ alignas(128) __half q_tile[query_tile * depth], k_tile[2][key_tile * depth],
      v_tile[2][key_tile * depth];
  const int head = blockIdx.y, first = blockIdx.x * query_tile;
  q += head * queries * depth, out += head * queries * depth;
  k += head * keys * depth, v += head * keys * depth;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, group = lane / 4, quad = lane % 4;
  const int last_key = causal ? min(keys, first + query_tile) : keys;
  const int steps = (last_key + key_tile - 1) / key_tile;
  const auto fetch = [&](int step) {
    if (step < steps) {
      load_rows(ampere::shared_address(k_tile[step % 2]), k, step * key_tile, key_tile, keys);
      load_rows(ampere::shared_address(v_tile[step % 2]), v, step * key_tile, key_tile, keys);
    }
    ampere::commit_copies();
  };
  load_rows(ampere::shared_address(q_tile), q, first, query_tile, queries);
  fetch(0);
  float sums[8][4] = {}, largest[2] = {-INFINITY, -INFINITY}, total[2] = {};
  std::uint32_t left[4][4];  // Q, 16 rows a warp
  for (int step = 0; step < steps; ++step) {
    fetch(step + 1);
    ampere::wait_copies<1>();
    __syncthreads();
    if (step == 0)
      for (int i = 0; i < 4; ++i)
        ampere::load_matrices(left[i], ampere::shared_address(q_tile) +
                                           place(warp * 16 + lane % 16, i * 2 + lane / 16));
    float scores[4][4] = {};
    const std::uint32_t keys_at = ampere::shared_address(k_tile[step % 2]),
                        values_at = ampere::shared_address(v_tile[step % 2]);
    for (int i = 0; i < 4; ++i)      // 16 of the depth
      for (int j = 0; j < 2; ++j) {  // 16 of the keys
        std::uint32_t right[4];
        ampere::load_matrices(
            right, keys_at + place(j * 16 + lane / 16 * 8 + lane % 8, i * 2 + lane / 8 % 2));
        ampere::multiply_16x8x16(scores[2 * j], left[i], right[0], right[1]);
        ampere::multiply_16x8x16(scores[2 * j + 1], left[i], right[2], right[3]);
      }
    for (int half = 0; half < 2; ++half) {  // rows `group` and `group + 8`
      const int row = first + warp * 16 + group + half * 8;
      float most = largest[half];
      for (int j = 0; j < 4; ++j)
        for (int e = 0; e < 2; ++e) {
          const int key = step * key_tile + j * 8 + quad * 2 + e;
          float& score = scores[j][half * 2 + e];
          score = key < keys && (!causal || key <= row) ? score * scale : -INFINITY;
          most = fmaxf(most, score);
        }
      most = fmaxf(most, __shfl_xor_sync(~0u, most, 1));
      most = fmaxf(most, __shfl_xor_sync(~0u, most, 2));
      const float base = most == -INFINITY ? 0 : most, shrink = exp2f(largest[half] - base);
      largest[half] = most;
      total[half] *= shrink;
      for (int j = 0; j < 8; ++j) sums[j][half * 2] *= shrink, sums[j][half * 2 + 1] *= shrink;
      for (int j = 0; j < 4; ++j)
        for (int e = 0; e < 2; ++e) {
          float& score = scores[j][half * 2 + e];
          score = exp2f(score - base);
          total[half] += score;
        }
    }
    for (int i = 0; i < 2; ++i) {  // 16 of the keys
      const std::uint32_t p[4] = {packed(scores[2 * i][0], scores[2 * i][1]),
                                  packed(scores[2 * i][2], scores[2 * i][3]),
                                  packed(scores[2 * i + 1][0], scores[2 * i + 1][1]),
                                  packed(scores[2 * i + 1][2], scores[2 * i + 1][3])};
      for (int j = 0; j < 4; ++j) {  // 16 of the depth
        std::uint32_t right[4];
        load_transposed(right, values_at + place(i * 16 + lane % 16, j * 2 + lane / 16));
        ampere::multiply_16x8x16(sums[2 * j], p, right[0], right[1]);
        ampere::multiply_16x8x16(sums[2 * j + 1], p, right[2], right[3]);
      }
    }
    __syncthreads();  // all have read what the next fetch overwrites
  }
  for (int half = 0; half < 2; ++half) {
    total[half] += __shfl_xor_sync(~0u, total[half], 1);
    total[half] += __shfl_xor_sync(~0u, total[half], 2);
    const int row = first + warp * 16 + group + half * 8;
    if (row >= queries) continue;
    for (int j = 0; j < 8; ++j)
      *reinterpret_cast<float2*>(out + row * depth + j * 8 + quad * 2) =
          make_float2(sums[j][half * 2] / total[half], sums[j][half * 2 + 1] / total[half]);
  }
}

void check(int heads, int queries, int keys, bool causal) {
  const auto q = unit_values<__half>(heads * queries * depth, 1),
             k = unit_values<__half>(heads * keys * depth, 2),
             v = unit_values<__half>(heads * keys * depth, 3);
  const OnDevice<__half> device_q(q), device_k(k), device_v(v);
  const OnDevice<float> out(q.size());
  const float scale = 1.442695041f / 8;  // of base 2, over the root of the depth
  attend<<<dim3(blocks_for(queries, query_tile), heads), threads>>>(
      device_q.get(), device_k.get(), device_v.get(), out.get(), queries, keys, scale, causal);
  finish();
  std::vector<double> want(q.size());
  for (int head = 0; head < heads; ++head)
    for (int row = 0; row < queries; ++row) {
      std::vector<double> weights;
      double total = 0;
      const int end = causal ? std::min(keys, row + 1) : keys;
      for (int key = 0; key < end; ++key) {
        double score = 0;
        for (int i = 0; i < depth; ++i)
          score += double(float(q[(head * queries + row) * depth + i])) *
                   float(k[(head * keys + key) * depth + i]);
        weights.push_back(std::exp2(score * scale));
        total += weights.back();
      }
      for (int key = 0; key < end; ++key)
        for (int i = 0; i < depth; ++i)
          want[(head * queries + row) * depth + i] +=
              weights[key] / total * float(v[(head * keys + key) * depth + i]);
    }
  expect_close(out.fetch(), want, 2e-3, causal ? "causal" : "all keys");  // probabilities are f16
}

}  // namespace

int main() {
  check(2, 70, 90, false);
  check(1, 96, 96, true);
  return passed();
}
