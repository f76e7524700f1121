// A histogram of colours: pixels of four bytes in pitched memory, read through a texture, counted
// in shared memory first and then in global memory.
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "check.hpp"

namespace {

unsigned next_random(unsigned& state) { return state = state * 1664525u + 1013904223u; }

constexpr int width = 67, height = 41, bins = 64;

__global__ void count(cudaTextureObject_t image, unsigned* histogram) {
  __shared__ unsigned local[bins * 3];
  const int thread = threadIdx.y * blockDim.x + threadIdx.x, threads = blockDim.x * blockDim.y;
  for (int i = thread; i < bins * 3; i += threads) local[i] = 0;
  __syncthreads();
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width && y < height) {
    const uchar4 pixel = tex2D<uchar4>(image, x, y);
    atomicAdd(&local[pixel.x / 4], 1u);
    atomicAdd(&local[bins + pixel.y / 4], 1u);
    atomicAdd(&local[2 * bins + pixel.z / 4], 1u);
  }
  __syncthreads();
  for (int i = thread; i < bins * 3; i += threads) atomicAdd(&histogram[i], local[i]);
}

}  // namespace

int main() {
  std::vector<uchar4> image(width * height);
  unsigned state = 31;
  std::vector<unsigned> want(bins * 3);
  for (uchar4& pixel : image) {
    const unsigned bits = next_random(state);
    pixel = make_uchar4(bits >> 24, bits >> 16 & 255, bits >> 8 & 255, 255);
    ++want[pixel.x / 4];
    ++want[bins + pixel.y / 4];
    ++want[2 * bins + pixel.z / 4];
  }
  uchar4* pixels;
  std::size_t pitch;
  CHECK(cudaMallocPitch(&pixels, &pitch, width * sizeof(uchar4), height));
  CHECK(cudaMemcpy2D(pixels, pitch, image.data(), width * sizeof(uchar4), width * sizeof(uchar4),
                     height, cudaMemcpyHostToDevice));
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypePitch2D;
  resource.res.pitch2D.devPtr = pixels;
  resource.res.pitch2D.desc = cudaCreateChannelDesc<uchar4>();
  resource.res.pitch2D.width = width;
  resource.res.pitch2D.height = height;
  resource.res.pitch2D.pitchInBytes = pitch;
  cudaTextureDesc how{};
  how.addressMode[0] = how.addressMode[1] = cudaAddressModeClamp;
  cudaTextureObject_t texture;
  CHECK(cudaCreateTextureObject(&texture, &resource, &how, nullptr));
  unsigned* histogram;
  CHECK(cudaMalloc(&histogram, want.size() * sizeof(unsigned)));
  CHECK(cudaMemset(histogram, 0, want.size() * sizeof(unsigned)));
  count<<<dim3((width + 15) / 16, (height + 7) / 8), dim3(16, 8)>>>(texture, histogram);
  CHECK(cudaGetLastError());
  std::vector<unsigned> got(want.size());
  CHECK(cudaMemcpy(got.data(), histogram, got.size() * sizeof(unsigned), cudaMemcpyDeviceToHost));
  const bool right = got == want;
  CHECK(cudaDestroyTextureObject(texture));
  CHECK(cudaFree(pixels));
  CHECK(cudaFree(histogram));
  if (right) std::puts("ok");
  return right ? 0 : 1;
}
