// Memory that host and kernels both reach, and what the programs do to it.
#pragma once

#include <cstdlib>

#include "tests/hazards/host/streams.cuh"

namespace reachable {

// Managed memory, numbered.
struct Managed {
  int* values = nullptr;
  Managed() {
    host::check(cudaMallocManaged(&values, host::bytes));
    for (int i = 0; i < host::count; ++i) values[i] = i;
  }
  Managed(const Managed&) = delete;
  Managed& operator=(const Managed&) = delete;
  ~Managed() { cudaFree(values); }
  int* device() const { return values; }
};

// Pinned memory that kernels use through its device pointer.
struct Mapped {
  int* values = nullptr;
  Mapped() {
    host::check(cudaHostAlloc(&values, host::bytes, cudaHostAllocMapped));
    for (int i = 0; i < host::count; ++i) values[i] = i;
  }
  Mapped(const Mapped&) = delete;
  Mapped& operator=(const Mapped&) = delete;
  ~Mapped() { cudaFreeHost(values); }
  int* device() const {
    int* pointer = nullptr;
    host::check(cudaHostGetDevicePointer(&pointer, values, 0));
    return pointer;
  }
};

inline long sum(const int* values) {
  long all = 0;
  for (int i = 0; i < host::count; ++i) all += values[i];
  return all;
}

constexpr long sum_of_numbers = long{host::count} * (host::count - 1) / 2;

static __global__ void twice(int* values) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  values[i] *= 2;
}

}  // namespace reachable
