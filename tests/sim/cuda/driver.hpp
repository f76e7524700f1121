// For tests of the simulator's libcuda.so.1: a program of the driver, linked with nothing else.
#pragma once

#include <cuda.h>
#include <gtest/gtest.h>

#include <string>

namespace driver_tests {

inline std::string name_of(CUresult result) {
  const char* name = nullptr;
  cuGetErrorName(result, &name);
  return name != nullptr ? name : "unknown " + std::to_string(result);
}

#define EXPECT_RESULT(call, expected) \
  EXPECT_EQ(driver_tests::name_of(call), driver_tests::name_of(expected))
#define EXPECT_DONE(call) EXPECT_RESULT(call, CUDA_SUCCESS)
#define ASSERT_DONE(call) ASSERT_EQ(driver_tests::name_of(call), "CUDA_SUCCESS")

// One context for a test, current in its thread.
class Driver : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_DONE(cuInit(0));
    ASSERT_DONE(cuCtxCreate(&context_, nullptr, 0, 0));
  }
  void TearDown() override { EXPECT_DONE(cuCtxDestroy(context_)); }
  CUcontext context_ = nullptr;
};

// (u64 out, u32 value): out[tid.x] = value.
inline constexpr const char* store_code = R"(
.version 7.0
.target sm_70
.address_size 64
.global .align 4 .u32 launches;
.visible .entry store(.param .u64 out, .param .u32 value) {
  .reg .b32 %r<3>;
  .reg .b64 %rd<5>;
  ld.param.u64 %rd1, [out];
  ld.param.u32 %r1, [value];
  mov.u32 %r2, %tid.x;
  mul.wide.u32 %rd2, %r2, 4;
  cvta.to.global.u64 %rd3, %rd1;
  add.s64 %rd4, %rd3, %rd2;
  st.global.u32 [%rd4], %r1;
  ret;
}
)";

inline CUfunction load_store(CUmodule* module = nullptr) {
  CUmodule own = nullptr;
  CUfunction function = nullptr;
  EXPECT_DONE(cuModuleLoadData(&own, store_code));
  EXPECT_DONE(cuModuleGetFunction(&function, own, "store"));
  if (module != nullptr) *module = own;
  return function;
}

inline CUresult launch_store(CUfunction function, CUdeviceptr out, unsigned value, unsigned threads,
                             CUstream stream = nullptr) {
  void* arguments[] = {&out, &value};
  return cuLaunchKernel(function, 1, 1, 1, threads, 1, 1, 0, stream, arguments, nullptr);
}

}  // namespace driver_tests
