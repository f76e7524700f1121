// Cubic B-spline interpolation by four bilinear fetches: the filter of the texture does half of the
// work.
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "check.hpp"

namespace {

unsigned next_random(unsigned& state) { return state = state * 1664525u + 1013904223u; }

constexpr int width = 40, height = 30, zoom = 3;

__device__ float cubic(cudaTextureObject_t image, float x, float y) {
  x -= 0.5f;
  y -= 0.5f;
  const float px = floorf(x), py = floorf(y), a = x - px, b = y - py;
  const auto w0 = [](float t) { return (1 - t) * (1 - t) * (1 - t) / 6; };
  const auto w1 = [](float t) { return (4 + t * t * (3 * t - 6)) / 6; };
  const auto w2 = [](float t) { return (1 + t * (3 + t * (3 - 3 * t))) / 6; };
  const auto w3 = [](float t) { return t * t * t / 6; };
  const float gx0 = w0(a) + w1(a), gx1 = w2(a) + w3(a), gy0 = w0(b) + w1(b), gy1 = w2(b) + w3(b);
  const float hx0 = px - 0.5f + w1(a) / gx0, hx1 = px + 1.5f + w3(a) / gx1;
  const float hy0 = py - 0.5f + w1(b) / gy0, hy1 = py + 1.5f + w3(b) / gy1;
  return gy0 * (gx0 * tex2D<float>(image, hx0, hy0) + gx1 * tex2D<float>(image, hx1, hy0)) +
         gy1 * (gx0 * tex2D<float>(image, hx0, hy1) + gx1 * tex2D<float>(image, hx1, hy1));
}

__global__ void enlarge(cudaTextureObject_t image, float* out) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width * zoom && y < height * zoom)
    out[y * width * zoom + x] = cubic(image, (x + 0.5f) / zoom, (y + 0.5f) / zoom);
}

double weight(int k, double t) {
  switch (k) {
    case 0:
      return (1 - t) * (1 - t) * (1 - t) / 6;
    case 1:
      return (4 + t * t * (3 * t - 6)) / 6;
    case 2:
      return (1 + t * (3 + t * (3 - 3 * t))) / 6;
    default:
      return t * t * t / 6;
  }
}

int clamped(int index, int size) { return index < 0 ? 0 : index >= size ? size - 1 : index; }

}  // namespace

int main() {
  std::vector<float> image(width * height);
  unsigned state = 17;
  for (float& pixel : image) pixel = static_cast<float>(next_random(state) >> 8) / (1 << 24);
  const cudaChannelFormatDesc desc = cudaCreateChannelDesc<float>();
  cudaArray_t array;
  CHECK(cudaMallocArray(&array, &desc, width, height));
  const std::size_t row = width * sizeof(float);
  CHECK(cudaMemcpy2DToArray(array, 0, 0, image.data(), row, row, height, cudaMemcpyHostToDevice));
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaTextureDesc how{};
  how.addressMode[0] = how.addressMode[1] = cudaAddressModeClamp;
  how.filterMode = cudaFilterModeLinear;
  cudaTextureObject_t texture;
  CHECK(cudaCreateTextureObject(&texture, &resource, &how, nullptr));
  const std::size_t count = width * zoom * height * zoom;
  float* out;
  CHECK(cudaMalloc(&out, count * sizeof(float)));
  enlarge<<<dim3((width * zoom + 31) / 32, (height * zoom + 7) / 8), dim3(32, 8)>>>(texture, out);
  CHECK(cudaGetLastError());
  std::vector<float> got(count);
  CHECK(cudaMemcpy(got.data(), out, count * sizeof(float), cudaMemcpyDeviceToHost));
  bool right = true;
  for (int y = 0; y < height * zoom; ++y)
    for (int x = 0; x < width * zoom; ++x) {
      const double px = (x + 0.5) / zoom - 0.5, py = (y + 0.5) / zoom - 0.5;
      const int i = static_cast<int>(std::floor(px)), j = static_cast<int>(std::floor(py));
      double want = 0;
      for (int m = 0; m < 4; ++m)
        for (int n = 0; n < 4; ++n)
          want += weight(m, py - j) * weight(n, px - i) *
                  image[clamped(j + m - 1, height) * width + clamped(i + n - 1, width)];
      right &= std::fabs(got[y * width * zoom + x] - want) < 2.0 / 512 + 1e-4;
    }
  CHECK(cudaDestroyTextureObject(texture));
  CHECK(cudaFreeArray(array));
  CHECK(cudaFree(out));
  if (right) std::puts("ok");
  return right ? 0 : 1;
}
