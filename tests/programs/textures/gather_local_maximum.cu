// Local maxima by tex2Dgather: one fetch gives the same channel of four texels.
#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "check.hpp"

namespace {

unsigned next_random(unsigned& state) { return state = state * 1664525u + 1013904223u; }

constexpr int width = 33, height = 29;

// Of the four texels around the corner (x, y), of the second channel.
__global__ void maxima(cudaTextureObject_t image, int* out, int4* raw) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width - 1 || y >= height - 1) return;
  const int4 four = tex2Dgather<int4>(image, x + 1.0f, y + 1.0f, 1);
  raw[y * width + x] = four;
  out[y * width + x] = max(max(four.x, four.y), max(four.z, four.w));
}

}  // namespace

int main() {
  std::vector<int2> image(width * height);
  unsigned state = 37;
  for (int2& texel : image)
    texel = {static_cast<int>(next_random(state)), static_cast<int>(next_random(state))};
  const cudaChannelFormatDesc desc = cudaCreateChannelDesc<int2>();
  cudaArray_t array;
  CHECK(cudaMallocArray(&array, &desc, width, height, cudaArrayTextureGather));
  const std::size_t row = width * sizeof(int2);
  CHECK(cudaMemcpy2DToArray(array, 0, 0, image.data(), row, row, height, cudaMemcpyHostToDevice));
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaTextureDesc how{};
  how.addressMode[0] = how.addressMode[1] = cudaAddressModeClamp;
  cudaTextureObject_t texture;
  CHECK(cudaCreateTextureObject(&texture, &resource, &how, nullptr));
  int* out;
  int4* raw;
  CHECK(cudaMalloc(&out, width * height * sizeof(int)));
  CHECK(cudaMalloc(&raw, width * height * sizeof(int4)));
  maxima<<<dim3((width + 15) / 16, (height + 7) / 8), dim3(16, 8)>>>(texture, out, raw);
  CHECK(cudaGetLastError());
  std::vector<int> got(width * height);
  std::vector<int4> four(width * height);
  CHECK(cudaMemcpy(got.data(), out, got.size() * sizeof(int), cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpy(four.data(), raw, four.size() * sizeof(int4), cudaMemcpyDeviceToHost));
  bool right = true;
  for (int y = 0; y < height - 1; ++y)
    for (int x = 0; x < width - 1; ++x) {
      const int2* here = &image[y * width + x];
      const int4 want = {here[width].y, here[width + 1].y, here[1].y, here[0].y};
      const int4 is = four[y * width + x];
      right &= is.x == want.x && is.y == want.y && is.z == want.z && is.w == want.w;
      right &= got[y * width + x] == std::max(std::max(want.x, want.y), std::max(want.z, want.w));
    }
  CHECK(cudaDestroyTextureObject(texture));
  CHECK(cudaFreeArray(array));
  CHECK(cudaFree(out));
  CHECK(cudaFree(raw));
  if (right) std::puts("ok");
  return right ? 0 : 1;
}
