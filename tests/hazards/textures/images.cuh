// What the programs about textures and surfaces share: an array with one of each, and a texture on
// linear memory.
#pragma once

#include "tests/hazards/hazard.hpp"

namespace images {

constexpr int side = 32, count = side * side;
constexpr std::size_t row = side * sizeof(int);

inline void check(cudaError_t error) { hazard::require(error, "call"); }

inline cudaTextureDesc plain_sampling() {
  cudaTextureDesc how{};
  how.addressMode[0] = how.addressMode[1] = cudaAddressModeClamp;
  return how;
}

// Of ints; zero at first.
struct Image {
  cudaArray_t array = nullptr;
  cudaTextureObject_t texture = 0;
  cudaSurfaceObject_t surface = 0;

  Image() {
    const cudaChannelFormatDesc desc = cudaCreateChannelDesc<int>();
    check(cudaMallocArray(&array, &desc, side, side, cudaArraySurfaceLoadStore));
    cudaResourceDesc resource{};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    const cudaTextureDesc how = plain_sampling();
    check(cudaCreateTextureObject(&texture, &resource, &how, nullptr));
    check(cudaCreateSurfaceObject(&surface, &resource));
    fill(std::vector<int>(count));
  }
  Image(const Image&) = delete;
  Image& operator=(const Image&) = delete;
  ~Image() {
    cudaDestroyTextureObject(texture);
    cudaDestroySurfaceObject(surface);
    cudaFreeArray(array);
  }
  void fill(const std::vector<int>& values) {
    check(cudaMemcpy2DToArray(array, 0, 0, values.data(), row, row, side, cudaMemcpyHostToDevice));
    check(cudaDeviceSynchronize());
  }
  template <class Value>
  bool holds(Value value) const {
    std::vector<int> values(count);
    check(
        cudaMemcpy2DFromArray(values.data(), row, array, 0, 0, row, side, cudaMemcpyDeviceToHost));
    for (int i = 0; i < count; ++i)
      if (values[static_cast<std::size_t>(i)] != value(i)) return false;
    return true;
  }
};

struct LinearTexture {
  cudaTextureObject_t handle = 0;
  explicit LinearTexture(const hazard::Array<int>& memory) {
    cudaResourceDesc resource{};
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = memory.get();
    resource.res.linear.desc = cudaCreateChannelDesc<int>();
    resource.res.linear.sizeInBytes = count * sizeof(int);
    const cudaTextureDesc how = plain_sampling();
    check(cudaCreateTextureObject(&handle, &resource, &how, nullptr));
  }
  LinearTexture(const LinearTexture&) = delete;
  LinearTexture& operator=(const LinearTexture&) = delete;
  ~LinearTexture() { cudaDestroyTextureObject(handle); }
};

constexpr int x_bytes(int x) { return x * static_cast<int>(sizeof(int)); }

// One block of side x side threads.
static __global__ void number(cudaSurfaceObject_t surface) {
  const int x = static_cast<int>(threadIdx.x), y = static_cast<int>(threadIdx.y);
  surf2Dwrite(y * side + x, surface, x * static_cast<int>(sizeof(int)), y);
}

static __global__ void read_back(cudaTextureObject_t texture, int* out) {
  const int x = static_cast<int>(threadIdx.x), y = static_cast<int>(threadIdx.y);
  out[y * side + x] = tex2D<int>(texture, x, side - 1 - y) + 1;
}

constexpr int turned(int i) { return (side - 1 - i / side) * side + i % side; }

}  // namespace images
