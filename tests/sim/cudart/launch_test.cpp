// Launches, kernel attributes and occupancy: the expected answers are those of an H200 with driver
// 580.
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <vector>

#include "tests/sim/cudart/kernels.hpp"

namespace {

struct Shape {
  dim3 grid = 1, block = 32;
  size_t shared = 0;
  dim3 cluster = dim3(0, 0, 0);  // zeros: none
  bool cooperative = false;
};

class Launch : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(cudaMalloc(&out_, bytes), cudaSuccess);
    ASSERT_EQ(cudaGetDeviceProperties(&device_, 0), cudaSuccess);
    cudaGetLastError();
  }
  void TearDown() override {
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    EXPECT_EQ(cudaFree(out_), cudaSuccess);
    cudaGetLastError();
  }

  cudaError_t launch(const Shape& shape, const void* kernel = kernels::store_index()) {
    int count = 100;
    void* args[] = {&out_, &count};
    cudaLaunchAttribute attributes[2] = {};
    cudaLaunchConfig_t config{};
    config.gridDim = shape.grid;
    config.blockDim = shape.block;
    config.dynamicSmemBytes = shape.shared;
    config.attrs = attributes;
    if (shape.cluster.x != 0) {
      attributes[config.numAttrs].id = cudaLaunchAttributeClusterDimension;
      attributes[config.numAttrs++].val.clusterDim = {shape.cluster.x, shape.cluster.y,
                                                      shape.cluster.z};
    }
    if (shape.cooperative) {
      attributes[config.numAttrs].id = cudaLaunchAttributeCooperative;
      attributes[config.numAttrs++].val.cooperative = 1;
    }
    const cudaError_t error = cudaLaunchKernelExC(&config, kernel, args);
    cudaGetLastError();
    return error;
  }

  std::vector<int> result(int count) {
    std::vector<int> values(count);
    EXPECT_EQ(cudaMemcpy(values.data(), out_, count * sizeof(int), cudaMemcpyDeviceToHost),
              cudaSuccess);
    return values;
  }

  static constexpr size_t bytes = 1 << 16;
  void* out_ = nullptr;
  cudaDeviceProp device_{};
};

TEST_F(Launch, WritesWhatItComputes) {
  kernels::launch_store_index(static_cast<int*>(out_), 100, 2, 64);
  ASSERT_EQ(cudaGetLastError(), cudaSuccess);
  const std::vector<int> values = result(100);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(values[i], i + 3);
}

// The same windows for a launch and for a stream, with the answers of an H200.
TEST_F(Launch, WindowsOfL2AreChecked) {
  struct Case {
    const char* what;
    cudaAccessPolicyWindow window;
    cudaError_t answer;
  };
  constexpr auto persist = cudaAccessPropertyPersisting, streaming = cudaAccessPropertyStreaming,
                 normal = cudaAccessPropertyNormal;
  const auto widest = static_cast<std::size_t>(device_.accessPolicyMaxWindowSize);
  const Case cases[] = {
      {"good", {out_, 1 << 12, 1.0f, persist, streaming}, cudaSuccess},
      {"hits stream", {out_, 1 << 12, 0.5f, streaming, normal}, cudaSuccess},
      {"no bytes", {out_, 0, 1.0f, persist, streaming}, cudaSuccess},
      {"the widest", {out_, widest, 1.0f, persist, streaming}, cudaSuccess},
      {"too wide", {out_, widest + 1, 1.0f, persist, streaming}, cudaErrorInvalidValue},
      {"above one", {out_, 1 << 12, 1.5f, persist, streaming}, cudaErrorInvalidValue},
      {"below zero", {out_, 1 << 12, -0.5f, persist, streaming}, cudaErrorInvalidValue},
      {"misses persist", {out_, 1 << 12, 1.0f, persist, persist}, cudaErrorInvalidValue}};
  int count = 100;
  void* args[] = {&out_, &count};
  cudaStream_t stream = nullptr;
  ASSERT_EQ(cudaStreamCreate(&stream), cudaSuccess);
  for (const auto& [what, window, answer] : cases) {
    cudaLaunchAttribute attribute{};
    attribute.id = cudaLaunchAttributeAccessPolicyWindow;
    attribute.val.accessPolicyWindow = window;
    cudaLaunchConfig_t config{};
    config.gridDim = 1;
    config.blockDim = 32;
    config.attrs = &attribute;
    config.numAttrs = 1;
    EXPECT_EQ(cudaLaunchKernelExC(&config, kernels::store_index(), args), answer) << what;
    cudaStreamAttrValue value{};
    value.accessPolicyWindow = window;
    EXPECT_EQ(cudaStreamSetAttribute(stream, cudaStreamAttributeAccessPolicyWindow, &value), answer)
        << what;
  }
  EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
  cudaGetLastError();
}

TEST_F(Launch, PacksArgumentsOfEveryAlignment) {
  char small = 5;
  double wide = 0.25;
  Triple triple{7, 8, 9};
  void* args[] = {&small, &wide, &triple, &out_};
  ASSERT_EQ(cudaLaunchKernel(kernels::store_mixed(), dim3(1), dim3(1), args, 0, nullptr),
            cudaSuccess);
  float values[5] = {};
  ASSERT_EQ(cudaMemcpy(values, out_, sizeof values, cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_EQ(values[0], 5);
  EXPECT_EQ(values[1], 0.25f);
  EXPECT_EQ(values[2], 7);
  EXPECT_EQ(values[3], 8 + 2);
  EXPECT_EQ(values[4], 9);
  size_t offset = 0, size = 0;
  ASSERT_EQ(cudaFuncGetParamInfo(kernels::store_mixed(), 2, &offset, &size), cudaSuccess);
  EXPECT_EQ(offset, 16u);
  EXPECT_EQ(size, 12u);
  EXPECT_EQ(cudaFuncGetParamInfo(kernels::store_mixed(), 4, &offset, &size), cudaErrorInvalidValue);
}

TEST_F(Launch, ShapesBeyondTheDeviceAreInvalidValues) {
  EXPECT_EQ(launch({.block = 0}), cudaErrorInvalidValue);
  EXPECT_EQ(launch({.grid = 0}), cudaErrorInvalidValue);
  EXPECT_EQ(launch({.block = 1025}), cudaErrorInvalidValue);
  EXPECT_EQ(launch({.block = dim3(1, 1, 65)}), cudaErrorInvalidValue);
  EXPECT_EQ(launch({.grid = dim3(1, 65536)}), cudaErrorInvalidValue);
  EXPECT_EQ(launch({.grid = dim3(1, 1, 65536)}), cudaErrorInvalidValue);
  EXPECT_EQ(launch({.block = dim3(1, 1, 64)}), cudaSuccess);
  EXPECT_EQ(launch({.block = 129}, kernels::store_bounded()), cudaErrorInvalidValue);
  EXPECT_EQ(launch({.block = 128}, kernels::store_bounded()), cudaSuccess);
  kernels::launch_store_index(static_cast<int*>(out_), 1, 1, 2000);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
}

TEST_F(Launch, SharedMemoryHasItsLimits) {
  const void* kernel = kernels::store_index();
  const auto most = static_cast<int>(device_.sharedMemPerBlockOptin);
  EXPECT_EQ(launch({.shared = 49152}), cudaSuccess);
  EXPECT_EQ(launch({.shared = 49153}), cudaErrorInvalidValue);
  constexpr auto size = cudaFuncAttributeMaxDynamicSharedMemorySize;
  EXPECT_EQ(cudaFuncSetAttribute(kernel, size, most + 1), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFuncSetAttribute(kernel, size, -1), cudaErrorInvalidValue);
  ASSERT_EQ(cudaFuncSetAttribute(kernel, size, most), cudaSuccess);
  EXPECT_EQ(launch({.shared = static_cast<size_t>(most)}), cudaSuccess);
  EXPECT_EQ(cudaFuncSetAttribute(kernel, size, 49152), cudaSuccess);
  const void* with_static = kernels::static_shared();
  EXPECT_EQ(launch({.shared = 8192}, with_static), cudaSuccess);
  EXPECT_EQ(launch({.shared = 8193}, with_static), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFuncSetAttribute(with_static, size, most), cudaErrorInvalidValue);
}

TEST_F(Launch, ClustersMustFit) {
  if (device_.major < 9) GTEST_SKIP() << "no clusters before sm_90";
  EXPECT_EQ(launch({.grid = 8, .cluster = 8}), cudaSuccess);
  EXPECT_EQ(launch({.grid = 6, .cluster = 3}), cudaSuccess);
  EXPECT_EQ(launch({.grid = 3, .cluster = 2}), cudaErrorInvalidClusterSize);
  EXPECT_EQ(launch({.grid = 8, .cluster = dim3(2, 2, 1)}), cudaErrorInvalidClusterSize);
  EXPECT_EQ(launch({.grid = 16, .cluster = 16}), cudaErrorInvalidClusterSize);
  const void* kernel = kernels::store_index();
  constexpr auto allowed = cudaFuncAttributeNonPortableClusterSizeAllowed;
  ASSERT_EQ(cudaFuncSetAttribute(kernel, allowed, 1), cudaSuccess);
  EXPECT_EQ(launch({.grid = 16, .cluster = 16}), cudaSuccess);
  EXPECT_EQ(launch({.grid = 32, .cluster = 32}), cudaErrorInvalidClusterSize);
  EXPECT_EQ(cudaFuncSetAttribute(kernel, allowed, 0), cudaSuccess);
}

TEST_F(Launch, CooperativeGridsMustBeResident) {
  const unsigned sms = static_cast<unsigned>(device_.multiProcessorCount);
  EXPECT_EQ(launch({.grid = 2 * sms, .block = 1024, .cooperative = true}), cudaSuccess);
  EXPECT_EQ(launch({.grid = 2 * sms + 1, .block = 1024, .cooperative = true}),
            cudaErrorCooperativeLaunchTooLarge);
}

TEST_F(Launch, KernelsHaveHandlesAndNames) {
  cudaKernel_t kernel = nullptr;
  ASSERT_EQ(cudaGetKernel(&kernel, kernels::store_index()), cudaSuccess);
  EXPECT_EQ(launch({}, kernel), cudaSuccess);
  const char* name = nullptr;
  ASSERT_EQ(cudaFuncGetName(&name, kernels::store_index()), cudaSuccess);
  EXPECT_STREQ(name, "_Z18store_index_kernelPii");
  void* args[] = {nullptr};
  const int not_a_kernel = 0;
  EXPECT_EQ(cudaLaunchKernel(nullptr, dim3(1), dim3(1), args, 0, nullptr),
            cudaErrorInvalidDeviceFunction);
  EXPECT_EQ(cudaLaunchKernel(&not_a_kernel, dim3(1), dim3(1), args, 0, nullptr),
            cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaLaunchKernel(kernels::store_index(), dim3(1), dim3(1), nullptr, 0, nullptr),
            cudaErrorInvalidValue);
  cudaFuncAttributes attributes{};
  EXPECT_EQ(cudaFuncGetAttributes(&attributes, &not_a_kernel), cudaErrorInvalidResourceHandle);
}

TEST_F(Launch, AttributesOfKernels) {
  cudaFuncAttributes attributes{};
  ASSERT_EQ(cudaFuncGetAttributes(&attributes, kernels::store_bounded()), cudaSuccess);
  EXPECT_EQ(attributes.maxThreadsPerBlock, 128);
  EXPECT_EQ(attributes.maxDynamicSharedSizeBytes, 49152);
  EXPECT_EQ(attributes.sharedSizeBytes, 0u);
  EXPECT_GT(attributes.numRegs, 0);
  ASSERT_EQ(cudaFuncGetAttributes(&attributes, kernels::static_shared()), cudaSuccess);
  EXPECT_EQ(attributes.sharedSizeBytes, 40960u);
  EXPECT_EQ(attributes.maxThreadsPerBlock, 1024);
  EXPECT_EQ(attributes.binaryVersion, device_.major * 10 + device_.minor);
  constexpr auto carveout = cudaFuncAttributePreferredSharedMemoryCarveout;
  EXPECT_EQ(cudaFuncSetAttribute(kernels::static_shared(), carveout, 101), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFuncSetAttribute(kernels::static_shared(), carveout, -2), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFuncSetAttribute(kernels::static_shared(), static_cast<cudaFuncAttribute>(77), 1),
            cudaErrorInvalidValue);
}

// The kernel uses few registers: threads, blocks and shared memory decide.
TEST_F(Launch, OccupancyFollowsTheRules) {
  const auto blocks = [](int threads, size_t shared) {
    int count = -1;
    EXPECT_EQ(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&count, kernels::store_bounded(),
                                                            threads, shared),
              cudaSuccess);
    return count;
  };
  EXPECT_EQ(blocks(32, 0), 32);
  EXPECT_EQ(blocks(64, 0), 32);
  EXPECT_EQ(blocks(96, 0), 21);
  EXPECT_EQ(blocks(128, 0), 16);
  EXPECT_EQ(blocks(192, 0), 10);
  EXPECT_EQ(blocks(1024, 0), 2);
  EXPECT_EQ(blocks(1025, 0), 0);
  const auto of = [&](size_t shared) {
    return static_cast<int>(device_.sharedMemPerMultiprocessor /
                            (shared + device_.reservedSharedMemPerBlock));
  };
  EXPECT_EQ(blocks(32, 16384), of(16384));
  EXPECT_EQ(blocks(32, 49152), of(49152));
  EXPECT_EQ(blocks(32, 49153), 0);
  int count = 0;
  EXPECT_EQ(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&count, kernels::store_bounded(), 0, 0),
            cudaErrorInvalidValue);
}

TEST_F(Launch, SharedMemoryLeftForABlock) {
  const void* kernel = kernels::static_shared();
  const auto available = [&](int blocks) {
    size_t bytes = 0;
    EXPECT_EQ(cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, kernel, blocks, 32), cudaSuccess);
    return bytes;
  };
  constexpr auto size = cudaFuncAttributeMaxDynamicSharedMemorySize;
  EXPECT_EQ(available(2), 8192u) << "what is left of 48 KiB";
  ASSERT_EQ(
      cudaFuncSetAttribute(kernel, size, static_cast<int>(device_.sharedMemPerBlockOptin) - 40960),
      cudaSuccess);
  EXPECT_EQ(available(1), device_.sharedMemPerBlockOptin - 40960);
  EXPECT_EQ(available(2), device_.sharedMemPerMultiprocessor / 2 - 40960);
  size_t bytes = 0;
  EXPECT_EQ(cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, kernel, 8, 32),
            cudaErrorInvalidValue);
  EXPECT_EQ(cudaFuncSetAttribute(kernel, size, 8192), cudaSuccess);
}

TEST_F(Launch, ClustersThatFitAtOnce) {
  if (device_.major < 9) GTEST_SKIP() << "no clusters before sm_90";
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim = {4, 1, 1};
  cudaLaunchConfig_t config{};
  config.gridDim = 400;
  config.blockDim = 1024;
  config.attrs = &attribute;
  config.numAttrs = 1;
  int clusters = 0, largest = 0;
  ASSERT_EQ(cudaOccupancyMaxActiveClusters(&clusters, kernels::store_index(), &config),
            cudaSuccess);
  EXPECT_GT(clusters, 0);
  EXPECT_LE(clusters, 2 * device_.multiProcessorCount / 4);
  ASSERT_EQ(cudaOccupancyMaxPotentialClusterSize(&largest, kernels::store_index(), &config),
            cudaSuccess);
  EXPECT_EQ(largest, 8);
}

}  // namespace
