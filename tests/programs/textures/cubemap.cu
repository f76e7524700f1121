// A cubemap: faces written through surfaces, then looked up by direction, layer by layer.
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "check.hpp"

namespace {

constexpr int side = 8, layers = 2;

__device__ float code(int layer, int face, int x, int y) {
  return ((layer * 6 + face) * side + y) * side + x;
}

__global__ void paint(cudaSurfaceObject_t surface) {
  const int x = threadIdx.x, y = threadIdx.y, face = blockIdx.x % 6, layer = blockIdx.x / 6;
  surfCubemapLayeredwrite(code(layer, face, x, y), surface, x * static_cast<int>(sizeof(float)), y,
                          layer * 6 + face);
}

// The direction to the centre of a texel, as the table of faces in the CUDA guide has it.
__global__ void look(cudaTextureObject_t texture, int* wrong) {
  const int x = threadIdx.x, y = threadIdx.y, face = blockIdx.x % 6, layer = blockIdx.x / 6;
  const float s = 2 * (x + 0.5f) / side - 1, t = 2 * (y + 0.5f) / side - 1;
  float3 to;
  switch (face) {
    case 0:
      to = make_float3(1, -t, -s);
      break;
    case 1:
      to = make_float3(-1, -t, s);
      break;
    case 2:
      to = make_float3(s, 1, t);
      break;
    case 3:
      to = make_float3(s, -1, -t);
      break;
    case 4:
      to = make_float3(s, -t, 1);
      break;
    default:
      to = make_float3(-s, -t, -1);
  }
  const float far = 1.5f + x;  // the length of the direction means nothing
  const float got = texCubemapLayered<float>(texture, far * to.x, far * to.y, far * to.z, layer);
  if (got != code(layer, face, x, y)) atomicAdd(wrong, 1);
}

}  // namespace

int main() {
  const cudaChannelFormatDesc desc = cudaCreateChannelDesc<float>();
  cudaArray_t array;
  CHECK(cudaMalloc3DArray(&array, &desc, make_cudaExtent(side, side, 6 * layers),
                          cudaArrayCubemap | cudaArrayLayered | cudaArraySurfaceLoadStore));
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaSurfaceObject_t surface;
  CHECK(cudaCreateSurfaceObject(&surface, &resource));
  cudaTextureDesc how{};
  for (auto& mode : how.addressMode) mode = cudaAddressModeClamp;
  how.normalizedCoords = 1;
  cudaTextureObject_t texture;
  CHECK(cudaCreateTextureObject(&texture, &resource, &how, nullptr));
  int* wrong;
  CHECK(cudaMalloc(&wrong, sizeof(int)));
  CHECK(cudaMemset(wrong, 0, sizeof(int)));
  paint<<<6 * layers, dim3(side, side)>>>(surface);
  CHECK(cudaGetLastError());
  look<<<6 * layers, dim3(side, side)>>>(texture, wrong);
  CHECK(cudaGetLastError());
  int count = -1;
  CHECK(cudaMemcpy(&count, wrong, sizeof(int), cudaMemcpyDeviceToHost));
  CHECK(cudaDestroyTextureObject(texture));
  CHECK(cudaDestroySurfaceObject(surface));
  CHECK(cudaFreeArray(array));
  CHECK(cudaFree(wrong));
  if (count == 0) std::puts("ok");
  return count == 0 ? 0 : 1;
}
