// What the communicator needs of the CUDA runtime: errors as exceptions, the current device for a
// while, streams, events and memory that go away by themselves and know their device.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <stdexcept>
#include <utility>

#include "base/refuse.hpp"

namespace aisp::comm {

inline void check(cudaError_t error, const char* what) {
  if (error != cudaSuccess)
    throw std::runtime_error(
        base::say(what, ": ", cudaGetErrorName(error), " (", cudaGetErrorString(error), ")"));
}

inline int current_device() {
  int device = 0;
  check(cudaGetDevice(&device), "cudaGetDevice");
  return device;
}

inline int device_count() {
  int count = 0;
  check(cudaGetDeviceCount(&count), "cudaGetDeviceCount");
  return count;
}

// Whether what is enqueued becomes a part of a graph instead of running.
inline bool is_captured(cudaStream_t stream) {
  cudaStreamCaptureStatus status{};
  check(cudaStreamIsCapturing(stream, &status), "cudaStreamIsCapturing");
  return status != cudaStreamCaptureStatusNone;
}

// The current device is `device` while this lives.
class OnDevice {
 public:
  explicit OnDevice(int device) : before_(current_device()) {
    if (device != before_) check(cudaSetDevice(device), "cudaSetDevice");
    changed_ = device != before_;
  }
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;
  ~OnDevice() {
    if (changed_) cudaSetDevice(before_);
  }

 private:
  int before_;
  bool changed_ = false;
};

class Stream {
 public:
  enum class Priority { usual, first };  // first: served before the usual ones

  explicit Stream(int device, Priority priority = Priority::usual) {
    const OnDevice on(device);
    int least = 0, greatest = 0;
    check(cudaDeviceGetStreamPriorityRange(&least, &greatest), "cudaDeviceGetStreamPriorityRange");
    check(cudaStreamCreateWithPriority(&stream_, cudaStreamNonBlocking,
                                       priority == Priority::first ? greatest : 0),
          "cudaStreamCreateWithPriority");
  }
  Stream(Stream&& other) noexcept : stream_(std::exchange(other.stream_, nullptr)) {}
  Stream& operator=(Stream&&) = delete;
  ~Stream() {
    if (stream_ != nullptr) cudaStreamDestroy(stream_);
  }
  cudaStream_t get() const { return stream_; }

 private:
  cudaStream_t stream_{};
};

// Orders work and carries no time. It may be recorded by streams of its device only, and be waited
// for by all.
class Event {
 public:
  explicit Event(int device) {
    const OnDevice on(device);
    check(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming), "cudaEventCreate");
  }
  Event(Event&& other) noexcept : event_(std::exchange(other.event_, nullptr)) {}
  Event& operator=(Event&&) = delete;
  ~Event() {
    if (event_ != nullptr) cudaEventDestroy(event_);
  }

  void record(cudaStream_t stream) const {
    check(cudaEventRecord(event_, stream), "cudaEventRecord");
  }
  // What the stream gets from now on comes after what the event has seen.
  void hold(cudaStream_t stream) const {
    check(cudaStreamWaitEvent(stream, event_, 0), "cudaStreamWaitEvent");
  }

 private:
  cudaEvent_t event_{};
};

class Memory {
 public:
  Memory(int device, std::size_t bytes) : device_(device), bytes_(bytes) {
    const OnDevice on(device);
    if (cudaMalloc(&memory_, bytes) != cudaSuccess) {
      cudaGetLastError();  // not sticky: smaller ones may fit
      throw std::runtime_error(
          base::say("out of memory on device ", device, ": ", bytes, " bytes asked for"));
    }
  }
  Memory(Memory&& other) noexcept
      : device_(other.device_),
        bytes_(other.bytes_),
        memory_(std::exchange(other.memory_, nullptr)) {}
  Memory& operator=(Memory&&) = delete;
  ~Memory() {
    if (memory_ != nullptr) cudaFree(memory_);
  }
  char* get() const { return static_cast<char*>(memory_); }
  // In the order of a stream of its device.
  void fill(int byte, cudaStream_t stream) const {
    const OnDevice on(device_);
    check(cudaMemsetAsync(memory_, byte, bytes_, stream), "cudaMemsetAsync");
  }

 private:
  int device_;
  std::size_t bytes_;
  void* memory_ = nullptr;
};

}  // namespace aisp::comm
