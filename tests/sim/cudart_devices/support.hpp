// What the tests of several devices share. They run with AISP_SIM_DEVICE=h200,sms=4,gpus=4.
#pragma once

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <vector>

#include "tests/sim/cudart_devices/kernels.hpp"

namespace aisp::devices {

inline constexpr int count = 4;

// A device that is the thread's own for a while.
class On {
 public:
  explicit On(int device) {
    cudaGetDevice(&before_);
    EXPECT_EQ(cudaSetDevice(device), cudaSuccess);
  }
  On(const On&) = delete;
  On& operator=(const On&) = delete;
  ~On() { cudaSetDevice(before_); }

 private:
  int before_ = 0;
};

inline int* ints_on(int device, int size) {
  const On there(device);
  void* memory = nullptr;
  EXPECT_EQ(cudaMalloc(&memory, sizeof(int) * static_cast<size_t>(size)), cudaSuccess);
  return static_cast<int*>(memory);
}

inline cudaStream_t stream_on(int device, unsigned flags = cudaStreamNonBlocking) {
  const On there(device);
  cudaStream_t stream{};
  EXPECT_EQ(cudaStreamCreateWithFlags(&stream, flags), cudaSuccess);
  return stream;
}

inline cudaEvent_t event_on(int device) {
  const On there(device);
  cudaEvent_t event{};
  EXPECT_EQ(cudaEventCreate(&event), cudaSuccess);
  return event;
}

inline cudaError_t launch_add(int* to, const int* from, int size, cudaStream_t stream) {
  void* args[] = {&to, &from, &size};
  return cudaLaunchKernel(kernels::add(), dim3((static_cast<unsigned>(size) + 63) / 64), dim3(64),
                          args, 0, stream);
}

inline cudaError_t launch_mark(int* to, int size, cudaStream_t stream) {
  void* args[] = {&to, &size};
  return cudaLaunchKernel(kernels::fill_with_mark(), dim3((static_cast<unsigned>(size) + 63) / 64),
                          dim3(64), args, 0, stream);
}

// Every device may use the memory of every other.
inline void open_all() {
  for (int device = 0; device < count; ++device) {
    const On there(device);
    for (int peer = 0; peer < count; ++peer)
      if (peer != device) cudaDeviceEnablePeerAccess(peer, 0);
  }
  cudaGetLastError();  // some may have been open
}

inline void close_all() {
  for (int device = 0; device < count; ++device) {
    const On there(device);
    for (int peer = 0; peer < count; ++peer) cudaDeviceDisablePeerAccess(peer);
  }
  cudaGetLastError();
}

inline std::vector<int> read(const int* from, int size) {
  std::vector<int> values(static_cast<size_t>(size), -1);
  EXPECT_EQ(cudaMemcpy(values.data(), from, sizeof(int) * values.size(), cudaMemcpyDefault),
            cudaSuccess);
  return values;
}

}  // namespace aisp::devices
