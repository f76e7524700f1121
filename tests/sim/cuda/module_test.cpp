// Modules, functions and launches.
#include <cstring>
#include <vector>

#include "tests/sim/cuda/driver.hpp"

using driver_tests::Driver;
using driver_tests::launch_store;
using driver_tests::load_store;

namespace {

std::string rejected_log(const char* text, CUresult expected) {
  char log[400];
  std::memset(log, 'x', sizeof log);
  CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void* values[] = {log, reinterpret_cast<void*>(sizeof log)};
  CUmodule module = nullptr;
  testing::internal::CaptureStderr();
  EXPECT_RESULT(cuModuleLoadDataEx(&module, text, 2, options, values), expected);
  testing::internal::GetCapturedStderr();
  EXPECT_EQ(module, nullptr);
  EXPECT_EQ(reinterpret_cast<std::size_t>(values[1]), std::strlen(log));
  return log;
}

TEST_F(Driver, PtxThatIsWrongIsRefusedWhenItIsLoaded) {
  const std::string unknown = std::string(driver_tests::store_code) +
                              ".visible .entry bad() { frobnicate.u32 %r1, %r2; ret; }";
  EXPECT_NE(rejected_log(unknown.c_str(), CUDA_ERROR_INVALID_PTX).find("frobnicate"),
            std::string::npos);
  EXPECT_NE(rejected_log("no PTX at all", CUDA_ERROR_INVALID_IMAGE).find("neither a fatbin"),
            std::string::npos);
  std::string newer = driver_tests::store_code;
  newer.replace(newer.find("sm_70"), 5, "sm_120");
  EXPECT_NE(rejected_log(newer.c_str(), CUDA_ERROR_NO_BINARY_FOR_GPU).find("sm_120"),
            std::string::npos);
}

TEST_F(Driver, AModuleListsItsFunctions) {
  CUmodule module = nullptr, owner = nullptr;
  const CUfunction store = load_store(&module);
  unsigned count = 0;
  ASSERT_DONE(cuModuleGetFunctionCount(&count, module));
  ASSERT_EQ(count, 1u);
  CUfunction listed = nullptr;
  ASSERT_DONE(cuModuleEnumerateFunctions(&listed, 1, module));
  EXPECT_EQ(listed, store);
  EXPECT_DONE(cuFuncGetModule(&owner, store));
  EXPECT_EQ(owner, module);
  const char* name = nullptr;
  EXPECT_DONE(cuFuncGetName(&name, store));
  EXPECT_STREQ(name, "store");
  std::size_t offset = 0, bytes = 0;
  EXPECT_DONE(cuFuncGetParamInfo(store, 1, &offset, &bytes));
  EXPECT_EQ(offset, 8u);
  EXPECT_EQ(bytes, 4u);
  CUfunction none = nullptr;
  EXPECT_RESULT(cuModuleGetFunction(&none, module, "load"), CUDA_ERROR_NOT_FOUND);
  EXPECT_DONE(cuModuleUnload(module));
  EXPECT_RESULT(cuModuleGetFunction(&none, module, "store"), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_RESULT(launch_store(store, 0, 0, 1), CUDA_ERROR_INVALID_HANDLE);
}

TEST_F(Driver, PackedArgumentsMustBeThere) {
  const CUfunction store = load_store();
  CUdeviceptr out = 0;
  ASSERT_DONE(cuMemAlloc(&out, 256));
  struct {
    CUdeviceptr out;
    unsigned value;
  } packed{out, 41};
  std::size_t bytes = 8;  // the second is cut off
  void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &packed, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes,
                   CU_LAUNCH_PARAM_END};
  EXPECT_RESULT(cuLaunchKernel(store, 1, 1, 1, 64, 1, 1, 0, nullptr, nullptr, extra),
                CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
  bytes = sizeof packed;  // more than there are
  EXPECT_RESULT(cuLaunchKernel(store, 1, 1, 1, 64, 1, 1, 0, nullptr, nullptr, extra),
                CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
  bytes = 12;
  EXPECT_DONE(cuLaunchKernel(store, 1, 1, 1, 64, 1, 1, 0, nullptr, nullptr, extra));
  std::vector<unsigned> got(64);
  ASSERT_DONE(cuMemcpyDtoH(got.data(), out, 256));
  EXPECT_EQ(got, std::vector<unsigned>(64, 41));
  EXPECT_RESULT(cuLaunchKernel(store, 1, 1, 1, 64, 1, 1, 0, nullptr, nullptr, nullptr),
                CUDA_ERROR_INVALID_VALUE);
}

// (u64 out): out[0] = square(7), which another text defines.
constexpr const char* caller_code = R"(
.version 7.0
.target sm_70
.address_size 64
.extern .func (.param .b32 result) square(.param .b32 x);
.visible .entry caller(.param .u64 out) {
  .reg .b32 %r<2>;
  .reg .b64 %rd<3>;
  ld.param.u64 %rd1, [out];
  cvta.to.global.u64 %rd2, %rd1;
  {
    .param .b32 given;
    .param .b32 got;
    st.param.b32 [given], 7;
    call.uni (got), square, (given);
    ld.param.b32 %r1, [got];
  }
  st.global.u32 [%rd2], %r1;
  ret;
}
)";
constexpr const char* square_code = R"(
.version 7.0
.target sm_70
.address_size 64
.visible .func (.param .b32 result) square(.param .b32 x) {
  .reg .b32 %r<3>;
  ld.param.b32 %r1, [x];
  mul.lo.s32 %r2, %r1, %r1;
  st.param.b32 [result], %r2;
  ret;
}
)";

CUresult add_text(CUlinkState state, const char* text, const char* name) {
  return cuLinkAddData(state, CU_JIT_INPUT_PTX, const_cast<char*>(text), std::strlen(text) + 1,
                       name, 0, nullptr, nullptr);
}

TEST_F(Driver, TextsThatNeedEachOtherAreLinked) {
  CUlinkState state = nullptr;
  void* image = nullptr;
  std::size_t bytes = 0;
  ASSERT_DONE(cuLinkCreate(0, nullptr, nullptr, &state));
  ASSERT_DONE(add_text(state, caller_code, "caller"));
  ASSERT_DONE(add_text(state, square_code, "square"));
  ASSERT_DONE(cuLinkComplete(state, &image, &bytes));
  EXPECT_EQ(std::strlen(static_cast<char*>(image)) + 1, bytes);
  CUmodule module = nullptr;
  ASSERT_DONE(cuModuleLoadData(&module, image));
  EXPECT_RESULT(add_text(state, square_code, "again"), CUDA_ERROR_INVALID_VALUE);
  EXPECT_DONE(cuLinkDestroy(state));
  EXPECT_RESULT(cuLinkDestroy(state), CUDA_ERROR_INVALID_HANDLE);
  CUfunction caller = nullptr;
  ASSERT_DONE(cuModuleGetFunction(&caller, module, "caller"));
  CUdeviceptr out = 0;
  ASSERT_DONE(cuMemAlloc(&out, 4));
  void* arguments[] = {&out};
  ASSERT_DONE(cuLaunchKernel(caller, 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr));
  unsigned result = 0;
  ASSERT_DONE(cuMemcpyDtoH(&result, out, sizeof result));
  EXPECT_EQ(result, 49u);
}

TEST_F(Driver, ATextWithoutWhatItNeedsIsNotLinked) {
  char log[400] = "";
  CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void* values[] = {log, reinterpret_cast<void*>(sizeof log)};
  CUlinkState state = nullptr;
  void* image = nullptr;
  ASSERT_DONE(cuLinkCreate(2, options, values, &state));
  ASSERT_DONE(add_text(state, caller_code, "caller"));
  testing::internal::CaptureStderr();
  EXPECT_RESULT(cuLinkComplete(state, &image, nullptr), CUDA_ERROR_INVALID_SOURCE);
  EXPECT_NE(testing::internal::GetCapturedStderr().find("square"), std::string::npos);
  EXPECT_NE(std::string(log).find("square"), std::string::npos);
  EXPECT_DONE(cuLinkDestroy(state));
}

// The device is lost: in a process of its own.
void store_out_of_bounds() {
  CUcontext context = nullptr;
  CUdeviceptr out = 0;
  cuInit(0);
  cuCtxCreate(&context, nullptr, 0, 0);
  cuMemAlloc(&out, 256);
  launch_store(load_store(), out, 1, 65);
  const bool seen = cuCtxSynchronize() == CUDA_ERROR_ILLEGAL_ADDRESS;
  const bool kept = cuMemAlloc(&out, 256) == CUDA_ERROR_ILLEGAL_ADDRESS &&
                    cuCtxSynchronize() == CUDA_ERROR_ILLEGAL_ADDRESS;
  std::_Exit(seen && kept ? 0 : 1);
}

TEST(DriverDeathTest, AFaultStays) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(store_out_of_bounds(), testing::ExitedWithCode(0), "out-of-bounds");
}

}  // namespace
