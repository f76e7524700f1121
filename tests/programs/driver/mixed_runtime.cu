// links: cuda
// Runtime and driver in one program: one context, one memory, one stream for both.
#include <vector>

#include "driver.hpp"

__global__ void triple(float* data, unsigned n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] *= 3.0f;
}

int main() {
  constexpr unsigned n = 2000;
  CUcontext context = nullptr, primary = nullptr;
  int wrong = cuCtxGetCurrent(&context) != CUDA_ERROR_NOT_INITIALIZED;
  float* data = nullptr;
  if (cudaMalloc(&data, n * sizeof(float)) != cudaSuccess) return 1;
  CHECK(cuCtxGetCurrent(&context));
  CHECK(cuDevicePrimaryCtxRetain(&primary, 0));
  wrong += context == nullptr || context != primary;

  std::vector<float> values(n), got(n);
  for (unsigned i = 0; i < n; ++i) values[i] = static_cast<float>(i) * 0.25f;
  const auto address = reinterpret_cast<CUdeviceptr>(data);
  CHECK(cuMemcpyHtoD(address, values.data(), n * sizeof(float)));
  cudaStream_t stream;
  if (cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) != cudaSuccess) return 1;
  CUmodule module;
  CUfunction shift;
  CHECK(cuModuleLoadData(&module, scale_and_shift));
  CHECK(cuModuleGetFunction(&shift, module, "shift"));

  // The runtime's kernel and the driver's follow each other in the runtime's stream.
  triple<<<(n + 127) / 128, 128, 0, stream>>>(data, n);
  unsigned count = n;
  float summand = 1.0f;
  CUdeviceptr to = address;
  void* arguments[] = {&to, &count, &summand};
  CHECK(cuLaunchKernel(shift, (n + 127) / 128, 1, 1, 128, 1, 1, 0, stream, arguments, nullptr));
  cudaFunction_t function;  // the runtime's kernel as the driver's function
  if (cudaGetFuncBySymbol(&function, reinterpret_cast<const void*>(triple)) != cudaSuccess)
    return 1;
  void* tripled[] = {&to, &count};
  CHECK(cuLaunchKernel(function, (n + 127) / 128, 1, 1, 128, 1, 1, 0, stream, tripled, nullptr));
  CHECK(cuStreamSynchronize(stream));
  if (cudaMemcpy(got.data(), data, n * sizeof(float), cudaMemcpyDeviceToHost) != cudaSuccess)
    return 1;
  for (unsigned i = 0; i < n; ++i) wrong += !(got[i] == (values[i] * 3.0f + summand) * 3.0f);

  // Memory of the driver is the runtime's to free; the driver's errors are not the runtime's.
  CUdeviceptr more;
  CHECK(cuMemAlloc(&more, 1024));
  cudaPointerAttributes attributes{};
  wrong += cudaPointerGetAttributes(&attributes, reinterpret_cast<void*>(more)) != cudaSuccess;
  wrong += attributes.type != cudaMemoryTypeDevice;
  wrong += cuMemcpyHtoD(more, values.data(), 1 << 20) != CUDA_ERROR_INVALID_VALUE;
  wrong += cudaGetLastError() != cudaSuccess;
  wrong += cudaFree(reinterpret_cast<void*>(more)) != cudaSuccess;

  // Another context of the same device, and back.
  CUcontext own;
  CHECK(cuCtxCreate(&own, nullptr, 0, 0));
  CHECK(cuCtxGetCurrent(&context));
  wrong += context != own;
  CHECK(cuCtxDestroy(own));
  CHECK(cuCtxGetCurrent(&context));
  wrong += context != primary;
  cudaStreamDestroy(stream);
  wrong += cudaFree(data) != cudaSuccess;
  CHECK(cuModuleUnload(module));
  CHECK(cuDevicePrimaryCtxRelease(0));
  return ended(wrong);
}
