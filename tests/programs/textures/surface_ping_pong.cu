// A box filter applied again and again: two arrays, each read through one surface and written
// through another, in turns. Edges are clamped by the surface load itself.
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "check.hpp"

namespace {

unsigned next_random(unsigned& state) { return state = state * 1664525u + 1013904223u; }

constexpr int width = 50, height = 37, rounds = 5;

__global__ void box(cudaSurfaceObject_t from, cudaSurfaceObject_t to) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  uint2 sum = make_uint2(0, 0);
  for (int dy = -1; dy <= 1; ++dy)
    for (int dx = -1; dx <= 1; ++dx) {
      const uint2 one = surf2Dread<uint2>(from, (x + dx) * static_cast<int>(sizeof(uint2)), y + dy,
                                          cudaBoundaryModeClamp);
      sum.x += one.x;
      sum.y ^= one.y;
    }
  surf2Dwrite(sum, to, x * static_cast<int>(sizeof(uint2)), y);
}

int clamped(int index, int size) { return index < 0 ? 0 : index >= size ? size - 1 : index; }

}  // namespace

int main() {
  std::vector<uint2> image(width * height);
  unsigned state = 5;
  for (uint2& pixel : image) pixel = {next_random(state) >> 24, next_random(state)};
  const cudaChannelFormatDesc desc = cudaCreateChannelDesc<uint2>();
  cudaArray_t arrays[2];
  cudaSurfaceObject_t surfaces[2];
  for (int i = 0; i < 2; ++i) {
    CHECK(cudaMallocArray(&arrays[i], &desc, width, height, cudaArraySurfaceLoadStore));
    cudaResourceDesc resource{};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = arrays[i];
    CHECK(cudaCreateSurfaceObject(&surfaces[i], &resource));
  }
  const std::size_t row = width * sizeof(uint2);
  CHECK(
      cudaMemcpy2DToArray(arrays[0], 0, 0, image.data(), row, row, height, cudaMemcpyHostToDevice));
  for (int i = 0; i < rounds; ++i) {
    box<<<dim3((width + 15) / 16, (height + 15) / 16), dim3(16, 16)>>>(surfaces[i % 2],
                                                                       surfaces[(i + 1) % 2]);
    CHECK(cudaGetLastError());
  }
  std::vector<uint2> got(width * height);
  CHECK(cudaMemcpy2DFromArray(got.data(), row, arrays[rounds % 2], 0, 0, row, height,
                              cudaMemcpyDeviceToHost));
  for (int i = 0; i < rounds; ++i) {
    std::vector<uint2> next(width * height);
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x)
        for (int dy = -1; dy <= 1; ++dy)
          for (int dx = -1; dx <= 1; ++dx) {
            const uint2 one = image[clamped(y + dy, height) * width + clamped(x + dx, width)];
            next[y * width + x].x += one.x;
            next[y * width + x].y ^= one.y;
          }
    image = next;
  }
  bool right = true;
  for (int i = 0; i < width * height; ++i)
    right &= got[i].x == image[i].x && got[i].y == image[i].y;
  for (int i = 0; i < 2; ++i) {
    CHECK(cudaDestroySurfaceObject(surfaces[i]));
    CHECK(cudaFreeArray(arrays[i]));
  }
  if (right) std::puts("ok");
  return right ? 0 : 1;
}
