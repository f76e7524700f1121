// Times work on the device with L2 flushed before it, as a rung will be measured: an algorithm
// that wins with its operands in cache need not win without.
#pragma once

#include <cuda_runtime_api.h>

#include <functional>

namespace aisp::peers {

// Twice the L2 of the current device, at least 64 MiB.
std::size_t flush_bytes();

class ColdTimer {
 public:
  // `flush` is device memory that may be overwritten.
  ColdTimer(void* flush, std::size_t bytes);
  ~ColdTimer();
  ColdTimer(const ColdTimer&) = delete;
  ColdTimer& operator=(const ColdTimer&) = delete;

  // Milliseconds of what `enqueue` puts on the default stream.
  float time(const std::function<void()>& enqueue);

 private:
  void* flush_;
  std::size_t bytes_;
  cudaEvent_t begin_{}, end_{};
};

}  // namespace aisp::peers
