// Device management: the expected answers are those of an H200 with driver 580.
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <cstring>
#include <thread>

namespace {

int attribute(cudaDeviceAttr which) {
  int value = -1;
  EXPECT_EQ(cudaDeviceGetAttribute(&value, which, 0), cudaSuccess) << which;
  return value;
}

TEST(Device, PropertiesAgreeWithAttributes) {
  cudaDeviceProp p{};
  ASSERT_EQ(cudaGetDeviceProperties(&p, 0), cudaSuccess);
  EXPECT_EQ(p.multiProcessorCount, attribute(cudaDevAttrMultiProcessorCount));
  EXPECT_EQ(p.major, attribute(cudaDevAttrComputeCapabilityMajor));
  EXPECT_EQ(p.minor, attribute(cudaDevAttrComputeCapabilityMinor));
  EXPECT_EQ(p.l2CacheSize, attribute(cudaDevAttrL2CacheSize));
  EXPECT_EQ(p.warpSize, 32);
  EXPECT_EQ(p.maxThreadsPerBlock, 1024);
  EXPECT_EQ(p.maxThreadsDim[2], 64);
  EXPECT_EQ(p.maxGridSize[0], 2147483647);
  EXPECT_EQ(p.sharedMemPerBlock, 49152u);
  EXPECT_EQ(p.sharedMemPerBlockOptin + p.reservedSharedMemPerBlock, p.sharedMemPerMultiprocessor);
  EXPECT_EQ(static_cast<int>(p.sharedMemPerBlockOptin),
            attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin));
  EXPECT_EQ(p.regsPerBlock, attribute(cudaDevAttrMaxRegistersPerBlock));
  EXPECT_EQ(p.clusterLaunch, p.major >= 9);
  EXPECT_EQ(p.unifiedAddressing, 1);
  EXPECT_EQ(p.managedMemory, 1);
  EXPECT_EQ(p.canMapHostMemory, 1);
  EXPECT_GT(std::strlen(p.name), 0u);
  const cudaUUID_t none{};
  EXPECT_NE(std::memcmp(&p.uuid, &none, sizeof none), 0);
  size_t free = 0, total = 0;
  ASSERT_EQ(cudaMemGetInfo(&free, &total), cudaSuccess);
  EXPECT_EQ(total, p.totalGlobalMem);
  EXPECT_LE(free, total);
}

TEST(Device, EveryAttributeOfTheHeaderIsAnswered) {
  for (int which = 1; which < cudaDevAttrMax; ++which)
    attribute(static_cast<cudaDeviceAttr>(which));
  int value = 0;
  EXPECT_EQ(cudaDeviceGetAttribute(&value, static_cast<cudaDeviceAttr>(999), 0),
            cudaErrorInvalidValue);
  EXPECT_EQ(cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, 99), cudaErrorInvalidDevice);
  cudaGetLastError();
}

TEST(Device, Versions) {
  int driver = 0, runtime = 0;
  ASSERT_EQ(cudaDriverGetVersion(&driver), cudaSuccess);
  ASSERT_EQ(cudaRuntimeGetVersion(&runtime), cudaSuccess);
  EXPECT_GE(driver, runtime);
  EXPECT_GE(runtime, 13000);
}

TEST(Device, NumbersBeyondTheLastAreRefused) {
  int count = 0, device = -1;
  ASSERT_EQ(cudaGetDeviceCount(&count), cudaSuccess);
  ASSERT_GE(count, 1);
  EXPECT_EQ(cudaSetDevice(0), cudaSuccess);
  EXPECT_EQ(cudaSetDevice(count), cudaErrorInvalidDevice);
  EXPECT_EQ(cudaSetDevice(-1), cudaErrorInvalidDevice);
  EXPECT_EQ(cudaInitDevice(count, 0, 0), cudaErrorInvalidDevice);
  EXPECT_EQ(cudaInitDevice(0, 0, 0), cudaSuccess);
  EXPECT_EQ(cudaGetDevice(&device), cudaSuccess);
  EXPECT_EQ(device, 0);
  cudaGetLastError();
}

TEST(Device, PeersOfOneself) {
  int can = -1;
  EXPECT_EQ(cudaDeviceCanAccessPeer(&can, 0, 0), cudaSuccess);
  EXPECT_EQ(can, 0);
  EXPECT_EQ(cudaDeviceEnablePeerAccess(0, 0), cudaErrorPeerAccessUnsupported);
  EXPECT_EQ(cudaDeviceDisablePeerAccess(0), cudaErrorPeerAccessNotEnabled);
  EXPECT_EQ(cudaDeviceCanAccessPeer(&can, 0, 99), cudaErrorInvalidDevice);
  cudaGetLastError();
}

TEST(Device, BusIdNamesTheDevice) {
  char text[32] = "";
  ASSERT_EQ(cudaDeviceGetPCIBusId(text, sizeof text, 0), cudaSuccess);
  int device = -1;
  EXPECT_EQ(cudaDeviceGetByPCIBusId(&device, text), cudaSuccess);
  EXPECT_EQ(device, 0);
  EXPECT_EQ(cudaDeviceGetPCIBusId(text, 4, 0), cudaErrorInvalidValue);
  EXPECT_EQ(cudaDeviceGetByPCIBusId(&device, "zz"), cudaErrorInvalidValue);
  cudaGetLastError();
}

TEST(Device, Limits) {
  size_t value = 0;
  EXPECT_EQ(cudaDeviceGetLimit(&value, cudaLimitStackSize), cudaSuccess);
  EXPECT_EQ(value, 1024u);
  EXPECT_EQ(cudaDeviceSetLimit(cudaLimitStackSize, 4096), cudaSuccess);
  EXPECT_EQ(cudaDeviceGetLimit(&value, cudaLimitStackSize), cudaSuccess);
  EXPECT_EQ(value, 4096u);
  EXPECT_EQ(cudaDeviceSetLimit(cudaLimitStackSize, 1024), cudaSuccess);
  EXPECT_EQ(cudaDeviceGetLimit(&value, cudaLimitDevRuntimeSyncDepth), cudaErrorUnsupportedLimit);
  EXPECT_EQ(cudaDeviceGetLimit(&value, static_cast<cudaLimit>(99)), cudaErrorInvalidValue);
  int least = 1, greatest = 1;
  EXPECT_EQ(cudaDeviceGetStreamPriorityRange(&least, &greatest), cudaSuccess);
  EXPECT_EQ(least, 0);
  EXPECT_LT(greatest, least);
  cudaGetLastError();
}

// As driver 580 counts on an H200.
TEST(Device, L2IsSetAsideInTenths) {
  int most = 0;
  ASSERT_EQ(cudaDeviceGetAttribute(&most, cudaDevAttrMaxPersistingL2CacheSize, 0), cudaSuccess);
  const auto set = [](std::size_t bytes) {
    return cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, bytes);
  };
  const auto now = [] {
    std::size_t bytes = 1;
    EXPECT_EQ(cudaDeviceGetLimit(&bytes, cudaLimitPersistingL2CacheSize), cudaSuccess);
    return bytes;
  };
  const auto all = static_cast<std::size_t>(most);
  const std::size_t at_start = now();
  EXPECT_EQ(at_start, all / 10 * 3);
  EXPECT_EQ(set(0), cudaSuccess);
  EXPECT_EQ(now(), 0u);
  EXPECT_EQ(set(1), cudaSuccess);
  EXPECT_EQ(now(), all / 10);
  EXPECT_EQ(set(all), cudaSuccess);
  EXPECT_EQ(now(), all);
  EXPECT_EQ(set(all + 1), cudaErrorInvalidValue);
  EXPECT_EQ(now(), all);
  EXPECT_EQ(set(at_start), cudaSuccess);
  cudaGetLastError();
}

TEST(Errors, LastErrorBelongsToTheThread) {
  cudaGetLastError();
  EXPECT_EQ(cudaMalloc(nullptr, 4), cudaErrorInvalidValue);
  EXPECT_EQ(cudaPeekAtLastError(), cudaErrorInvalidValue);
  std::thread([] { EXPECT_EQ(cudaGetLastError(), cudaSuccess); }).join();
  int device = 0;
  EXPECT_EQ(cudaGetDevice(&device), cudaSuccess);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue) << "a good call does not clear it";
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
}

TEST(Errors, NamesAndTexts) {
  EXPECT_STREQ(cudaGetErrorName(cudaSuccess), "cudaSuccess");
  EXPECT_STREQ(cudaGetErrorName(cudaErrorInvalidClusterSize), "cudaErrorInvalidClusterSize");
  EXPECT_STREQ(cudaGetErrorString(cudaErrorMemoryAllocation), "out of memory");
  EXPECT_STREQ(cudaGetErrorName(static_cast<cudaError_t>(12345)), "unrecognized error code");
}

}  // namespace
