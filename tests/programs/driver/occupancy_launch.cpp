// links: cuda
// A launch whose shape the driver chooses, a cooperative one, and one with attributes.
#include <vector>

#include "driver.hpp"

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
  CHECK(cuModuleLoadData(&module, scale_and_shift));
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
  return ended(wrong);
}
