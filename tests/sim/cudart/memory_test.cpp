// Memory of all kinds: the expected answers are those of an H200 with driver 580.
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <numeric>
#include <vector>

#include "tests/sim/cudart/kernels.hpp"

namespace {

constexpr auto to_device = cudaMemcpyHostToDevice, to_host = cudaMemcpyDeviceToHost;
constexpr auto inside = cudaMemcpyDeviceToDevice, any = cudaMemcpyDefault;

class MemoryApi : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(cudaMalloc(&device_, 4096), cudaSuccess);
    ASSERT_EQ(cudaMalloc(&small_, 100), cudaSuccess);
    ASSERT_EQ(cudaMallocHost(&pinned_, 4096), cudaSuccess);
    ASSERT_EQ(cudaMallocManaged(&managed_, 4096, cudaMemAttachGlobal), cudaSuccess);
    cudaGetLastError();
  }
  void TearDown() override {
    EXPECT_EQ(cudaFree(device_), cudaSuccess);
    EXPECT_EQ(cudaFree(small_), cudaSuccess);
    EXPECT_EQ(cudaFreeHost(pinned_), cudaSuccess);
    EXPECT_EQ(cudaFree(managed_), cudaSuccess);
    cudaGetLastError();
  }
  char* at(void* pointer, int offset) { return static_cast<char*>(pointer) + offset; }

  void *device_ = nullptr, *small_ = nullptr, *pinned_ = nullptr, *managed_ = nullptr;
  std::vector<char> host_ = std::vector<char>(1 << 16), other_ = std::vector<char>(1 << 16);
};

TEST_F(MemoryApi, DirectionsAreJudgedByWhatTheEndsAre) {
  void *host = host_.data(), *other = other_.data();
  EXPECT_EQ(cudaMemcpy(host, other, 16, to_device), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(host, device_, 16, to_device), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(device_, host, 16, to_host), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(host, other, 16, to_host), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(device_, host, 16, inside), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(host, device_, 16, inside), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(device_, small_, 16, to_device), cudaSuccess);
  EXPECT_EQ(cudaMemcpy(device_, small_, 16, to_host), cudaSuccess);
  for (void* one : {host, device_, pinned_, managed_})
    EXPECT_EQ(cudaMemcpy(one, other, 16, any), cudaSuccess);
  EXPECT_EQ(cudaMemcpy(pinned_, host, 16, to_device), cudaSuccess);
  EXPECT_EQ(cudaMemcpy(pinned_, device_, 16, inside), cudaSuccess);
  EXPECT_EQ(cudaMemcpy(host, pinned_, 16, to_host), cudaSuccess);
  EXPECT_EQ(cudaMemcpy(managed_, device_, 16, to_host), cudaSuccess);
  EXPECT_EQ(cudaMemcpy(device_, host, 16, static_cast<cudaMemcpyKind>(9)),
            cudaErrorInvalidMemcpyDirection);
}

TEST_F(MemoryApi, RangesMustLieInOneAllocation) {
  void* host = host_.data();
  EXPECT_EQ(cudaMemcpy(small_, host, 100, to_device), cudaSuccess);
  EXPECT_EQ(cudaMemcpy(small_, host, 101, to_device), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(host, at(small_, 99), 2, to_host), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(nullptr, host, 16, to_device), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(device_, nullptr, 16, to_device), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(nullptr, nullptr, 0, to_device), cudaSuccess);
  EXPECT_EQ(cudaMemset(device_, 0, 4096), cudaSuccess);
  EXPECT_EQ(cudaMemset(device_, 0, 4 << 20), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemset(host, 0, 16), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemset(nullptr, 0, 0), cudaSuccess);
  EXPECT_EQ(cudaMemset(pinned_, 0, 16), cudaSuccess);
}

TEST_F(MemoryApi, RowsAndPlanes) {
  std::iota(host_.begin(), host_.end(), 0);
  ASSERT_EQ(cudaMemset(device_, 0x7f, 4096), cudaSuccess);
  // 3 rows of 5 bytes, 16 apart on the host, 32 apart on the device.
  ASSERT_EQ(cudaMemcpy2D(device_, 32, host_.data(), 16, 5, 3, to_device), cudaSuccess);
  ASSERT_EQ(cudaMemcpy(other_.data(), device_, 96, to_host), cudaSuccess);
  for (int row = 0; row < 3; ++row)
    for (int column = 0; column < 32; ++column)
      EXPECT_EQ(other_[row * 32 + column], column < 5 ? row * 16 + column : 0x7f);
  ASSERT_EQ(cudaMemset2D(device_, 32, 1, 2, 3), cudaSuccess);
  ASSERT_EQ(cudaMemcpy(other_.data(), device_, 96, to_host), cudaSuccess);
  EXPECT_EQ(other_[64], 1);
  EXPECT_EQ(other_[66], 34);
  EXPECT_EQ(cudaMemcpy2D(device_, 16, host_.data(), 16, 32, 2, to_device),
            cudaErrorInvalidPitchValue);
  EXPECT_EQ(cudaMemset2D(device_, 8, 0, 16, 2), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemset2D(device_, 8, 0, 8, 512), cudaSuccess);
  EXPECT_EQ(cudaMemset2D(device_, 8, 0, 8, 513), cudaErrorInvalidValue);
}

TEST_F(MemoryApi, Boxes) {
  cudaPitchedPtr box{};
  const cudaExtent extent{100, 3, 2};
  ASSERT_EQ(cudaMalloc3D(&box, extent), cudaSuccess);
  EXPECT_EQ(box.pitch, 512u);
  EXPECT_EQ(box.xsize, 100u);
  EXPECT_EQ(box.ysize, 3u);
  EXPECT_EQ(cudaMemset3D(box, 0, extent), cudaSuccess);
  std::iota(host_.begin(), host_.end(), 0);
  cudaMemcpy3DParms copy{};
  copy.srcPtr = {host_.data(), 100, 100, 3};
  copy.dstPtr = box;
  copy.extent = extent;
  copy.kind = to_device;
  ASSERT_EQ(cudaMemcpy3D(&copy), cudaSuccess);
  cudaMemcpy3DParms back{};
  back.srcPtr = box;
  back.srcPos = {10, 1, 1};
  back.dstPtr = {other_.data(), 20, 20, 2};
  back.extent = {20, 2, 1};
  back.kind = to_host;
  ASSERT_EQ(cudaMemcpy3D(&back), cudaSuccess);
  for (int row = 0; row < 2; ++row)
    for (int column = 0; column < 20; ++column)
      EXPECT_EQ(other_[row * 20 + column], static_cast<char>(300 + (row + 1) * 100 + 10 + column));
  EXPECT_EQ(cudaFree(box.ptr), cudaSuccess);
}

TEST_F(MemoryApi, AllocationEdges) {
  void* pointer = this;
  EXPECT_EQ(cudaMalloc(&pointer, 0), cudaSuccess);
  EXPECT_EQ(pointer, nullptr);
  EXPECT_EQ(cudaMalloc(&pointer, size_t{1} << 45), cudaErrorMemoryAllocation);
  EXPECT_EQ(cudaMallocHost(&pointer, 0), cudaSuccess);
  EXPECT_EQ(cudaMallocManaged(&pointer, 16, 8), cudaErrorInvalidValue);
  EXPECT_EQ(cudaHostAlloc(&pointer, 16, 64), cudaErrorInvalidValue);
  size_t pitch = 0;
  ASSERT_EQ(cudaMallocPitch(&pointer, &pitch, 513, 10), cudaSuccess);
  EXPECT_EQ(pitch, 1024u);
  EXPECT_EQ(cudaFree(pointer), cudaSuccess);
  EXPECT_EQ(cudaFree(pointer), cudaErrorInvalidValue);
}

TEST_F(MemoryApi, OnlyWhatWasAllocatedIsFreed) {
  EXPECT_EQ(cudaFree(nullptr), cudaSuccess);
  EXPECT_EQ(cudaFree(host_.data()), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFree(at(device_, 16)), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFree(pinned_), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFreeHost(host_.data()), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFreeHost(device_), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFreeHost(nullptr), cudaSuccess);
}

TEST_F(MemoryApi, RegisteredHostMemory) {
  void *host = host_.data(), *device = nullptr;
  EXPECT_EQ(cudaHostGetDevicePointer(&device, host, 0), cudaErrorInvalidValue);
  ASSERT_EQ(cudaHostRegister(host, 4096, 0), cudaSuccess);
  EXPECT_EQ(cudaHostRegister(host, 4096, 0), cudaErrorHostMemoryAlreadyRegistered);
  EXPECT_EQ(cudaHostGetDevicePointer(&device, host_.data() + 16, 0), cudaSuccess);
  EXPECT_EQ(device, host_.data() + 16);
  unsigned flags = 0;
  EXPECT_EQ(cudaHostGetFlags(&flags, host), cudaSuccess);
  EXPECT_EQ(flags, 2u);
  EXPECT_EQ(cudaFreeHost(host), cudaErrorInvalidValue);
  EXPECT_EQ(cudaHostUnregister(host), cudaSuccess);
  EXPECT_EQ(cudaHostUnregister(host), cudaErrorHostMemoryNotRegistered);
  EXPECT_EQ(cudaHostUnregister(pinned_), cudaErrorInvalidValue);
  EXPECT_EQ(cudaHostRegister(host, 0, 0), cudaErrorInvalidValue);
}

TEST_F(MemoryApi, PointersKnowTheirMemory) {
  const auto type = [](const void* pointer) {
    cudaPointerAttributes attributes{};
    EXPECT_EQ(cudaPointerGetAttributes(&attributes, pointer), cudaSuccess);
    EXPECT_EQ(attributes.device, attributes.type == cudaMemoryTypeUnregistered ? -2 : 0);
    return attributes.type;
  };
  EXPECT_EQ(type(host_.data()), cudaMemoryTypeUnregistered);
  EXPECT_EQ(type(at(device_, 5)), cudaMemoryTypeDevice);
  EXPECT_EQ(type(pinned_), cudaMemoryTypeHost);
  EXPECT_EQ(type(managed_), cudaMemoryTypeManaged);
  EXPECT_EQ(type(nullptr), cudaMemoryTypeUnregistered);
}

TEST_F(MemoryApi, HintsAreForManagedMemory) {
  const cudaMemLocation here{cudaMemLocationTypeDevice, {0}};
  EXPECT_EQ(cudaMemAdvise(managed_, 16, cudaMemAdviseSetReadMostly, here), cudaSuccess);
  EXPECT_EQ(cudaMemAdvise(device_, 16, cudaMemAdviseSetReadMostly, here), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemPrefetchAsync(managed_, 16, here, 0, nullptr), cudaSuccess);
  EXPECT_EQ(cudaMemPrefetchAsync(device_, 16, here, 0, nullptr), cudaErrorInvalidValue);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
}

TEST_F(MemoryApi, VariablesOfDeviceCode) {
  int value = 0;
  ASSERT_EQ(cudaMemcpyFromSymbol(&value, kernels::offset_variable(), 4, 0, to_host), cudaSuccess);
  EXPECT_EQ(value, 3);
  float coefficients[4] = {};
  ASSERT_EQ(cudaMemcpyFromSymbol(coefficients, kernels::constant_variable(), 16, 0, to_host),
            cudaSuccess);
  EXPECT_EQ(coefficients[3], 4);
  size_t bytes = 0;
  EXPECT_EQ(cudaGetSymbolSize(&bytes, kernels::table_variable()), cudaSuccess);
  EXPECT_EQ(bytes, 40u);
  int table[10] = {};
  const void* symbol = kernels::table_variable();
  EXPECT_EQ(cudaMemcpyToSymbol(symbol, table, 40, 0, to_device), cudaSuccess);
  EXPECT_EQ(cudaMemcpyToSymbol(symbol, table, 44, 0, to_device), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpyToSymbol(symbol, table, 4, 40, to_device), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpyToSymbol(symbol, table, 4, 0, to_host), cudaErrorInvalidMemcpyDirection);
  EXPECT_EQ(cudaMemcpyToSymbol(table, table, 4, 0, to_device), cudaErrorInvalidSymbol);
  void* address = nullptr;
  ASSERT_EQ(cudaGetSymbolAddress(&address, symbol), cudaSuccess);
  EXPECT_EQ(cudaMemset(address, 0, 40), cudaSuccess);
  EXPECT_EQ(cudaGetSymbolAddress(&address, table), cudaErrorInvalidSymbol);
}

TEST_F(MemoryApi, ManagedVariablesAreSharedWithTheHost) {
  EXPECT_EQ(kernels::managed_variable(), 7);
  kernels::managed_variable() = 20;
  kernels::launch_managed_increment();
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(kernels::managed_variable(), 21);
  kernels::managed_variable() = 7;
}

TEST_F(MemoryApi, PoolsCountWhatIsOut) {
  cudaMemPool_t pool = nullptr;
  ASSERT_EQ(cudaDeviceGetDefaultMemPool(&pool, 0), cudaSuccess);
  std::uint64_t before = 0, used = 0;
  int reuse = 0;
  ASSERT_EQ(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &before), cudaSuccess);
  ASSERT_EQ(cudaMemPoolGetAttribute(pool, cudaMemPoolReuseAllowOpportunistic, &reuse), cudaSuccess);
  EXPECT_EQ(reuse, 1);
  void* memory = nullptr;
  ASSERT_EQ(cudaMallocAsync(&memory, 100, nullptr), cudaSuccess);
  ASSERT_EQ(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used), cudaSuccess);
  EXPECT_EQ(used, before + 100);
  EXPECT_EQ(cudaMemset(memory, 0, 100), cudaSuccess);
  EXPECT_EQ(cudaFreeAsync(at(memory, 1), nullptr), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFreeAsync(memory, nullptr), cudaSuccess);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(cudaMallocAsync(&memory, 0, nullptr), cudaSuccess);
  EXPECT_EQ(memory, nullptr);
  std::uint64_t threshold = 1 << 30;
  EXPECT_EQ(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold),
            cudaSuccess);
  threshold = 0;
  EXPECT_EQ(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold),
            cudaSuccess);
}

}  // namespace
