// reports: memory-fault
// A kernel that goes out of bounds: the error comes with the next call that waits, and stays
// with the device.
#include "check.hpp"

namespace {

__global__ void stray(int* data, long long where) { data[where] = 1; }
__global__ void good(int* data) { *data = 5; }

}  // namespace

int main() {
  int* data = nullptr;
  CHECK(cudaMalloc(&data, sizeof(int)));
  stray<<<1, 1>>>(data, 1ll << 40);
  expect(cudaGetLastError() == cudaSuccess, "the launch itself is fine");
  expect(cudaDeviceSynchronize() == cudaErrorIllegalAddress, "the wait says what happened");
  expect(cudaGetLastError() == cudaErrorIllegalAddress, "the last error");
  int* other = nullptr;
  expect(cudaMalloc(&other, 4) == cudaErrorIllegalAddress, "every call says it now");
  good<<<1, 1>>>(data);
  expect(cudaGetLastError() == cudaErrorIllegalAddress, "launches as well");
  int value = 0;
  expect(cudaMemcpy(&value, data, sizeof value, cudaMemcpyDeviceToHost) == cudaErrorIllegalAddress,
         "and copies");
  return passed();
}
