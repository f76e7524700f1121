// Multiplies two bf16 matrices with the kernel of kernel.cuh and compares every element with
// float64.
#include <cuda_bf16.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <vector>

#include "kernel.cuh"
#include "tile/device/launch/tensor_map.hpp"

namespace {

namespace tile = aisp::tile;

struct Own {
  static constexpr tile::Sm90Config config{
      .out = tile::Element::f32, .tile_n = 128, .store = tile::Store::direct};
};
constexpr int m = 200, n = 136, k = 264;

void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "own_gemm: %s\n", cudaGetErrorString(error));
  std::exit(1);
}

// Numbers in [-1, 1) that look random and are the same every time.
std::vector<__nv_bfloat16> numbers(int count, unsigned seed) {
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

// Rows of k elements, as TMA sees them: boxes as large as the operand's tile.
CUtensorMap map_of(const __nv_bfloat16* data, int rows, const tile::OperandTile& tile) {
  return tile::device::describe({.data = data, .contiguous = k, .lines = rows, .line_stride = k},
                                tile);
}

}  // namespace

int main() try {
  constexpr tile::Sm90Config config = Own::config;
  const auto a = numbers(m * k, 1), b = numbers(n * k, 2);
  float* d = nullptr;
  check(cudaMalloc(&d, m * n * sizeof(float)));
  check(cudaMemset(d, 0xff, m * n * sizeof(float)));  // NaN
  const own_gemm::Params params{map_of(on_device(a), m, config.a_tile()),
                                map_of(on_device(b), n, config.b_tile()),
                                d,
                                m,
                                n,
                                k};

  // The start of dynamic shared memory is rounded up to the swizzle's 1024 bytes.
  constexpr int shared_bytes = sizeof(tile::Sm90Buffers<config>) + 1024;
  check(cudaFuncSetAttribute(own_gemm::kernel<Own>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             shared_bytes));
  const dim3 grid((n + config.tile_n - 1) / config.tile_n, (m + config.tile_m - 1) / config.tile_m);
  own_gemm::kernel<Own><<<grid, config.threads(), shared_bytes>>>(params);
  check(cudaGetLastError());

  std::vector<float> result(m * n);
  check(cudaMemcpy(result.data(), d, m * n * sizeof(float), cudaMemcpyDeviceToHost));
  int wrong = 0;
  for (int row = 0; row < m; ++row)
    for (int column = 0; column < n; ++column) {
      double want = 0, size = 0;
      for (int i = 0; i < k; ++i) {
        const double product =
            double{__bfloat162float(a[row * k + i])} * __bfloat162float(b[column * k + i]);
        want += product;
        size += std::abs(product);
      }
      wrong +=
          !(std::abs(result[row * n + column] - want) <= size * k * 0x1p-24);  // a NaN is wrong
    }
  std::printf("%d x %d x %d in bf16, %d of %d elements wrong\n", m, n, k, wrong, m * n);
  return wrong == 0 ? 0 : 1;
} catch (const std::exception& refused) {  // what TMA does not take, with the numbers
  std::fprintf(stderr, "own_gemm: %s\n", refused.what());
  return 1;
}
