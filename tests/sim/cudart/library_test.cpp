// Device code that the program loads itself.
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <string>

namespace {

constexpr const char* code = R"(
.version 8.0
.target sm_80
.address_size 64
.visible .global .align 4 .u32 start = 40;
.visible .entry add_to_start(.param .u64 out, .param .u32 value)
{
  .reg .u64 %address, %from;
  .reg .u32 %a, %b, %sum;
  ld.param.u64 %address, [out];
  ld.param.u32 %a, [value];
  cvta.to.global.u64 %address, %address;
  mov.u64 %from, start;
  ld.global.u32 %b, [%from];
  add.u32 %sum, %a, %b;
  st.global.u32 [%address], %sum;
  ret;
}
.visible .entry nothing()
{
  ret;
}
)";

class Libraries : public testing::Test {
 protected:
  void SetUp() override {
    std::string passing = code;  // the library keeps what it needs
    ASSERT_EQ(
        cudaLibraryLoadData(&library_, passing.c_str(), nullptr, nullptr, 0, nullptr, nullptr, 0),
        cudaSuccess);
    ASSERT_EQ(cudaMalloc(&out_, 64), cudaSuccess);
  }
  void TearDown() override {
    EXPECT_EQ(cudaFree(out_), cudaSuccess);
    EXPECT_EQ(cudaLibraryUnload(library_), cudaSuccess);
    cudaGetLastError();
  }

  int add(cudaKernel_t kernel, unsigned value) {
    void* args[] = {&out_, &value};
    EXPECT_EQ(
        cudaLaunchKernel(reinterpret_cast<const void*>(kernel), dim3(1), dim3(1), args, 0, nullptr),
        cudaSuccess);
    int sum = 0;
    EXPECT_EQ(cudaMemcpy(&sum, out_, sizeof sum, cudaMemcpyDeviceToHost), cudaSuccess);
    return sum;
  }

  cudaLibrary_t library_{};
  void* out_ = nullptr;
};

TEST_F(Libraries, KernelsRunAndGlobalsAreReached) {
  cudaKernel_t kernel{};
  ASSERT_EQ(cudaLibraryGetKernel(&kernel, library_, "add_to_start"), cudaSuccess);
  EXPECT_EQ(add(kernel, 2), 42);
  void* start = nullptr;
  size_t bytes = 0;
  ASSERT_EQ(cudaLibraryGetGlobal(&start, &bytes, library_, "start"), cudaSuccess);
  EXPECT_EQ(bytes, 4u);
  const unsigned hundred = 100;
  ASSERT_EQ(cudaMemcpy(start, &hundred, 4, cudaMemcpyHostToDevice), cudaSuccess);
  EXPECT_EQ(add(kernel, 2), 102);
}

TEST_F(Libraries, AKernelHandleIsGoodForEverything) {
  cudaKernel_t kernel{};
  ASSERT_EQ(cudaLibraryGetKernel(&kernel, library_, "add_to_start"), cudaSuccess);
  const void* symbol = reinterpret_cast<const void*>(kernel);
  cudaFuncAttributes attributes{};
  EXPECT_EQ(cudaFuncGetAttributes(&attributes, symbol), cudaSuccess);
  EXPECT_EQ(attributes.maxThreadsPerBlock, 1024);
  EXPECT_EQ(cudaFuncSetAttribute(symbol, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536),
            cudaSuccess);
  EXPECT_EQ(cudaKernelSetAttributeForDevice(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                            65536, 0),
            cudaSuccess);
  int blocks = 0;
  EXPECT_EQ(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, symbol, 128, 0), cudaSuccess);
  EXPECT_GT(blocks, 0);
  unsigned value = 1;
  void* args[] = {&out_, &value};
  cudaLaunchConfig_t config{};
  config.gridDim = config.blockDim = dim3(1);
  config.dynamicSmemBytes = 65536;
  EXPECT_EQ(cudaLaunchKernelExC(&config, symbol, args), cudaSuccess);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
}

TEST_F(Libraries, KernelsAreListed) {
  unsigned count = 0;
  ASSERT_EQ(cudaLibraryGetKernelCount(&count, library_), cudaSuccess);
  EXPECT_EQ(count, 2u);
  cudaKernel_t kernels[3] = {};
  ASSERT_EQ(cudaLibraryEnumerateKernels(kernels, 3, library_), cudaSuccess);
  EXPECT_NE(kernels[1], nullptr);
  EXPECT_EQ(kernels[2], nullptr);
  EXPECT_EQ(cudaLibraryEnumerateKernels(nullptr, 0, library_), cudaErrorInvalidValue);
}

TEST_F(Libraries, WhatIsNotThereIsNotFound) {
  cudaKernel_t kernel{};
  void* address = nullptr;
  size_t bytes = 0;
  cudaLibrary_t library{};
  EXPECT_EQ(cudaLibraryGetKernel(&kernel, library_, "no_such"), cudaErrorSymbolNotFound);
  EXPECT_EQ(cudaLibraryGetGlobal(&address, &bytes, library_, "no_such"), cudaErrorSymbolNotFound);
  EXPECT_EQ(cudaLibraryGetManaged(&address, &bytes, library_, "start"), cudaErrorSymbolNotFound);
  EXPECT_EQ(cudaLibraryGetUnifiedFunction(&address, library_, "nothing"), cudaErrorInvalidValue);
  EXPECT_EQ(cudaLibraryUnload(nullptr), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaLibraryLoadData(&library, nullptr, nullptr, nullptr, 0, nullptr, nullptr, 0),
            cudaErrorInvalidValue);
  EXPECT_EQ(
      cudaLibraryLoadFromFile(&library, "/no/such/file", nullptr, nullptr, 0, nullptr, nullptr, 0),
      cudaErrorFileNotFound);
}

TEST_F(Libraries, FilesAreLoaded) {
  const std::string path = testing::TempDir() + "aisp_library.ptx";
  std::ofstream(path) << code;
  cudaLibrary_t library{};
  ASSERT_EQ(
      cudaLibraryLoadFromFile(&library, path.c_str(), nullptr, nullptr, 0, nullptr, nullptr, 0),
      cudaSuccess);
  std::remove(path.c_str());
  cudaKernel_t kernel{};
  ASSERT_EQ(cudaLibraryGetKernel(&kernel, library, "add_to_start"), cudaSuccess);
  EXPECT_EQ(add(kernel, 1), 41);
  EXPECT_EQ(cudaLibraryUnload(library), cudaSuccess);
}

}  // namespace
