// The time between two points of a stream, also where the stream is recorded into a graph.
#pragma once

#include "chapters/ch11/common/streams.hpp"

namespace aisp::ch11 {

class Stopwatch {
 public:
  void start(cudaStream_t stream) const { record(begin_, stream); }
  void stop(cudaStream_t stream) const { record(end_, stream); }
  // Of the last run that has ended.
  double milliseconds() const { return end_.milliseconds_since(begin_); }

 private:
  // In a capture a plain record would order the graph's nodes and leave no time.
  static void record(const Event& event, cudaStream_t stream) {
    cudaStreamCaptureStatus status{};
    lab::check_cuda(cudaStreamIsCapturing(stream, &status), "cudaStreamIsCapturing");
    const bool captured = status == cudaStreamCaptureStatusActive;
    lab::check_cuda(
        cudaEventRecordWithFlags(event.get(), stream,
                                 captured ? cudaEventRecordExternal : cudaEventRecordDefault),
        "cudaEventRecordWithFlags");
  }

  Event begin_{Event::Kind::times}, end_{Event::Kind::times};
};

}  // namespace aisp::ch11
