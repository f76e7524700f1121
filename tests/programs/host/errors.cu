// What a careful program does about errors: launches that cannot be, calls with wrong arguments,
// names and texts, errors that stay until they are read, and nothing of it breaks the device.
#include <cstring>

#include "check.hpp"

namespace {

// Runtimes of several generations call a wrong shape by different names.
bool is_wrong_shape(cudaError_t error) {
  return error == cudaErrorInvalidConfiguration || error == cudaErrorInvalidValue;
}

__global__ void set(int* data, int value) { data[threadIdx.x] = value; }
__global__ void __launch_bounds__(64) narrow(int* data) { data[threadIdx.x] = 1; }

void check_launches() {
  const OnDevice<int> data(64);
  set<<<1, 2048>>>(data.get(), 1);
  expect(is_wrong_shape(cudaPeekAtLastError()), "too many threads");
  expect(is_wrong_shape(cudaPeekAtLastError()), "peeking leaves it");
  expect(is_wrong_shape(cudaGetLastError()), "getting takes it");
  expect(cudaGetLastError() == cudaSuccess, "and then there is none");
  set<<<0, 32>>>(data.get(), 1);
  expect(is_wrong_shape(cudaGetLastError()), "no blocks");
  set<<<dim3(1, 70'000), 32>>>(data.get(), 1);
  expect(is_wrong_shape(cudaGetLastError()), "too many rows of blocks");
  set<<<1, 32, 1 << 20>>>(data.get(), 1);
  expect(cudaGetLastError() == cudaErrorInvalidValue, "too much shared memory");
  narrow<<<1, 96>>>(data.get());
  const cudaError_t beyond = cudaGetLastError();
  expect(beyond == cudaErrorLaunchFailure || beyond == cudaErrorInvalidValue ||
             beyond == cudaErrorLaunchOutOfResources || beyond == cudaErrorInvalidConfiguration,
         "beyond the launch bound");
  set<<<1, 64>>>(data.get(), 7);
  finish();
  expect_equal(data.fetch(), std::vector<int>(64, 7), "a good launch after bad ones");
}

void check_calls() {
  void* memory = nullptr;
  expect(cudaMalloc(&memory, std::size_t(1) << 50) == cudaErrorMemoryAllocation, "a petabyte");
  expect(cudaGetLastError() == cudaErrorMemoryAllocation, "is remembered");
  expect(cudaSetDevice(99) == cudaErrorInvalidDevice, "no such device");
  int on_stack = 0;
  expect(cudaFree(&on_stack) == cudaErrorInvalidValue, "not from cudaMalloc");
  CHECK(cudaMalloc(&memory, 64));
  expect(cudaMemcpy(memory, nullptr, 64, cudaMemcpyHostToDevice) == cudaErrorInvalidValue,
         "from nowhere");
  CHECK(cudaFree(memory));
  CHECK(cudaFree(nullptr));
  cudaEvent_t a, b;
  CHECK(cudaEventCreate(&a));
  CHECK(cudaEventCreateWithFlags(&b, cudaEventDisableTiming));
  float time = 0;
  expect(cudaEventElapsedTime(&time, a, b) == cudaErrorInvalidResourceHandle, "never recorded");
  CHECK(cudaEventDestroy(a));
  CHECK(cudaEventDestroy(b));
  cudaGetLastError();
  expect(std::strcmp(cudaGetErrorName(cudaErrorInvalidValue), "cudaErrorInvalidValue") == 0,
         "name");
  expect(std::strcmp(cudaGetErrorString(cudaErrorInvalidValue), "invalid argument") == 0, "text");
  expect(std::strcmp(cudaGetErrorString(cudaErrorMemoryAllocation), "out of memory") == 0, "text");
}

}  // namespace

int main() {
  check_launches();
  check_calls();
  CHECK(cudaDeviceSynchronize());
  return passed();
}
