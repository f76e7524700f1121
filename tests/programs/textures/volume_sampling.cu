// Rays through a volume: a 3D array filled by cudaMemcpy3D, trilinear samples, a border of one
// value.
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "check.hpp"

namespace {

unsigned next_random(unsigned& state) { return state = state * 1664525u + 1013904223u; }

constexpr int width = 20, height = 12, depth = 9, samples = 1000;

__global__ void sample(cudaTextureObject_t volume, const float3* at, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < samples) out[i] = tex3D<float>(volume, at[i].x, at[i].y, at[i].z);
}

}  // namespace

int main() {
  std::vector<float> volume(width * height * depth);
  unsigned state = 11;
  for (float& voxel : volume) voxel = static_cast<float>(next_random(state) >> 8) / (1 << 24);
  const cudaChannelFormatDesc desc = cudaCreateChannelDesc<float>();
  const cudaExtent extent = make_cudaExtent(width, height, depth);
  cudaArray_t array;
  CHECK(cudaMalloc3DArray(&array, &desc, extent));
  cudaMemcpy3DParms copy{};
  copy.srcPtr = make_cudaPitchedPtr(volume.data(), width * sizeof(float), width, height);
  copy.dstArray = array;
  copy.extent = extent;
  copy.kind = cudaMemcpyHostToDevice;
  CHECK(cudaMemcpy3D(&copy));
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaTextureDesc how{};
  for (auto& mode : how.addressMode) mode = cudaAddressModeBorder;
  how.filterMode = cudaFilterModeLinear;
  how.borderColor[0] = 0.25f;
  cudaTextureObject_t texture;
  CHECK(cudaCreateTextureObject(&texture, &resource, &how, nullptr));

  std::vector<float3> at(samples);
  const auto draw = [&](int size) {
    return (next_random(state) >> 8) / static_cast<float>(1 << 24) * (size + 4) - 2;
  };
  for (float3& one : at) one = {draw(width), draw(height), draw(depth)};
  float3* places;
  float* out;
  CHECK(cudaMalloc(&places, samples * sizeof(float3)));
  CHECK(cudaMalloc(&out, samples * sizeof(float)));
  CHECK(cudaMemcpy(places, at.data(), samples * sizeof(float3), cudaMemcpyHostToDevice));
  sample<<<(samples + 127) / 128, 128>>>(texture, places, out);
  CHECK(cudaGetLastError());
  std::vector<float> got(samples);
  CHECK(cudaMemcpy(got.data(), out, samples * sizeof(float), cudaMemcpyDeviceToHost));

  bool right = true;
  for (int n = 0; n < samples; ++n) {
    const double place[3] = {at[n].x - 0.5, at[n].y - 0.5, at[n].z - 0.5};
    double want = 0;
    for (int corner = 0; corner < 8; ++corner) {
      double weight = 1;
      int index[3];
      for (int d = 0; d < 3; ++d) {
        const double first = std::floor(place[d]), part = place[d] - first;
        index[d] = static_cast<int>(first) + (corner >> d & 1);
        weight *= (corner >> d & 1) != 0 ? part : 1 - part;
      }
      const bool inside = index[0] >= 0 && index[0] < width && index[1] >= 0 && index[1] < height &&
                          index[2] >= 0 && index[2] < depth;
      want += weight * (inside ? volume[(index[2] * height + index[1]) * width + index[0]] : 0.25);
    }
    right &= std::fabs(got[n] - want) < 3.0 / 512 + 1e-5;  // weights of 8 fractional bits
  }
  CHECK(cudaDestroyTextureObject(texture));
  CHECK(cudaFreeArray(array));
  CHECK(cudaFree(places));
  CHECK(cudaFree(out));
  if (right) std::puts("ok");
  return right ? 0 : 1;
}
