// Texture and surface objects: what is accepted, what is refused with which error, what is told.
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

namespace {

class TextureApi : public testing::Test {
 protected:
  void SetUp() override {
    const cudaChannelFormatDesc ints{32, 0, 0, 0, cudaChannelFormatKindSigned};
    ASSERT_EQ(cudaMallocArray(&plain_, &ints, 8, 4, 0), cudaSuccess);
    ASSERT_EQ(cudaMallocArray(&writable_, &ints, 8, 4, cudaArraySurfaceLoadStore), cudaSuccess);
    ASSERT_EQ(cudaMalloc(&memory_, 4096), cudaSuccess);
    on_array_.resType = cudaResourceTypeArray;
    on_array_.res.array.array = plain_;
    linear_.resType = cudaResourceTypeLinear;
    linear_.res.linear.devPtr = memory_;
    linear_.res.linear.desc = ints;
    linear_.res.linear.sizeInBytes = 4096;
    pitched_.resType = cudaResourceTypePitch2D;
    pitched_.res.pitch2D.devPtr = memory_;
    pitched_.res.pitch2D.desc = ints;
    pitched_.res.pitch2D.width = 8;
    pitched_.res.pitch2D.height = 4;
    pitched_.res.pitch2D.pitchInBytes = 512;
  }
  void TearDown() override {
    EXPECT_EQ(cudaFreeArray(plain_), cudaSuccess);
    EXPECT_EQ(cudaFreeArray(writable_), cudaSuccess);
    EXPECT_EQ(cudaFree(memory_), cudaSuccess);
    cudaGetLastError();
  }
  // Made and destroyed again.
  cudaError_t make(const cudaResourceDesc& resource, const cudaResourceViewDesc* view = nullptr) {
    cudaTextureObject_t texture = 0;
    const cudaError_t error = cudaCreateTextureObject(&texture, &resource, &how_, view);
    if (error == cudaSuccess) {
      EXPECT_EQ(cudaDestroyTextureObject(texture), cudaSuccess);
    }
    return error;
  }

  cudaArray_t plain_ = nullptr, writable_ = nullptr;
  void* memory_ = nullptr;
  cudaResourceDesc on_array_{}, linear_{}, pitched_{};
  cudaTextureDesc how_{};
};

TEST_F(TextureApi, MemoryMustBeAlignedAndInBounds) {
  EXPECT_EQ(make(on_array_), cudaSuccess);
  EXPECT_EQ(make(linear_), cudaSuccess);
  EXPECT_EQ(make(pitched_), cudaSuccess);
  linear_.res.linear.devPtr = static_cast<char*>(memory_) + 16;
  linear_.res.linear.sizeInBytes = 64;
  EXPECT_EQ(make(linear_), cudaErrorInvalidValue);
  linear_.res.linear.devPtr = memory_;
  linear_.res.linear.sizeInBytes = 4100;
  EXPECT_EQ(make(linear_), cudaErrorInvalidValue);
  linear_.res.linear.sizeInBytes = 0;
  EXPECT_EQ(make(linear_), cudaErrorInvalidValue);
  pitched_.res.pitch2D.pitchInBytes = 48;
  EXPECT_EQ(make(pitched_), cudaErrorInvalidValue);
  pitched_.res.pitch2D.pitchInBytes = 512;
  pitched_.res.pitch2D.height = 65001;
  EXPECT_EQ(make(pitched_), cudaErrorInvalidValue);
  pitched_.res.pitch2D.height = 4;
  pitched_.res.pitch2D.desc.x = 24;
  EXPECT_EQ(make(pitched_), cudaErrorInvalidChannelDescriptor);
  on_array_.res.array.array = nullptr;
  EXPECT_EQ(make(on_array_), cudaErrorInvalidResourceHandle);
}

TEST_F(TextureApi, IntegersAreNotFiltered) {
  how_.filterMode = cudaFilterModeLinear;
  EXPECT_EQ(make(on_array_), cudaErrorInvalidFilterSetting);
  EXPECT_EQ(make(linear_), cudaErrorInvalidFilterSetting);  // although it is read by index
  pitched_.res.pitch2D.desc = {8, 0, 0, 0, cudaChannelFormatKindUnsigned};
  EXPECT_EQ(make(pitched_), cudaErrorInvalidFilterSetting);
  how_.readMode = cudaReadModeNormalizedFloat;
  EXPECT_EQ(make(pitched_), cudaSuccess);
  how_.filterMode = static_cast<cudaTextureFilterMode>(7);
  EXPECT_EQ(make(pitched_), cudaErrorInvalidValue);
}

TEST_F(TextureApi, ViewsMustFit) {
  cudaResourceViewDesc view{};
  view.format = cudaResViewFormatFloat1;
  view.width = 8;
  view.height = 4;
  EXPECT_EQ(make(on_array_, &view), cudaSuccess);
  EXPECT_EQ(make(linear_, &view), cudaErrorInvalidValue);
  view.format = cudaResViewFormatUnsignedChar4;
  EXPECT_EQ(make(on_array_, &view), cudaSuccess);
  view.format = cudaResViewFormatFloat2;
  EXPECT_EQ(make(on_array_, &view), cudaErrorInvalidValue);
  view.format = cudaResViewFormatNone;
  view.lastMipmapLevel = 1;
  EXPECT_EQ(make(on_array_, &view), cudaErrorInvalidValue);
}

TEST_F(TextureApi, TellsItsDescriptions) {
  how_.addressMode[0] = cudaAddressModeBorder;
  how_.maxAnisotropy = 3;
  cudaTextureObject_t texture = 0;
  ASSERT_EQ(cudaCreateTextureObject(&texture, &on_array_, &how_, nullptr), cudaSuccess);
  EXPECT_NE(texture, 0u);
  cudaResourceDesc resource{};
  cudaTextureDesc how{};
  cudaResourceViewDesc view{};
  view.width = 7;
  EXPECT_EQ(cudaGetTextureObjectResourceDesc(&resource, texture), cudaSuccess);
  EXPECT_EQ(resource.res.array.array, plain_);
  EXPECT_EQ(cudaGetTextureObjectTextureDesc(&how, texture), cudaSuccess);
  EXPECT_EQ(how.addressMode[0], cudaAddressModeBorder);
  EXPECT_EQ(how.maxAnisotropy, 3u);
  EXPECT_EQ(cudaGetTextureObjectResourceViewDesc(&view, texture), cudaSuccess);
  EXPECT_EQ(view.width, 7u);  // there is none
  EXPECT_EQ(cudaDestroyTextureObject(texture), cudaSuccess);
  EXPECT_EQ(cudaGetTextureObjectTextureDesc(&how, texture), cudaErrorInvalidValue);
  EXPECT_EQ(cudaDestroyTextureObject(texture), cudaErrorInvalidValue);
  EXPECT_EQ(cudaDestroyTextureObject(0), cudaSuccess);
}

TEST_F(TextureApi, SurfacesNeedAnArray) {
  cudaSurfaceObject_t surface = 0;
  EXPECT_EQ(cudaCreateSurfaceObject(&surface, &linear_), cudaErrorInvalidValue);
  EXPECT_EQ(cudaCreateSurfaceObject(&surface, &on_array_), cudaSuccess);  // whatever its flags
  EXPECT_EQ(cudaDestroySurfaceObject(surface), cudaSuccess);
  on_array_.res.array.array = writable_;
  ASSERT_EQ(cudaCreateSurfaceObject(&surface, &on_array_), cudaSuccess);
  cudaResourceDesc resource{};
  EXPECT_EQ(cudaGetSurfaceObjectResourceDesc(&resource, surface), cudaSuccess);
  EXPECT_EQ(resource.res.array.array, writable_);
  EXPECT_EQ(cudaDestroySurfaceObject(surface), cudaSuccess);
  EXPECT_EQ(cudaDestroySurfaceObject(surface), cudaErrorInvalidValue);
}

}  // namespace
