// CUDA arrays: what can be made, what is known of it, and copies from and to it.
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <numeric>
#include <vector>

namespace {

constexpr auto to_device = cudaMemcpyHostToDevice, to_host = cudaMemcpyDeviceToHost;
constexpr cudaChannelFormatDesc ints{32, 0, 0, 0, cudaChannelFormatKindSigned};

class ArrayApi : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(cudaMallocArray(&array_, &ints, 8, 4, 0), cudaSuccess);
    std::iota(values_.begin(), values_.end(), 100);
  }
  void TearDown() override {
    EXPECT_EQ(cudaFreeArray(array_), cudaSuccess);
    cudaGetLastError();
  }
  std::vector<int> content() {
    std::vector<int> all(32);
    EXPECT_EQ(cudaMemcpy2DFromArray(all.data(), 32, array_, 0, 0, 32, 4, to_host), cudaSuccess);
    return all;
  }

  cudaArray_t array_ = nullptr;
  std::vector<int> values_ = std::vector<int>(32);
};

TEST_F(ArrayApi, FormatsThatNoTextureHasAreRefused) {
  cudaArray_t array = nullptr;
  const auto make = [&](int x, int y, int z, int w, cudaChannelFormatKind kind) {
    const cudaChannelFormatDesc desc{x, y, z, w, kind};
    const cudaError_t error = cudaMallocArray(&array, &desc, 4, 4, 0);
    if (error == cudaSuccess) {
      EXPECT_EQ(cudaFreeArray(array), cudaSuccess);
    }
    return error;
  };
  constexpr auto wrong = cudaErrorInvalidChannelDescriptor;
  EXPECT_EQ(make(8, 8, 8, 8, cudaChannelFormatKindUnsigned), cudaSuccess);
  EXPECT_EQ(make(16, 16, 0, 0, cudaChannelFormatKindFloat), cudaSuccess);
  EXPECT_EQ(make(8, 8, 8, 0, cudaChannelFormatKindUnsigned), wrong);
  EXPECT_EQ(make(8, 16, 0, 0, cudaChannelFormatKindUnsigned), wrong);
  EXPECT_EQ(make(8, 0, 8, 0, cudaChannelFormatKindUnsigned), wrong);
  EXPECT_EQ(make(64, 0, 0, 0, cudaChannelFormatKindFloat), wrong);
  EXPECT_EQ(make(8, 0, 0, 0, cudaChannelFormatKindFloat), wrong);
  EXPECT_EQ(make(0, 0, 0, 0, cudaChannelFormatKindSigned), wrong);
  EXPECT_EQ(make(32, 0, 0, 0, cudaChannelFormatKindNone), wrong);
}

TEST_F(ArrayApi, FlagsAndExtentsMustFit) {
  cudaArray_t array = nullptr;
  const auto make = [&](cudaExtent extent, unsigned flags) {
    const cudaError_t error = cudaMalloc3DArray(&array, &ints, extent, flags);
    if (error == cudaSuccess) {
      EXPECT_EQ(cudaFreeArray(array), cudaSuccess);
    }
    return error;
  };
  EXPECT_EQ(make({4, 0, 0}, 0), cudaSuccess);
  EXPECT_EQ(make({4, 4, 4}, 0), cudaSuccess);
  EXPECT_EQ(make({4, 0, 3}, cudaArrayLayered), cudaSuccess);
  EXPECT_EQ(make({4, 4, 6}, cudaArrayCubemap), cudaSuccess);
  EXPECT_EQ(make({4, 4, 12}, cudaArrayCubemap | cudaArrayLayered), cudaSuccess);
  EXPECT_EQ(make({0, 4, 0}, 0), cudaErrorInvalidValue);
  EXPECT_EQ(make({4, 0, 4}, 0), cudaErrorInvalidValue);
  EXPECT_EQ(make({4, 3, 6}, cudaArrayCubemap), cudaErrorInvalidValue);
  EXPECT_EQ(make({4, 4, 5}, cudaArrayCubemap), cudaErrorInvalidValue);
  EXPECT_EQ(make({4, 4, 8}, cudaArrayCubemap | cudaArrayLayered), cudaErrorInvalidValue);
  EXPECT_EQ(make({131073, 0, 0}, 0), cudaErrorInvalidValue);
  EXPECT_EQ(make({32769, 0, 0}, cudaArraySurfaceLoadStore), cudaErrorInvalidValue);
  EXPECT_EQ(make({4, 4, 0}, 0x1000), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMallocArray(&array, &ints, 4, 4, cudaArrayLayered), cudaErrorInvalidValue);
}

TEST_F(ArrayApi, TellsWhatItIs) {
  cudaChannelFormatDesc desc{};
  cudaExtent extent{};
  unsigned flags = 9;
  EXPECT_EQ(cudaArrayGetInfo(&desc, &extent, &flags, array_), cudaSuccess);
  EXPECT_EQ(desc.x, 32);
  EXPECT_EQ(extent.width, 8u);
  EXPECT_EQ(extent.height, 4u);
  EXPECT_EQ(extent.depth, 0u);
  EXPECT_EQ(flags, 0u);
  EXPECT_EQ(cudaGetChannelDesc(&desc, array_), cudaSuccess);
  EXPECT_EQ(desc.f, cudaChannelFormatKindSigned);
  cudaArrayMemoryRequirements needs{};
  EXPECT_EQ(cudaArrayGetMemoryRequirements(&needs, array_, 0), cudaErrorInvalidValue);
  cudaArray_t plane = nullptr;
  cudaArraySparseProperties sparse{};
  EXPECT_EQ(cudaArrayGetPlane(&plane, array_, 0), cudaErrorInvalidValue);
  EXPECT_EQ(cudaArrayGetSparseProperties(&sparse, array_), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFreeArray(nullptr), cudaSuccess);
  EXPECT_EQ(cudaFreeArray(reinterpret_cast<cudaArray_t>(values_.data())), cudaErrorInvalidValue);
  size_t width = 0;
  EXPECT_EQ(cudaDeviceGetTexture1DLinearMaxWidth(&width, &ints, 0), cudaSuccess);
  EXPECT_EQ(width, size_t{1} << 28);
}

TEST_F(ArrayApi, RowsAreCopiedWithinBounds) {
  EXPECT_EQ(cudaMemcpy2DToArray(array_, 0, 0, values_.data(), 32, 32, 4, to_device), cudaSuccess);
  EXPECT_EQ(content(), values_);
  const int two[] = {1, 2};
  EXPECT_EQ(cudaMemcpy2DToArray(array_, 24, 3, two, 8, 8, 1, to_device), cudaSuccess);
  values_[30] = 1;
  values_[31] = 2;
  EXPECT_EQ(content(), values_);
  EXPECT_EQ(cudaMemcpy2DToArray(array_, 28, 3, two, 8, 8, 1, to_device), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy2DToArray(array_, 0, 4, two, 8, 8, 1, to_device), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy2DToArray(array_, 0, 0, two, 4, 8, 1, to_device), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy2DToArray(array_, 0, 0, two, 8, 8, 1, to_host),
            cudaErrorInvalidMemcpyDirection);
  EXPECT_EQ(cudaMemcpy2DToArray(nullptr, 0, 0, two, 8, 8, 1, to_device),
            cudaErrorInvalidResourceHandle);
}

TEST_F(ArrayApi, ThreeDimensionalCopiesCountTexels) {
  cudaMemcpy3DParms copy{};
  copy.srcPtr = {values_.data(), 8, 2, 2};
  copy.dstArray = array_;
  copy.dstPos = {6, 2, 0};
  copy.extent = {2, 2, 1};
  copy.kind = to_device;
  EXPECT_EQ(cudaMemcpy3D(&copy), cudaSuccess);
  const std::vector<int> got = content();
  EXPECT_EQ(got[2 * 8 + 6], 100);
  EXPECT_EQ(got[2 * 8 + 7], 101);
  EXPECT_EQ(got[3 * 8 + 6], 102);
  copy.dstPos = {7, 2, 0};
  EXPECT_EQ(cudaMemcpy3D(&copy), cudaErrorInvalidValue);
  copy.dstPos = {0, 0, 0};
  copy.dstPtr = copy.srcPtr;  // two destinations
  EXPECT_EQ(cudaMemcpy3D(&copy), cudaErrorInvalidValue);
}

TEST_F(ArrayApi, LevelsOfMipmapsHalve) {
  cudaMipmappedArray_t pyramid = nullptr;
  ASSERT_EQ(cudaMallocMipmappedArray(&pyramid, &ints, {16, 4, 0}, 99, 0), cudaSuccess);
  const size_t widths[] = {16, 8, 4, 2, 1}, heights[] = {4, 2, 1, 1, 1};
  cudaArray_t level = nullptr;
  for (unsigned i = 0; i < 5; ++i) {
    cudaExtent extent{};
    ASSERT_EQ(cudaGetMipmappedArrayLevel(&level, pyramid, i), cudaSuccess);
    EXPECT_EQ(cudaArrayGetInfo(nullptr, &extent, nullptr, level), cudaSuccess);
    EXPECT_EQ(extent.width, widths[i]);
    EXPECT_EQ(extent.height, heights[i]);
  }
  EXPECT_EQ(cudaFreeArray(level), cudaSuccess);  // and nothing is freed
  EXPECT_EQ(cudaArrayGetInfo(nullptr, nullptr, nullptr, level), cudaSuccess);
  EXPECT_EQ(cudaGetMipmappedArrayLevel(&level, pyramid, 5), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFreeMipmappedArray(pyramid), cudaSuccess);
}

}  // namespace
