// A pyramid of mipmaps made on the device: each level is written through a surface from averages of
// the level below it, and the whole is sampled between levels.
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "check.hpp"

namespace {

unsigned next_random(unsigned& state) { return state = state * 1664525u + 1013904223u; }

constexpr int size = 32, levels = 6;

__global__ void halve(cudaTextureObject_t finer, cudaSurfaceObject_t coarser, int side) {
  const int x = threadIdx.x, y = threadIdx.y;
  if (x >= side || y >= side) return;
  const float u = (x + 0.5f) / side, v = (y + 0.5f) / side;  // where four texels meet
  surf2Dwrite(tex2D<float>(finer, u, v), coarser, x * static_cast<int>(sizeof(float)), y);
}

__global__ void sample(cudaTextureObject_t pyramid, float* out) {
  const int i = threadIdx.x;
  out[i] = tex2DLod<float>(pyramid, 0.5f, 0.5f, i * 0.125f);
}

__global__ void texels(cudaTextureObject_t pyramid, float* out, int side, float level) {
  const int x = threadIdx.x, y = threadIdx.y;
  if (x < side && y < side)
    out[y * side + x] = tex2DLod<float>(pyramid, (x + 0.5f) / side, (y + 0.5f) / side, level);
}

cudaTextureDesc filtered() {
  cudaTextureDesc how{};
  how.addressMode[0] = how.addressMode[1] = cudaAddressModeClamp;
  how.filterMode = how.mipmapFilterMode = cudaFilterModeLinear;
  how.normalizedCoords = 1;
  how.maxMipmapLevelClamp = levels;
  return how;
}

}  // namespace

int main() {
  const cudaChannelFormatDesc desc = cudaCreateChannelDesc<float>();
  cudaMipmappedArray_t pyramid;
  CHECK(cudaMallocMipmappedArray(&pyramid, &desc, make_cudaExtent(size, size, 0), levels,
                                 cudaArraySurfaceLoadStore));
  std::vector<std::vector<float>> want(levels);
  want[0].resize(size * size);
  unsigned state = 23;
  for (float& texel : want[0]) texel = static_cast<float>(next_random(state) >> 20);
  cudaArray_t first;
  CHECK(cudaGetMipmappedArrayLevel(&first, pyramid, 0));
  const std::size_t row = size * sizeof(float);
  CHECK(cudaMemcpy2DToArray(first, 0, 0, want[0].data(), row, row, size, cudaMemcpyHostToDevice));
  const cudaTextureDesc how = filtered();
  for (int level = 1; level < levels; ++level) {
    const int side = size >> level;
    cudaResourceDesc from{}, to{};
    from.resType = to.resType = cudaResourceTypeArray;
    CHECK(cudaGetMipmappedArrayLevel(&from.res.array.array, pyramid, level - 1));
    CHECK(cudaGetMipmappedArrayLevel(&to.res.array.array, pyramid, level));
    cudaTextureObject_t finer;
    cudaSurfaceObject_t coarser;
    CHECK(cudaCreateTextureObject(&finer, &from, &how, nullptr));
    CHECK(cudaCreateSurfaceObject(&coarser, &to));
    halve<<<1, dim3(16, 16)>>>(finer, coarser, side);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaDestroyTextureObject(finer));
    CHECK(cudaDestroySurfaceObject(coarser));
    want[level].resize(side * side);
    for (int y = 0; y < side; ++y)
      for (int x = 0; x < side; ++x) {
        const float* above = &want[level - 1][2 * y * 2 * side + 2 * x];
        want[level][y * side + x] =
            (above[0] + above[1] + above[2 * side] + above[2 * side + 1]) / 4;
      }
  }
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeMipmappedArray;
  resource.res.mipmap.mipmap = pyramid;
  cudaTextureObject_t texture;
  CHECK(cudaCreateTextureObject(&texture, &resource, &how, nullptr));
  float* out;
  CHECK(cudaMalloc(&out, size * size * sizeof(float)));
  std::vector<float> got(size * size);
  bool right = true;
  for (int level = 0; level < levels; ++level) {  // at the centres of texels: exact
    const int side = size >> level;
    texels<<<1, dim3(32, 32)>>>(texture, out, side, static_cast<float>(level));
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(got.data(), out, side * side * sizeof(float), cudaMemcpyDeviceToHost));
    for (int i = 0; i < side * side; ++i) right &= got[i] == want[level][i];
  }
  sample<<<1, 40>>>(texture, out);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(got.data(), out, 40 * sizeof(float), cudaMemcpyDeviceToHost));
  const auto centre = [&](int level) {
    const int side = size >> level;
    if (side == 1) return double{want[level][0]};
    const float* four = &want[level][(side / 2 - 1) * side + side / 2 - 1];
    return (double{four[0]} + four[1] + four[side] + four[side + 1]) / 4;
  };
  for (int i = 0; i < 40; ++i) {  // eighths of a level are exact weights
    const int level = i / 8;
    const double part = i % 8 / 8.0, above = part != 0 ? centre(level + 1) : 0;
    right &= std::fabs(got[i] - ((1 - part) * centre(level) + part * above)) < 1e-3;
  }
  CHECK(cudaDestroyTextureObject(texture));
  CHECK(cudaFreeMipmappedArray(pyramid));
  CHECK(cudaFree(out));
  if (right) std::puts("ok");
  return right ? 0 : 1;
}
