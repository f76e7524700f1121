// What the programs about streams share: handles that go with their scope, and two small kernels.
#pragma once

#include "tests/hazards/hazard.hpp"

namespace host {

constexpr int count = 2048, block = 256, grid = count / block;
constexpr std::size_t bytes = count * sizeof(int);

inline void check(cudaError_t error) { hazard::require(error, "call"); }

// By default one that does not synchronise with the default stream.
struct Stream {
  cudaStream_t handle = nullptr;
  explicit Stream(unsigned flags = cudaStreamNonBlocking) {
    check(cudaStreamCreateWithFlags(&handle, flags));
  }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  ~Stream() { cudaStreamDestroy(handle); }
  operator cudaStream_t() const { return handle; }
};

struct Event {
  cudaEvent_t handle = nullptr;
  Event() { check(cudaEventCreateWithFlags(&handle, cudaEventDisableTiming)); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  ~Event() { cudaEventDestroy(handle); }
  operator cudaEvent_t() const { return handle; }
};

// The second stream goes on when the first has come so far.
inline void order(cudaStream_t first, cudaStream_t second) {
  const Event event;
  check(cudaEventRecord(event, first));
  check(cudaStreamWaitEvent(second, event, 0));
}

struct Pinned {
  int* values = nullptr;
  Pinned() {
    check(cudaMallocHost(&values, bytes));
    for (int i = 0; i < count; ++i) values[i] = i;
  }
  Pinned(const Pinned&) = delete;
  Pinned& operator=(const Pinned&) = delete;
  ~Pinned() { cudaFreeHost(values); }
};

static __global__ void number(int* out) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  out[i] = i;
}

static __global__ void add_one(int* out, const int* in) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  out[i] = in[i] + 1;
}

}  // namespace host
