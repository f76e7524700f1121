// A stream beside the launch's for copies into the slots of a ring, so that the copy engine works
// while products run.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "lab/case/range.hpp"
#include "lab/case/rung.hpp"

namespace aisp::ch10 {

class CopyStream {
 public:
  explicit CopyStream(int slots) : copied_(static_cast<std::size_t>(slots)) {
    lab::check_cuda(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking),
                    "cudaStreamCreateWithFlags");
    lab::name_stream(stream_, "copies");
    make(begin_);
    for (auto& event : copied_) make(event);
  }
  CopyStream(const CopyStream&) = delete;
  CopyStream& operator=(const CopyStream&) = delete;
  ~CopyStream() {
    for (auto event : copied_) cudaEventDestroy(event);
    cudaEventDestroy(begin_);
    lab::forget_stream(stream_);
    cudaStreamDestroy(stream_);
  }

  cudaStream_t get() const { return stream_; }

  // Copies come behind what the stream has so far.
  void fork(cudaStream_t from) const { order(begin_, from, stream_); }
  // What `user` gets from now on comes behind the copy.
  void copy(int slot, void* device, const void* host, std::int64_t bytes, cudaStream_t user) const {
    const lab::Range range("copy");
    lab::check_cuda(cudaMemcpyAsync(device, host, static_cast<std::size_t>(bytes),
                                    cudaMemcpyHostToDevice, stream_),
                    "cudaMemcpyAsync of a batch");
    hand_over(slot, user);
  }
  // What `user` gets from now on comes behind all that this stream has.
  void hand_over(int slot, cudaStream_t user) const {
    order(copied_[static_cast<std::size_t>(slot)], stream_, user);
  }

 private:
  static void make(cudaEvent_t& event) {
    lab::check_cuda(cudaEventCreateWithFlags(&event, cudaEventDisableTiming),
                    "cudaEventCreateWithFlags");
  }
  static void order(cudaEvent_t event, cudaStream_t first, cudaStream_t then) {
    lab::check_cuda(cudaEventRecord(event, first), "cudaEventRecord");
    lab::check_cuda(cudaStreamWaitEvent(then, event, 0), "cudaStreamWaitEvent");
  }

  cudaStream_t stream_{};
  cudaEvent_t begin_{};
  std::vector<cudaEvent_t> copied_;  // per slot
};

}  // namespace aisp::ch10
