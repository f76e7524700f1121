// Holds a stream back until everything that belongs to a sample is enqueued: otherwise the time
// between two events around a short kernel is the time that the host took to launch it.
#pragma once

#include <cuda_runtime_api.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "lab/case/rung.hpp"

namespace aisp::lab {

class StreamGate {
 public:
  void close(cudaStream_t stream) {
    open_ = false;
    check_cuda(cudaLaunchHostFunc(stream, wait, this), "cudaLaunchHostFunc");
  }
  void open() { open_ = true; }

 private:
  // More launches than a stream's queue holds would wait for this function, and this one for them.
  static constexpr std::chrono::milliseconds longest{100};

  static void CUDART_CB wait(void* gate) {
    const auto end = std::chrono::steady_clock::now() + longest;
    while (!static_cast<StreamGate*>(gate)->open_ && std::chrono::steady_clock::now() < end)
      std::this_thread::yield();
  }

  std::atomic<bool> open_ = true;
};

}  // namespace aisp::lab
