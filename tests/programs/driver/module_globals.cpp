// links: cuda
// Variables of a module: their addresses and sizes, written by the host, read and written by a
// kernel.
#include <vector>

#include "driver.hpp"

static const char* const code = R"(
.version 7.0
.target sm_70
.address_size 64
.const .align 4 .b8 weights[16];
.global .align 4 .u32 calls = 7;
.visible .entry apply(.param .u64 data) {
  .reg .b32 %r<6>;
  .reg .f32 %f<4>;
  .reg .b64 %rd<7>;
  ld.param.u64 %rd1, [data];
  cvta.to.global.u64 %rd2, %rd1;
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd3, %r1, 4;
  add.s64 %rd4, %rd2, %rd3;
  and.b32 %r2, %r1, 3;
  mul.wide.u32 %rd5, %r2, 4;
  mov.u64 %rd6, weights;
  add.s64 %rd6, %rd6, %rd5;
  ld.const.f32 %f1, [%rd6];
  ld.global.f32 %f2, [%rd4];
  mul.f32 %f3, %f1, %f2;
  st.global.f32 [%rd4], %f3;
  red.global.add.u32 [calls], 1;
  ret;
}
)";

int main() {
  constexpr unsigned n = 64;
  CHECK(cuInit(0));
  CUcontext context;
  CHECK(cuDevicePrimaryCtxRetain(&context, 0));
  CHECK(cuCtxSetCurrent(context));
  CUmodule module;
  char log[512] = "unset";
  CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void* values[] = {log, reinterpret_cast<void*>(sizeof log)};
  CHECK(cuModuleLoadDataEx(&module, code, 2, options, values));
  int wrong = log[0] != '\0';

  CUdeviceptr weights, calls;
  std::size_t weight_bytes = 0, call_bytes = 0;
  CHECK(cuModuleGetGlobal(&weights, &weight_bytes, module, "weights"));
  CHECK(cuModuleGetGlobal(&calls, &call_bytes, module, "calls"));
  wrong += weight_bytes != 16 || call_bytes != 4;
  CUdeviceptr nothing = 1;  // set to 0, too
  wrong += cuModuleGetGlobal(&nothing, nullptr, module, "nothing") != CUDA_ERROR_NOT_FOUND;
  wrong += nothing != 0;
  const float factors[] = {1.5f, -2.0f, 0.25f, 8.0f};
  CHECK(cuMemcpyHtoD(weights, factors, sizeof factors));

  std::vector<float> data(n);
  for (unsigned i = 0; i < n; ++i) data[i] = static_cast<float>(i) + 0.5f;
  CUdeviceptr on_device;
  CHECK(cuMemAlloc(&on_device, n * sizeof(float)));
  CHECK(cuMemcpyHtoD(on_device, data.data(), n * sizeof(float)));
  CUfunction apply;
  CHECK(cuModuleGetFunction(&apply, module, "apply"));
  void* arguments[] = {&on_device};
  CHECK(cuLaunchKernel(apply, 1, 1, 1, n, 1, 1, 0, nullptr, arguments, nullptr));
  std::vector<float> got(n);
  unsigned counted = 0;
  CHECK(cuMemcpyDtoH(got.data(), on_device, n * sizeof(float)));
  CHECK(cuMemcpyDtoH(&counted, calls, sizeof counted));
  for (unsigned i = 0; i < n; ++i) wrong += !(got[i] == data[i] * factors[i % 4]);
  wrong += counted != 7 + n;
  CHECK(cuMemFree(on_device));
  CHECK(cuModuleUnload(module));
  CHECK(cuDevicePrimaryCtxRelease(0));
  return ended(wrong);
}
