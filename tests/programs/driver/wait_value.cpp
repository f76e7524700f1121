// links: cuda
// Streams that wait for values which other streams, or the host, write into memory.
#include <cuda.h>

#include <cstdio>
#include <cstdlib>
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
  constexpr unsigned n = 4096;
  constexpr std::size_t bytes = n * sizeof(float);
  CHECK(cuInit(0));
  CUcontext context;
  CHECK(cuCtxCreate(&context, nullptr, 0, 0));
  CUmodule module;
  CUfunction scale, shift;
  CHECK(cuModuleLoadData(&module, code));
  CHECK(cuModuleGetFunction(&scale, module, "scale"));
  CHECK(cuModuleGetFunction(&shift, module, "shift"));
  CUstream first, second;
  CHECK(cuStreamCreate(&first, CU_STREAM_NON_BLOCKING));
  CHECK(cuStreamCreateWithPriority(&second, CU_STREAM_NON_BLOCKING, -1));
  CUevent done;
  CHECK(cuEventCreate(&done, CU_EVENT_DISABLE_TIMING));
  CUdeviceptr data, flags;
  CHECK(cuMemAlloc(&data, bytes));
  CHECK(cuMemAlloc(&flags, 64));
  CHECK(cuMemsetD32(flags, 0, 16));
  void* host_memory = nullptr;
  CHECK(cuMemHostAlloc(&host_memory, 64, CU_MEMHOSTALLOC_DEVICEMAP));
  auto* gate = static_cast<volatile unsigned*>(host_memory);
  *gate = 0;
  CUdeviceptr gate_on_device;
  CHECK(cuMemHostGetDevicePointer(&gate_on_device, host_memory, 0));

  std::vector<float> values(n), got(n);
  for (unsigned i = 0; i < n; ++i) values[i] = static_cast<float>(i % 37) - 18.0f;
  CHECK(cuMemcpyHtoD(data, values.data(), bytes));
  CHECK(cuCtxSynchronize());
  unsigned count = n;
  int wrong = 0;
  for (unsigned round = 1; round <= 3; ++round) {
    float summand = static_cast<float>(round), factor = 1.5f;
    void* shifted[] = {&data, &count, &summand};
    void* scaled[] = {&data, &count, &factor};
    // The wait is submitted before the write that ends it.
    CHECK(cuStreamWaitValue32(second, flags, round, CU_STREAM_WAIT_VALUE_GEQ));
    CHECK(cuLaunchKernel(scale, n / 256, 1, 1, 256, 1, 1, 0, second, scaled, nullptr));
    CHECK(cuStreamWriteValue64(second, flags + 8, round, 0));

    CHECK(cuStreamWaitValue32(first, gate_on_device, round, CU_STREAM_WAIT_VALUE_EQ));
    CHECK(cuLaunchKernel(shift, n / 256, 1, 1, 256, 1, 1, 0, first, shifted, nullptr));
    CHECK(cuStreamWriteValue32(first, flags, round, 0));
    CUstreamBatchMemOpParams both[2] = {};
    both[0].operation = CU_STREAM_MEM_OP_WAIT_VALUE_64;
    both[0].waitValue.address = flags + 8;
    both[0].waitValue.value64 = round;
    both[1].operation = CU_STREAM_MEM_OP_WRITE_VALUE_32;
    both[1].writeValue.address = flags + 16;
    both[1].writeValue.value = 100 + round;
    CHECK(cuStreamBatchMemOp(first, 2, both, 0));
    wrong += cuStreamQuery(first) != CUDA_ERROR_NOT_READY;
    *gate = round;
    CHECK(cuEventRecord(done, first));
    CHECK(cuEventSynchronize(done));
    for (float& value : values) value = (value + summand) * factor;
    unsigned seen = 0;
    CHECK(cuMemcpyDtoH(&seen, flags + 16, sizeof seen));
    wrong += seen != 100 + round;
    CHECK(cuMemcpyDtoH(got.data(), data, bytes));
    for (unsigned i = 0; i < n; ++i) wrong += !(got[i] == values[i]);
  }
  CHECK(cuEventDestroy(done));
  CHECK(cuStreamDestroy(first));
  CHECK(cuStreamDestroy(second));
  CHECK(cuMemFree(data));
  CHECK(cuMemFree(flags));
  CHECK(cuMemFreeHost(host_memory));
  CHECK(cuCtxDestroy(context));
  if (wrong == 0)
    std::printf("ok\n");
  else
    std::printf("%d wrong\n", wrong);
  return wrong != 0;
}
