// What stays after a kernel has failed. Each case runs in a process of its own: the device is lost.
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>

#include "tests/cudart/kernels.hpp"

namespace {

void expect(cudaError_t got, cudaError_t wanted, const char* what) {
  if (got == wanted) return;
  std::fprintf(stderr, "%s: %s instead of %s\n", what, cudaGetErrorName(got),
               cudaGetErrorName(wanted));
  std::_Exit(1);
}
#define EXPECT_CALL(call, wanted) expect(call, wanted, #call)

void read_far_outside() {
  int* from = nullptr;
  EXPECT_CALL(cudaMalloc(reinterpret_cast<void**>(&from), 64), cudaSuccess);
  long long index = 1ll << 36;
  void* args[] = {&from, &index, &from};
  EXPECT_CALL(cudaLaunchKernel(kernels::read_at(), dim3(1), dim3(1), args, 0, nullptr),
              cudaSuccess);
}

[[noreturn]] void lose_the_device() {
  read_far_outside();
  EXPECT_CALL(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
  EXPECT_CALL(cudaGetLastError(), cudaErrorIllegalAddress);
  EXPECT_CALL(cudaGetLastError(), cudaSuccess);
  void* memory = nullptr;
  EXPECT_CALL(cudaMalloc(&memory, 4), cudaErrorIllegalAddress);
  EXPECT_CALL(cudaPeekAtLastError(), cudaErrorIllegalAddress);
  EXPECT_CALL(cudaMallocHost(&memory, 4), cudaErrorIllegalAddress);
  EXPECT_CALL(cudaFree(nullptr), cudaErrorIllegalAddress);
  size_t free = 0, total = 0;
  EXPECT_CALL(cudaMemGetInfo(&free, &total), cudaErrorIllegalAddress);
  cudaFuncAttributes attributes{};
  EXPECT_CALL(cudaFuncGetAttributes(&attributes, kernels::read_at()), cudaErrorIllegalAddress);
  int number = 0;
  EXPECT_CALL(cudaGetDeviceCount(&number), cudaSuccess);
  EXPECT_CALL(cudaSetDevice(0), cudaSuccess);
  EXPECT_CALL(cudaDriverGetVersion(&number), cudaSuccess);
  EXPECT_CALL(cudaDeviceGetAttribute(&number, cudaDevAttrWarpSize, 0), cudaSuccess);
  cudaDeviceProp properties{};
  EXPECT_CALL(cudaGetDeviceProperties(&properties, 0), cudaSuccess);
  EXPECT_CALL(cudaDeviceReset(), cudaSuccess);
  EXPECT_CALL(cudaMalloc(&memory, 4), cudaErrorDevicesUnavailable);
  std::_Exit(0);
}

TEST(FaultDeathTest, AnIllegalAddressSticks) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(lose_the_device(), testing::ExitedWithCode(0), "");
}

}  // namespace
