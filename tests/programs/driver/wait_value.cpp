// links: cuda
// Streams that wait for values which other streams, or the host, write into memory.
#include <vector>

#include "driver.hpp"

int main() {
  constexpr unsigned n = 4096;
  constexpr std::size_t bytes = n * sizeof(float);
  CHECK(cuInit(0));
  CUcontext context;
  CHECK(cuCtxCreate(&context, nullptr, 0, 0));
  CUmodule module;
  CUfunction scale, shift;
  CHECK(cuModuleLoadData(&module, scale_and_shift));
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
  return ended(wrong);
}
