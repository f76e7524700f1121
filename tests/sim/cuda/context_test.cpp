// Initialisation and contexts.
#include <thread>

#include "tests/sim/cuda/driver.hpp"

using driver_tests::Driver;

namespace {

// Before main(), so that no other test has called cuInit.
struct BeforeInit {
  CUdeviceptr memory = 0;
  CUcontext context = nullptr;
  int count = 0, version = 0;
  CUresult allocated = cuMemAlloc(&memory, 64);
  CUresult current = cuCtxGetCurrent(&context);
  CUresult counted = cuDeviceGetCount(&count);
  CUresult asked = cuDriverGetVersion(&version);
};
const BeforeInit before_init;

TEST(DriverInit, CallsBeforeItAreRefusedButForTheVersion) {
  EXPECT_RESULT(before_init.allocated, CUDA_ERROR_NOT_INITIALIZED);
  EXPECT_RESULT(before_init.current, CUDA_ERROR_NOT_INITIALIZED);
  EXPECT_RESULT(before_init.counted, CUDA_ERROR_NOT_INITIALIZED);
  EXPECT_DONE(before_init.asked);
  EXPECT_EQ(before_init.version, 13000);
  EXPECT_RESULT(cuInit(1), CUDA_ERROR_INVALID_VALUE);
}

TEST(DriverInit, AThreadHasNoContextUntilItTakesOne) {
  ASSERT_DONE(cuInit(0));
  std::thread([] {
    CUdeviceptr memory = 0;
    CUcontext context = nullptr;
    EXPECT_DONE(cuCtxGetCurrent(&context));
    EXPECT_EQ(context, nullptr);
    EXPECT_RESULT(cuMemAlloc(&memory, 64), CUDA_ERROR_INVALID_CONTEXT);
    EXPECT_RESULT(cuCtxSynchronize(), CUDA_ERROR_INVALID_CONTEXT);
    EXPECT_RESULT(cuCtxPopCurrent(&context), CUDA_ERROR_INVALID_CONTEXT);
    int count = 0;
    EXPECT_DONE(cuDeviceGetCount(&count));
    EXPECT_EQ(count, 1);
  }).join();
}

TEST_F(Driver, ContextsAreAStack) {
  CUcontext second = nullptr, found = nullptr;
  ASSERT_DONE(cuCtxCreate(&second, nullptr, CU_CTX_SCHED_YIELD, 0));
  unsigned flags = 0;
  EXPECT_DONE(cuCtxGetFlags(&flags));
  EXPECT_EQ(flags, unsigned{CU_CTX_SCHED_YIELD});
  EXPECT_DONE(cuCtxPopCurrent(&found));
  EXPECT_EQ(found, second);
  EXPECT_DONE(cuCtxGetCurrent(&found));
  EXPECT_EQ(found, context_);
  EXPECT_DONE(cuCtxPushCurrent(second));
  EXPECT_DONE(cuCtxDestroy(second));  // and takes it off
  EXPECT_DONE(cuCtxGetCurrent(&found));
  EXPECT_EQ(found, context_);
  EXPECT_RESULT(cuCtxSetCurrent(second), CUDA_ERROR_CONTEXT_IS_DESTROYED);
  EXPECT_RESULT(cuCtxSetCurrent(reinterpret_cast<CUcontext>(&second)), CUDA_ERROR_INVALID_CONTEXT);
  unsigned long long first_id = 0;
  EXPECT_DONE(cuCtxGetId(context_, &first_id));
  EXPECT_NE(first_id, 0u);
}

TEST_F(Driver, AContextThatAnotherThreadDestroysIsOfNoUse) {
  CUcontext other = nullptr;
  ASSERT_DONE(cuCtxCreate(&other, nullptr, 0, 0));
  std::thread([&] { EXPECT_DONE(cuCtxDestroy(other)); }).join();
  CUdeviceptr memory = 0;
  EXPECT_RESULT(cuMemAlloc(&memory, 64), CUDA_ERROR_CONTEXT_IS_DESTROYED);
  EXPECT_DONE(cuCtxSetCurrent(context_));
}

TEST_F(Driver, AContextTakesItsMemoryAndModulesAlong) {
  std::size_t free_before = 0, free_after = 0, total = 0;
  ASSERT_DONE(cuMemGetInfo(&free_before, &total));
  CUcontext other = nullptr;
  ASSERT_DONE(cuCtxCreate(&other, nullptr, 0, 0));
  CUdeviceptr memory = 0;
  ASSERT_DONE(cuMemAlloc(&memory, 1 << 20));
  CUmodule module = nullptr;
  driver_tests::load_store(&module);
  ASSERT_DONE(cuCtxDestroy(other));
  ASSERT_DONE(cuMemGetInfo(&free_after, &total));
  EXPECT_EQ(free_after, free_before);
  EXPECT_RESULT(cuMemFree(memory), CUDA_ERROR_INVALID_VALUE);
  EXPECT_RESULT(cuModuleUnload(module), CUDA_ERROR_INVALID_HANDLE);
}

TEST(PrimaryContext, LivesFromTheFirstRetainToTheLastRelease) {
  ASSERT_DONE(cuInit(0));
  unsigned flags = 0;
  int active = -1;
  ASSERT_DONE(cuDevicePrimaryCtxGetState(0, &flags, &active));
  EXPECT_EQ(active, 0);
  EXPECT_RESULT(cuDevicePrimaryCtxRelease(0), CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_DONE(cuDevicePrimaryCtxSetFlags(0, CU_CTX_SCHED_SPIN));
  CUcontext one = nullptr, two = nullptr;
  ASSERT_DONE(cuDevicePrimaryCtxRetain(&one, 0));
  ASSERT_DONE(cuDevicePrimaryCtxRetain(&two, 0));
  EXPECT_EQ(one, two);
  EXPECT_DONE(cuDevicePrimaryCtxRelease(0));
  EXPECT_DONE(cuDevicePrimaryCtxGetState(0, &flags, &active));
  EXPECT_EQ(active, 1);
  EXPECT_EQ(flags, unsigned{CU_CTX_SCHED_SPIN});
  EXPECT_DONE(cuDevicePrimaryCtxRelease(0));
  EXPECT_DONE(cuDevicePrimaryCtxGetState(0, &flags, &active));
  EXPECT_EQ(active, 0);
  EXPECT_RESULT(cuDevicePrimaryCtxRetain(&one, 1), CUDA_ERROR_INVALID_DEVICE);
}

TEST_F(Driver, DevicesSayWhatTheyAre) {
  char name[64] = "";
  ASSERT_DONE(cuDeviceGetName(name, sizeof name, 0));
  EXPECT_STREQ(name, "NVIDIA H200 (simulated)");
  ASSERT_DONE(cuDeviceGetName(name, 7, 0));
  EXPECT_STREQ(name, "NVIDIA");
  std::size_t bytes = 0;
  ASSERT_DONE(cuDeviceTotalMem(&bytes, 0));
  EXPECT_GT(bytes, std::size_t{1} << 36);
  int value = 0;
  ASSERT_DONE(cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 0));
  EXPECT_EQ(value, 9);
  EXPECT_RESULT(cuDeviceGetAttribute(&value, static_cast<CUdevice_attribute>(9999), 0),
                CUDA_ERROR_INVALID_VALUE);
  EXPECT_RESULT(cuDeviceGetName(name, 7, 1), CUDA_ERROR_INVALID_DEVICE);
  CUuuid uuid{};
  ASSERT_DONE(cuDeviceGetUuid(&uuid, 0));
  EXPECT_NE(std::string(uuid.bytes, 16), std::string(16, '\0'));
  char bus[16] = "";
  CUdevice device = -1;
  ASSERT_DONE(cuDeviceGetPCIBusId(bus, sizeof bus, 0));
  ASSERT_DONE(cuDeviceGetByPCIBusId(&device, bus));
  EXPECT_EQ(device, 0);
}

}  // namespace
