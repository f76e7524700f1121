// Streams and events that go away by themselves, and the two ways of putting work of one stream
// after work of another.
#pragma once

#include <cuda_runtime_api.h>

#include <string>
#include <utility>
#include <vector>

#include "lab/case/range.hpp"
#include "lab/case/rung.hpp"

namespace aisp::ch11 {

class Stream {
 public:
  // Lower numbers are served first, as CUDA counts them. It never waits for the legacy stream.
  explicit Stream(const std::string& name, int priority = 0) {
    lab::check_cuda(cudaStreamCreateWithPriority(&stream_, cudaStreamNonBlocking, priority),
                    "cudaStreamCreateWithPriority");
    lab::name_stream(stream_, name);
  }
  Stream(Stream&& other) noexcept : stream_(std::exchange(other.stream_, nullptr)) {}
  Stream& operator=(Stream&&) = delete;
  ~Stream() {
    if (stream_ == nullptr) return;
    lab::forget_stream(stream_);
    cudaStreamDestroy(stream_);
  }
  cudaStream_t get() const { return stream_; }

 private:
  cudaStream_t stream_{};
};

class Event {
 public:
  // Those that only order work carry no time and are cheaper.
  enum class Kind { orders, times };

  explicit Event(Kind kind = Kind::orders) {
    lab::check_cuda(cudaEventCreateWithFlags(
                        &event_, kind == Kind::times ? cudaEventDefault : cudaEventDisableTiming),
                    "cudaEventCreate");
  }
  Event(Event&& other) noexcept : event_(std::exchange(other.event_, nullptr)) {}
  Event& operator=(Event&&) = delete;
  ~Event() {
    if (event_ != nullptr) cudaEventDestroy(event_);
  }
  cudaEvent_t get() const { return event_; }

  void record(cudaStream_t stream) const {
    lab::check_cuda(cudaEventRecord(event_, stream), "cudaEventRecord");
  }
  // What the stream gets from now on comes after what the event has seen.
  void hold(cudaStream_t stream) const {
    lab::check_cuda(cudaStreamWaitEvent(stream, event_, 0), "cudaStreamWaitEvent");
  }
  double milliseconds_since(const Event& earlier) const {
    float milliseconds = 0;
    lab::check_cuda(cudaEventElapsedTime(&milliseconds, earlier.event_, event_),
                    "cudaEventElapsedTime");
    return milliseconds;
  }

 private:
  cudaEvent_t event_{};
};

// The streams of a rung beside the one that it is given: they begin after what that one has, and it
// goes on when they are done.
class SideStreams {
 public:
  // Called name, or "name 0", "name 1", … where there are several.
  SideStreams(const std::string& name, int count, int priority = 0) {
    for (int i = 0; i < count; ++i) {
      streams_.emplace_back(count == 1 ? name : name + " " + std::to_string(i), priority);
      ends_.emplace_back();
    }
  }

  int count() const { return static_cast<int>(streams_.size()); }
  cudaStream_t operator[](int index) const {
    return streams_.at(static_cast<std::size_t>(index)).get();
  }

  void fork(cudaStream_t from) const {
    begin_.record(from);
    for (const auto& stream : streams_) begin_.hold(stream.get());
  }
  void join(cudaStream_t into) const {
    for (std::size_t i = 0; i < streams_.size(); ++i) {
      ends_[i].record(streams_[i].get());
      ends_[i].hold(into);
    }
  }

 private:
  std::vector<Stream> streams_;
  std::vector<Event> ends_;
  Event begin_;
};

}  // namespace aisp::ch11
