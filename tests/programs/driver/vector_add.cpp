// links: cuda
// The sum of two vectors by the driver alone: a module from PTX text, launched with its arguments
// one by one and packed in a buffer.
#include <cstddef>
#include <vector>

#include "driver.hpp"

static const char* const code = R"(
.version 7.0
.target sm_70
.address_size 64
.visible .entry add(.param .u64 a, .param .u64 b, .param .u64 c, .param .u32 n) {
  .reg .pred %p<2>;
  .reg .f32 %f<4>;
  .reg .b32 %r<6>;
  .reg .b64 %rd<11>;
  ld.param.u64 %rd1, [a];
  ld.param.u64 %rd2, [b];
  ld.param.u64 %rd3, [c];
  ld.param.u32 %r1, [n];
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %ntid.x;
  mov.u32 %r4, %tid.x;
  mad.lo.s32 %r5, %r2, %r3, %r4;
  setp.ge.u32 %p1, %r5, %r1;
  @%p1 bra DONE;
  cvta.to.global.u64 %rd4, %rd1;
  cvta.to.global.u64 %rd5, %rd2;
  cvta.to.global.u64 %rd6, %rd3;
  mul.wide.u32 %rd7, %r5, 4;
  add.s64 %rd8, %rd4, %rd7;
  add.s64 %rd9, %rd5, %rd7;
  add.s64 %rd10, %rd6, %rd7;
  ld.global.f32 %f1, [%rd8];
  ld.global.f32 %f2, [%rd9];
  add.f32 %f3, %f1, %f2;
  st.global.f32 [%rd10], %f3;
DONE:
  ret;
}
)";

int main() {
  constexpr unsigned n = 1000, block = 128;
  constexpr std::size_t bytes = n * sizeof(float);
  CHECK(cuInit(0));
  CUdevice device;
  CHECK(cuDeviceGet(&device, 0));
  CUcontext context;
  CHECK(cuCtxCreate(&context, nullptr, 0, device));
  CUmodule module;
  CHECK(cuModuleLoadData(&module, code));
  CUfunction add;
  CHECK(cuModuleGetFunction(&add, module, "add"));

  std::vector<float> a(n), b(n), c(n);
  for (unsigned i = 0; i < n; ++i) {
    a[i] = 0.25f * static_cast<float>(i);
    b[i] = 1000.0f - static_cast<float>(i * i % 97);
  }
  CUdeviceptr da, db, dc;
  CHECK(cuMemAlloc(&da, bytes));
  CHECK(cuMemAlloc(&db, bytes));
  CHECK(cuMemAlloc(&dc, bytes));
  CHECK(cuMemcpyHtoD(da, a.data(), bytes));
  CHECK(cuMemcpyHtoD(db, b.data(), bytes));

  int wrong = 0;
  for (const bool packed : {false, true}) {
    CHECK(cuMemsetD32(dc, 0x7fc00000u, n));
    unsigned count = n;
    const unsigned grid = (n + block - 1) / block;
    if (packed) {
      struct Packed {
        CUdeviceptr a, b, c;
        unsigned n;
      } arguments{da, db, dc, n};
      std::size_t size =
          offsetof(Packed, n) + sizeof arguments.n;  // no byte more than the kernel has
      void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &arguments, CU_LAUNCH_PARAM_BUFFER_SIZE,
                       &size, CU_LAUNCH_PARAM_END};
      CHECK(cuLaunchKernel(add, grid, 1, 1, block, 1, 1, 0, nullptr, nullptr, extra));
    } else {
      void* arguments[] = {&da, &db, &dc, &count};
      CHECK(cuLaunchKernel(add, grid, 1, 1, block, 1, 1, 0, nullptr, arguments, nullptr));
    }
    CHECK(cuMemcpyDtoH(c.data(), dc, bytes));
    for (unsigned i = 0; i < n; ++i) wrong += !(c[i] == a[i] + b[i]);
  }
  CHECK(cuMemFree(da));
  CHECK(cuMemFree(db));
  CHECK(cuMemFree(dc));
  CHECK(cuModuleUnload(module));
  CHECK(cuCtxDestroy(context));
  return ended(wrong);
}
