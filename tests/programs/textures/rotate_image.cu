// An image of bytes turned about its centre: read as fractions, filtered, wrapped at the edges.
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "check.hpp"

namespace {

unsigned next_random(unsigned& state) { return state = state * 1664525u + 1013904223u; }

constexpr int width = 96, height = 64;

__global__ void rotate(cudaTextureObject_t image, float* out, float sine, float cosine) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  const float u = (x + 0.5f) / width - 0.5f, v = (y + 0.5f) / height - 0.5f;
  out[y * width + x] =
      tex2D<float>(image, u * cosine - v * sine + 0.5f, v * cosine + u * sine + 0.5f);
}

int wrapped(int index, int size) { return ((index % size) + size) % size; }

}  // namespace

int main() {
  std::vector<unsigned char> image(width * height);
  unsigned state = 7;
  for (auto& pixel : image) pixel = static_cast<unsigned char>(next_random(state) >> 24);
  const cudaChannelFormatDesc desc = cudaCreateChannelDesc<unsigned char>();
  cudaArray_t array;
  CHECK(cudaMallocArray(&array, &desc, width, height));
  CHECK(
      cudaMemcpy2DToArray(array, 0, 0, image.data(), width, width, height, cudaMemcpyHostToDevice));
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaTextureDesc how{};
  how.addressMode[0] = how.addressMode[1] = cudaAddressModeWrap;
  how.filterMode = cudaFilterModeLinear;
  how.readMode = cudaReadModeNormalizedFloat;
  how.normalizedCoords = 1;
  cudaTextureObject_t texture;
  CHECK(cudaCreateTextureObject(&texture, &resource, &how, nullptr));
  float* out;
  CHECK(cudaMalloc(&out, width * height * sizeof(float)));
  bool right = true;
  for (const double angle : {0.0, 0.5, 2.1}) {
    const float sine = static_cast<float>(std::sin(angle)),
                cosine = static_cast<float>(std::cos(angle));
    rotate<<<dim3((width + 15) / 16, (height + 15) / 16), dim3(16, 16)>>>(texture, out, sine,
                                                                          cosine);
    CHECK(cudaGetLastError());
    std::vector<float> got(width * height);
    CHECK(cudaMemcpy(got.data(), out, got.size() * sizeof(float), cudaMemcpyDeviceToHost));
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x) {
        const double u = (x + 0.5) / width - 0.5, v = (y + 0.5) / height - 0.5;
        const double px = (u * cosine - v * sine + 0.5) * width - 0.5;
        const double py = (v * cosine + u * sine + 0.5) * height - 0.5;
        const int i = static_cast<int>(std::floor(px)), j = static_cast<int>(std::floor(py));
        const auto texel = [&](int dx, int dy) {
          return image[wrapped(j + dy, height) * width + wrapped(i + dx, width)] / 255.0;
        };
        const double a = px - i, b = py - j;
        const double want = (1 - a) * (1 - b) * texel(0, 0) + a * (1 - b) * texel(1, 0) +
                            (1 - a) * b * texel(0, 1) + a * b * texel(1, 1);
        // Weights have 8 fractional bits, and an H200 rounds the products of two of them again.
        right &= std::fabs(got[y * width + x] - want) < 3.0 / 256;
      }
  }
  CHECK(cudaDestroyTextureObject(texture));
  CHECK(cudaFreeArray(array));
  CHECK(cudaFree(out));
  if (right) std::puts("ok");
  return right ? 0 : 1;
}
