// Stream capture: submissions that become nodes of a graph. Guarded by Runtime::mutex.
#pragma once

#include <memory>
#include <set>
#include <thread>
#include <vector>

#include "sim/runtime/stream/capture_sink.hpp"
#include "sim/runtime/stream/stream.hpp"

namespace aisp::sim {

struct Capture {
  unsigned long long id = 0;
  std::shared_ptr<CaptureSink> sink;
  cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal;
  std::thread::id thread;  // that began it
  Stream* origin = nullptr;
  std::set<Stream*> streams;             // origin and those that joined
  std::vector<GraphNode*> left_behind;   // frontiers of joined streams that were destroyed
  std::vector<GraphNode*> forgiven;      // that a dropped wait would have joined
  std::vector<cudaGraphEdgeData> edges;  // what cudaStreamGetCaptureInfo showed
  bool valid = true, ended = false;
  bool usable() const { return valid && !ended; }
};

// The stream is not capturing: what it captures is invalidated, cudaErrorStreamCaptureUnsupported.
void require_not_capturing(Stream& stream);
// The legacy stream cannot be used while a blocking stream captures; the capture is invalidated.
// `harmless` calls leave it valid. cudaErrorStreamCaptureImplicit.
void require_no_implicit_capture(const Stream& stream, bool harmless = false);
// No capture is under way at all; all are invalidated. cudaErrorStreamCaptureUnsupported.
cudaError_t forbid_while_capturing();
// First thing in every call that a global capture forbids (cudaMalloc, cudaFree, ...): when one is
// under way that concerns this thread, invalidates it and returns
// cudaErrorStreamCaptureUnsupported.
cudaError_t forbid_during_capture();
// The calling thread's; the one before is returned.
cudaStreamCaptureMode exchange_capture_mode(cudaStreamCaptureMode mode);

void begin_capture(Stream& stream, std::shared_ptr<CaptureSink> sink, cudaStreamCaptureMode mode);
std::shared_ptr<CaptureSink> end_capture(Stream& stream);
void leave_capture(Stream& stream);  // it is being destroyed
cudaStreamCaptureStatus capture_status(const Stream& stream);
// The capture of a stream that may add to it. Throws ApiError{cudaErrorStreamCaptureInvalidated}.
Capture& valid_capture(const Stream& stream);

// Adds a node behind the stream's frontier.
void capture_work(Stream& stream, CapturedWork work);
void capture_task(Stream& stream, Task task);
// The next node comes after these as well.
void add_to_frontier(Stream& stream, const std::vector<GraphNode*>& nodes);

}  // namespace aisp::sim
