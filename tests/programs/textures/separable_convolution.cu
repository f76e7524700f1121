// Two passes of a 9-tap filter over whole numbers, read through point-sampled textures that clamp.
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "check.hpp"

namespace {

unsigned next_random(unsigned& state) { return state = state * 1664525u + 1013904223u; }

constexpr int width = 70, height = 45, radius = 4;
__constant__ float taps[2 * radius + 1];

template <bool rows>
__global__ void convolve(cudaTextureObject_t image, float* out) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  float sum = 0;
  for (int k = -radius; k <= radius; ++k)
    sum += taps[k + radius] *
           tex2D<float>(image, x + 0.5f + (rows ? k : 0), y + 0.5f + (rows ? 0 : k));
  out[y * width + x] = sum;
}

int clamped(int index, int size) { return index < 0 ? 0 : index >= size ? size - 1 : index; }

}  // namespace

int main() {
  std::vector<float> image(width * height);
  unsigned state = 3;
  for (float& pixel : image) pixel = static_cast<float>(next_random(state) >> 28);
  float filter[2 * radius + 1];
  for (int k = 0; k <= 2 * radius; ++k) filter[k] = static_cast<float>(1 + k % 3);
  CHECK(cudaMemcpyToSymbol(taps, filter, sizeof filter));
  const cudaChannelFormatDesc desc = cudaCreateChannelDesc<float>();
  cudaArray_t source, between;
  CHECK(cudaMallocArray(&source, &desc, width, height));
  CHECK(cudaMallocArray(&between, &desc, width, height));
  const std::size_t row = width * sizeof(float);
  CHECK(cudaMemcpy2DToArray(source, 0, 0, image.data(), row, row, height, cudaMemcpyHostToDevice));
  cudaTextureDesc how{};
  how.addressMode[0] = how.addressMode[1] = cudaAddressModeClamp;
  cudaTextureObject_t textures[2];
  cudaArray_t arrays[2] = {source, between};
  for (int i = 0; i < 2; ++i) {
    cudaResourceDesc resource{};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = arrays[i];
    CHECK(cudaCreateTextureObject(&textures[i], &resource, &how, nullptr));
  }
  float* out;
  CHECK(cudaMalloc(&out, height * row));
  const dim3 grid((width + 31) / 32, (height + 7) / 8), block(32, 8);
  convolve<true><<<grid, block>>>(textures[0], out);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy2DToArray(between, 0, 0, out, row, row, height, cudaMemcpyDeviceToDevice));
  convolve<false><<<grid, block>>>(textures[1], out);
  CHECK(cudaGetLastError());
  std::vector<float> got(width * height);
  CHECK(cudaMemcpy(got.data(), out, height * row, cudaMemcpyDeviceToHost));
  bool right = true;
  std::vector<double> half(width * height);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      for (int k = -radius; k <= radius; ++k)
        half[y * width + x] += filter[k + radius] * image[y * width + clamped(x + k, width)];
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      double want = 0;
      for (int k = -radius; k <= radius; ++k)
        want += filter[k + radius] * half[clamped(y + k, height) * width + x];
      right &= got[y * width + x] == want;  // whole numbers: exact
    }
  for (const auto texture : textures) CHECK(cudaDestroyTextureObject(texture));
  for (const auto array : arrays) CHECK(cudaFreeArray(array));
  CHECK(cudaFree(out));
  if (right) std::puts("ok");
  return right ? 0 : 1;
}
