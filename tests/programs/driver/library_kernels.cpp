// links: cuda
// A library, loaded without a context: its kernels are counted, listed, asked and launched by name.
#include <cuda.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#define CHECK(call)                                                 \
  do {                                                              \
    if (const CUresult result = (call); result != CUDA_SUCCESS) {   \
      const char* name = nullptr;                                   \
      cuGetErrorName(result, &name);                                \
      std::printf("line %d: %s gives %s\n", __LINE__, #call, name); \
      std::exit(1);                                                 \
    }                                                               \
  } while (false)

static const char* const code = R"(
.version 7.0
.target sm_70
.address_size 64
.visible .entry scale(.param .u64 data, .param .u32 n, .param .f32 factor) {
  .reg .pred %p<2>;
  .reg .f32 %f<4>;
  .reg .b32 %r<6>;
  .reg .b64 %rd<5>;
  ld.param.u64 %rd1, [data];
  ld.param.u32 %r1, [n];
  ld.param.f32 %f1, [factor];
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %ntid.x;
  mov.u32 %r4, %tid.x;
  mad.lo.s32 %r5, %r2, %r3, %r4;
  setp.ge.u32 %p1, %r5, %r1;
  @%p1 bra SCALED;
  cvta.to.global.u64 %rd2, %rd1;
  mul.wide.u32 %rd3, %r5, 4;
  add.s64 %rd4, %rd2, %rd3;
  ld.global.f32 %f2, [%rd4];
  mul.f32 %f3, %f2, %f1;
  st.global.f32 [%rd4], %f3;
SCALED:
  ret;
}
.visible .entry shift(.param .u64 data, .param .u32 n, .param .f32 summand) {
  .reg .pred %p<2>;
  .reg .f32 %f<4>;
  .reg .b32 %r<6>;
  .reg .b64 %rd<5>;
  ld.param.u64 %rd1, [data];
  ld.param.u32 %r1, [n];
  ld.param.f32 %f1, [summand];
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %ntid.x;
  mov.u32 %r4, %tid.x;
  mad.lo.s32 %r5, %r2, %r3, %r4;
  setp.ge.u32 %p1, %r5, %r1;
  @%p1 bra SHIFTED;
  cvta.to.global.u64 %rd2, %rd1;
  mul.wide.u32 %rd3, %r5, 4;
  add.s64 %rd4, %rd2, %rd3;
  ld.global.f32 %f2, [%rd4];
  add.f32 %f3, %f2, %f1;
  st.global.f32 [%rd4], %f3;
SHIFTED:
  ret;
}
)";

int main() {
  constexpr unsigned n = 512;
  CHECK(cuInit(0));
  CUlibrary library;
  CHECK(cuLibraryLoadData(&library, code, nullptr, nullptr, 0, nullptr, nullptr, 0));
  CUcontext context;
  CHECK(cuCtxCreate(&context, nullptr, 0, 0));
  unsigned count = 0;
  CHECK(cuLibraryGetKernelCount(&count, library));
  std::vector<CUkernel> kernels(count);
  CHECK(cuLibraryEnumerateKernels(kernels.data(), count, library));
  int wrong = count != 2;
  CUdeviceptr data;
  CHECK(cuMemAlloc(&data, n * sizeof(float)));
  std::vector<float> values(n), got(n);
  for (unsigned i = 0; i < n; ++i) values[i] = static_cast<float>(i) - 100.0f;
  CHECK(cuMemcpyHtoD(data, values.data(), n * sizeof(float)));
  for (const CUkernel kernel : kernels) {
    const char* name = nullptr;
    CHECK(cuKernelGetName(&name, kernel));
    CUlibrary owner = nullptr;
    CHECK(cuKernelGetLibrary(&owner, kernel));
    CUkernel by_name = nullptr;
    CHECK(cuLibraryGetKernel(&by_name, library, name));
    wrong += owner != library || by_name != kernel;
    std::size_t offset = 0, bytes = 0;
    CHECK(cuKernelGetParamInfo(kernel, 2, &offset, &bytes));
    wrong += offset != 12 || bytes != 4;
    wrong += cuKernelGetParamInfo(kernel, 3, &offset, &bytes) != CUDA_ERROR_INVALID_VALUE;
    CUfunction function;
    CHECK(cuKernelGetFunction(&function, kernel));
    unsigned length = n;
    float operand = 4.0f;
    void* arguments[] = {&data, &length, &operand};
    CHECK(cuLaunchKernel(function, 2, 1, 1, 256, 1, 1, 0, nullptr, arguments, nullptr));
    const bool scales = std::string(name) == "scale";
    wrong += !scales && std::string(name) != "shift";
    for (float& value : values) value = scales ? value * operand : value + operand;
  }
  CHECK(cuMemcpyDtoH(got.data(), data, n * sizeof(float)));
  for (unsigned i = 0; i < n; ++i) wrong += !(got[i] == values[i]);
  CUkernel missing;
  wrong += cuLibraryGetKernel(&missing, library, "turn") != CUDA_ERROR_NOT_FOUND;
  CHECK(cuMemFree(data));
  CHECK(cuLibraryUnload(library));
  CHECK(cuCtxDestroy(context));
  if (wrong == 0)
    std::printf("ok\n");
  else
    std::printf("%d wrong\n", wrong);
  return wrong != 0;
}
