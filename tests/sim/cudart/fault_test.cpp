// What stays after a kernel has failed. Each case runs in a process of its own: the device is lost.
#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>

#include "tests/sim/cudart/kernels.hpp"

namespace {

void expect(cudaError_t got, cudaError_t wanted, const char* what) {
  if (got == wanted) return;
  std::fprintf(stderr, "%s: %s instead of %s\n", what, cudaGetErrorName(got),
               cudaGetErrorName(wanted));
  std::_Exit(1);
}
#define EXPECT_RETURNS(call, wanted) expect(call, wanted, #call)

void read_far_outside() {
  int* from = nullptr;
  EXPECT_RETURNS(cudaMalloc(reinterpret_cast<void**>(&from), 64), cudaSuccess);
  long long index = 1ll << 36;
  void* args[] = {&from, &index, &from};
  EXPECT_RETURNS(cudaLaunchKernel(kernels::read_at(), dim3(1), dim3(1), args, 0, nullptr),
                 cudaSuccess);
}

[[noreturn]] void lose_the_device() {
  read_far_outside();
  EXPECT_RETURNS(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
  EXPECT_RETURNS(cudaGetLastError(), cudaErrorIllegalAddress);
  EXPECT_RETURNS(cudaGetLastError(), cudaSuccess);
  void* memory = nullptr;
  EXPECT_RETURNS(cudaMalloc(&memory, 4), cudaErrorIllegalAddress);
  EXPECT_RETURNS(cudaPeekAtLastError(), cudaErrorIllegalAddress);
  EXPECT_RETURNS(cudaMallocHost(&memory, 4), cudaErrorIllegalAddress);
  EXPECT_RETURNS(cudaFree(nullptr), cudaErrorIllegalAddress);
  size_t free = 0, total = 0;
  EXPECT_RETURNS(cudaMemGetInfo(&free, &total), cudaErrorIllegalAddress);
  cudaFuncAttributes attributes{};
  EXPECT_RETURNS(cudaFuncGetAttributes(&attributes, kernels::read_at()), cudaErrorIllegalAddress);
  int number = 0;
  EXPECT_RETURNS(cudaGetDeviceCount(&number), cudaSuccess);
  EXPECT_RETURNS(cudaSetDevice(0), cudaSuccess);
  EXPECT_RETURNS(cudaDriverGetVersion(&number), cudaSuccess);
  EXPECT_RETURNS(cudaDeviceGetAttribute(&number, cudaDevAttrWarpSize, 0), cudaSuccess);
  cudaDeviceProp properties{};
  EXPECT_RETURNS(cudaGetDeviceProperties(&properties, 0), cudaSuccess);
  EXPECT_RETURNS(cudaDeviceReset(), cudaSuccess);
  EXPECT_RETURNS(cudaMalloc(&memory, 4), cudaErrorDevicesUnavailable);
  std::_Exit(0);
}

// read_at(from, 0, out): one load, one store.
[[noreturn]] void copy_one_word(const void* from, void* out, cudaError_t wanted) {
  long long index = 0;
  void* args[] = {&from, &index, &out};
  EXPECT_RETURNS(cudaLaunchKernel(kernels::read_at(), dim3(1), dim3(1), args, 0, nullptr),
                 cudaSuccess);
  EXPECT_RETURNS(cudaDeviceSynchronize(), wanted);
  EXPECT_RETURNS(cudaDeviceSynchronize(), wanted);
  std::_Exit(0);
}

[[noreturn]] void read_misaligned() {
  char* memory = nullptr;
  EXPECT_RETURNS(cudaMalloc(reinterpret_cast<void**>(&memory), 64), cudaSuccess);
  copy_one_word(memory + 2, memory, cudaErrorMisalignedAddress);
}

[[noreturn]] void write_to_constant() {
  void* constant = nullptr;
  EXPECT_RETURNS(cudaGetSymbolAddress(&constant, kernels::constant_variable()), cudaSuccess);
  copy_one_word(constant, constant, cudaErrorIllegalAddress);
}

[[noreturn]] void read_from_the_stack() {
  int word = 0;
  void* memory = nullptr;
  EXPECT_RETURNS(cudaMalloc(&memory, 4), cudaSuccess);
  copy_one_word(&word, memory, cudaErrorIllegalAddress);
}

TEST(FaultDeathTest, AMisalignedAddressHasItsOwnError) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(read_misaligned(), testing::ExitedWithCode(0), "");
}

TEST(FaultDeathTest, ConstantAndHostMemoryAreRefused) {
  // A GPU lets a kernel write to its constants and reads the host's memory where the system allows.
  if (dlsym(RTLD_DEFAULT, "aispSimulated") == nullptr) GTEST_SKIP() << "hardware does not say";
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(write_to_constant(), testing::ExitedWithCode(0),
              "read-only memory: write of 4 bytes at 0x[0-9a-f]+, 0 bytes into allocation #.*"
              "coefficients");
  EXPECT_EXIT(read_from_the_stack(), testing::ExitedWithCode(0), "host pointer in a kernel: read");
}

TEST(FaultDeathTest, AnIllegalAddressSticks) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(lose_the_device(), testing::ExitedWithCode(0), "");
}

}  // namespace
