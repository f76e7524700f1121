// The driver's functions, as programs of the runtime get them.
#include <cuda.h>
#include <cudaTypedefs.h>

#include "tests/sim/cudart/hazard_runs.hpp"
#include "tests/sim/cudart/kernels.hpp"

namespace {

template <class Function>
Function driver_function(const char* name, unsigned version = 13000,
                         unsigned long long flags = cudaEnableDefault) {
  void* found = nullptr;
  cudaDriverEntryPointQueryResult status{};
  EXPECT_EQ(cudaGetDriverEntryPointByVersion(name, &found, version, flags, &status), cudaSuccess);
  EXPECT_EQ(status, cudaDriverEntryPointSuccess) << name;
  return reinterpret_cast<Function>(found);
}

TEST(DriverMix, TheRuntimesContextIsThePrimaryOne) {
  ASSERT_EQ(cudaFree(nullptr), cudaSuccess);
  CUcontext current = nullptr, primary = nullptr;
  ASSERT_EQ(driver_function<PFN_cuCtxGetCurrent_v4000>("cuCtxGetCurrent")(&current), CUDA_SUCCESS);
  ASSERT_NE(current, nullptr);
  ASSERT_EQ(
      driver_function<PFN_cuDevicePrimaryCtxRetain_v7000>("cuDevicePrimaryCtxRetain")(&primary, 0),
      CUDA_SUCCESS);
  EXPECT_EQ(current, primary);
  // The runtime works in it still.
  void* memory = nullptr;
  ASSERT_EQ(cudaMalloc(&memory, 64), cudaSuccess);
  ASSERT_EQ(driver_function<PFN_cuDevicePrimaryCtxRelease_v11000>("cuDevicePrimaryCtxRelease")(0),
            CUDA_SUCCESS);
  EXPECT_EQ(cudaMemset(memory, 0, 64), cudaSuccess);
  EXPECT_EQ(cudaFree(memory), cudaSuccess);
}

TEST(DriverMix, KernelsOfTheRuntimeAreFunctionsOfTheDriver) {
  cudaFunction_t function = nullptr;
  ASSERT_EQ(cudaGetFuncBySymbol(&function, kernels::store_index()), cudaSuccess);
  void* out = nullptr;
  ASSERT_EQ(cudaMalloc(&out, 64 * sizeof(int)), cudaSuccess);
  int count = 64, got[64] = {};
  void* arguments[] = {&out, &count};
  ASSERT_EQ(driver_function<PFN_cuLaunchKernel_v4000>("cuLaunchKernel")(
                function, 2, 1, 1, 32, 1, 1, 0, nullptr, arguments, nullptr),
            CUDA_SUCCESS);
  ASSERT_EQ(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost), cudaSuccess);
  for (int i = 0; i < 64; ++i) EXPECT_EQ(got[i], i + 3);
  EXPECT_EQ(cudaFree(out), cudaSuccess);
}

TEST(DriverMix, ErrorsOfTheDriverAreNotTheRuntimesLastOne) {
  ASSERT_EQ(cudaFree(nullptr), cudaSuccess);  // makes the runtime's context the thread's
  EXPECT_EQ(driver_function<PFN_cuMemFree_v3020>("cuMemFree")(12345), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  EXPECT_EQ(cudaFree(reinterpret_cast<void*>(12345)), cudaErrorInvalidValue);
  EXPECT_EQ(driver_function<PFN_cuStreamQuery_v2000>("cuStreamQuery")(nullptr), CUDA_SUCCESS);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
}

TEST(DriverMix, PerThreadFormsKnowTheThreadsStream) {
  using Fill = PFN_cuMemsetD32Async_v3020;
  const auto legacy = driver_function<Fill>("cuMemsetD32Async");
  const auto own =
      driver_function<Fill>("cuMemsetD32Async", 13000, cudaEnablePerThreadDefaultStream);
  EXPECT_NE(reinterpret_cast<void*>(legacy), reinterpret_cast<void*>(own));
}

using aisp::hazard_runs::device_memory;
using aisp::hazard_runs::Streams;

class ValueRaceDeathTest : public aisp::hazard_runs::Test {};

enum class Order { wait_first, write_first, other_value, none };

// Two fills of the same memory; the second stream waits for a value that the first one writes.
void fill_one_after_the_other(Order order) {
  const auto write = driver_function<PFN_cuStreamWriteValue32_v11070>("cuStreamWriteValue32");
  const auto wait = driver_function<PFN_cuStreamWaitValue32_v11070>("cuStreamWaitValue32");
  Streams streams;
  char* memory = device_memory(4096);
  const auto flag = reinterpret_cast<CUdeviceptr>(device_memory(64));
  cudaMemset(reinterpret_cast<void*>(flag), 0, 64);
  cudaDeviceSynchronize();
  const auto first = [&] {
    cudaMemsetAsync(memory, 1, 4096, streams.first);
    write(streams.first, flag, 1, 0);
  };
  const auto second = [&] {
    if (order == Order::other_value) write(streams.second, flag + 4, 1, 0);
    if (order != Order::none)
      wait(streams.second, order == Order::other_value ? flag + 4 : flag, 1,
           CU_STREAM_WAIT_VALUE_GEQ);
    cudaMemsetAsync(memory, 2, 4096, streams.second);
  };
  if (order == Order::wait_first) {
    second();
    first();
  } else {
    first();
    second();
  }
  cudaDeviceSynchronize();
  char got = 0;
  cudaMemcpy(&got, memory, 1, cudaMemcpyDeviceToHost);
  if (order <= Order::write_first && got != 2) std::_Exit(1);
}

TEST_F(ValueRaceDeathTest, AValueOrdersItsReaderAfterItsWriter) {
  expect({}, [] { fill_one_after_the_other(Order::write_first); });
  expect({}, [] { fill_one_after_the_other(Order::wait_first); });
}

TEST_F(ValueRaceDeathTest, ButNotOthers) {
  expect({"stream-race"}, [] { fill_one_after_the_other(Order::none); });
  expect({"stream-race"}, [] { fill_one_after_the_other(Order::other_value); });
}

}  // namespace
