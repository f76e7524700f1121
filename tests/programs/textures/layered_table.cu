// Tables in layers: one curve per layer of a 1D layered array, one map per layer of a 2D layered
// one.
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "check.hpp"

namespace {

constexpr int points = 33, curves = 5, side = 8, maps = 3;

__global__ void look_up(cudaTextureObject_t table, float* out) {
  const int curve = blockIdx.x, i = threadIdx.x;
  out[curve * blockDim.x + i] = tex1DLayered<float>(table, i * 0.25f + 0.5f, curve);
}

__global__ void read_maps(cudaTextureObject_t layers, int2* out) {
  const int x = threadIdx.x, y = threadIdx.y, layer = blockIdx.x;
  out[(layer * side + y) * side + x] = tex2DLayered<int2>(layers, x + 0.5f, y + 0.5f, layer);
}

cudaTextureObject_t texture_on(cudaArray_t array, cudaTextureFilterMode filter) {
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaTextureDesc how{};
  how.addressMode[0] = how.addressMode[1] = cudaAddressModeClamp;
  how.filterMode = filter;
  cudaTextureObject_t texture;
  CHECK(cudaCreateTextureObject(&texture, &resource, &how, nullptr));
  return texture;
}

bool curves_are_right() {
  std::vector<float> table(points * curves);
  for (int c = 0; c < curves; ++c)
    for (int i = 0; i < points; ++i) table[c * points + i] = static_cast<float>((c + 1) * 64 * i);
  const cudaChannelFormatDesc desc = cudaCreateChannelDesc<float>();
  cudaArray_t array;
  CHECK(cudaMalloc3DArray(&array, &desc, make_cudaExtent(points, 0, curves), cudaArrayLayered));
  for (int c = 0; c < curves; ++c) {  // layer by layer
    cudaMemcpy3DParms copy{};
    copy.srcPtr = make_cudaPitchedPtr(&table[c * points], points * sizeof(float), points, 1);
    copy.dstArray = array;
    copy.dstPos = make_cudaPos(0, 0, c);
    copy.extent = make_cudaExtent(points, 1, 1);
    copy.kind = cudaMemcpyHostToDevice;
    CHECK(cudaMemcpy3D(&copy));
  }
  const cudaTextureObject_t texture = texture_on(array, cudaFilterModeLinear);
  constexpr int asked = 128;
  float* out;
  CHECK(cudaMalloc(&out, curves * asked * sizeof(float)));
  look_up<<<curves, asked>>>(texture, out);
  CHECK(cudaGetLastError());
  std::vector<float> got(curves * asked);
  CHECK(cudaMemcpy(got.data(), out, got.size() * sizeof(float), cudaMemcpyDeviceToHost));
  bool right = true;
  for (int c = 0; c < curves; ++c)  // quarters are exact in 8 bits
    for (int i = 0; i < asked; ++i)
      right &= got[c * asked + i] == (c + 1) * 64 * std::fmin(i * 0.25, points - 1.0);
  CHECK(cudaDestroyTextureObject(texture));
  CHECK(cudaFreeArray(array));
  CHECK(cudaFree(out));
  return right;
}

bool maps_are_right() {
  std::vector<int2> all(maps * side * side);
  for (int i = 0; i < maps * side * side; ++i) all[i] = {i, -3 * i};
  const cudaChannelFormatDesc desc = cudaCreateChannelDesc<int2>();
  const cudaExtent extent = make_cudaExtent(side, side, maps);
  cudaArray_t array;
  CHECK(cudaMalloc3DArray(&array, &desc, extent, cudaArrayLayered));
  cudaMemcpy3DParms copy{};
  copy.srcPtr = make_cudaPitchedPtr(all.data(), side * sizeof(int2), side, side);
  copy.dstArray = array;
  copy.extent = extent;
  copy.kind = cudaMemcpyHostToDevice;
  CHECK(cudaMemcpy3D(&copy));
  const cudaTextureObject_t texture = texture_on(array, cudaFilterModePoint);
  int2* out;
  CHECK(cudaMalloc(&out, all.size() * sizeof(int2)));
  read_maps<<<maps, dim3(side, side)>>>(texture, out);
  CHECK(cudaGetLastError());
  std::vector<int2> got(all.size());
  CHECK(cudaMemcpy(got.data(), out, got.size() * sizeof(int2), cudaMemcpyDeviceToHost));
  bool right = true;
  for (std::size_t i = 0; i < all.size(); ++i)
    right &= got[i].x == all[i].x && got[i].y == all[i].y;
  CHECK(cudaDestroyTextureObject(texture));
  CHECK(cudaFreeArray(array));
  CHECK(cudaFree(out));
  return right;
}

}  // namespace

int main() {
  const bool right = curves_are_right() && maps_are_right();
  if (right) std::puts("ok");
  return right ? 0 : 1;
}
