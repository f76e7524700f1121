// links: cuda
// A launch whose shape the driver chooses, a cooperative one, and one with attributes.
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
)";

static std::size_t no_shared(int) { return 0; }

int main() {
  constexpr unsigned n = 50000;
  CHECK(cuInit(0));
  CUdevice device;
  CHECK(cuDeviceGet(&device, 0));
  CUcontext context;
  CHECK(cuCtxCreate(&context, nullptr, CU_CTX_SCHED_BLOCKING_SYNC, device));
  CUmodule module;
  CUfunction scale;
  CHECK(cuModuleLoadData(&module, code));
  CHECK(cuModuleGetFunction(&scale, module, "scale"));
  int grid = 0, block = 0, per_multiprocessor = 0, multiprocessors = 0;
  CHECK(cuOccupancyMaxPotentialBlockSize(&grid, &block, scale, no_shared, 0, 0));
  CHECK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&per_multiprocessor, scale, block, 0));
  CHECK(cuDeviceGetAttribute(&multiprocessors, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, device));
  int wrong = block <= 0 || block % 32 != 0 || grid != per_multiprocessor * multiprocessors;
  int limit = 0;
  CHECK(cuFuncGetAttribute(&limit, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, scale));
  wrong += block > limit;
  int bounded = 0;
  CHECK(cuOccupancyMaxPotentialBlockSize(&grid, &bounded, scale, nullptr, 0, 96));
  wrong += bounded <= 0 || bounded > 96;

  std::vector<float> data(n), got(n);
  for (unsigned i = 0; i < n; ++i) data[i] = static_cast<float>(i % 511) - 255.0f;
  CUdeviceptr on_device;
  CHECK(cuMemAlloc(&on_device, n * sizeof(float)));
  CHECK(cuMemcpyHtoD(on_device, data.data(), n * sizeof(float)));
  unsigned count = n;
  float factor = -0.5f;
  void* arguments[] = {&on_device, &count, &factor};
  const unsigned blocks = (n + block - 1) / block;
  CHECK(cuLaunchKernel(scale, blocks, 1, 1, block, 1, 1, 0, nullptr, arguments, nullptr));

  CUlaunchAttribute attribute{};
  attribute.id = CU_LAUNCH_ATTRIBUTE_PRIORITY;
  attribute.value.priority = 0;
  CUlaunchConfig config{};
  config.gridDimX = blocks;
  config.gridDimY = config.gridDimZ = 1;
  config.blockDimX = block;
  config.blockDimY = config.blockDimZ = 1;
  config.attrs = &attribute;
  config.numAttrs = 1;
  CHECK(cuLaunchKernelEx(&config, scale, arguments, nullptr));
  count = 3000;  // a cooperative grid has to be on the device at once
  CHECK(cuLaunchCooperativeKernel(scale, 3, 1, 1, 1000, 1, 1, 0, nullptr, arguments));
  CHECK(cuCtxSynchronize());
  CHECK(cuMemcpyDtoH(got.data(), on_device, n * sizeof(float)));
  for (unsigned i = 0; i < n; ++i) {
    const float twice = data[i] * factor * factor;
    wrong += !(got[i] == (i < 3000 ? twice * factor : twice));
  }
  // What does not fit is refused, and nothing is lost by it.
  wrong += cuLaunchKernel(scale, 1, 1, 1, 2048, 1, 1, 0, nullptr, arguments, nullptr) !=
           CUDA_ERROR_INVALID_VALUE;
  CHECK(cuCtxSynchronize());
  CHECK(cuMemFree(on_device));
  CHECK(cuCtxDestroy(context));
  if (wrong == 0)
    std::printf("ok\n");
  else
    std::printf("%d wrong\n", wrong);
  return wrong != 0;
}
