// Stream capture: submissions that become nodes of a graph. Guarded by Runtime::mutex.
#pragma once

#include <memory>
#include <set>
#include <thread>
#include <vector>

#include "sim/cudart/graph.hpp"
#include "sim/cudart/stream.hpp"

namespace sim {

struct Event;

struct Capture {
  unsigned long long id = 0;
  std::shared_ptr<Graph> graph;
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

void begin_capture(Stream& stream, std::shared_ptr<Graph> graph, cudaStreamCaptureMode mode);
std::shared_ptr<Graph> end_capture(Stream& stream);
void leave_capture(Stream& stream);  // it is being destroyed

// Adds a node behind the stream's frontier.
void capture_work(Stream& stream, NodeWork work);
void capture_task(Stream& stream, Task task);
// The stream comes after the event, one of which is part of a capture. `dropped`: it becomes part
// of the capture all the same, but comes after nothing.
void join_capture(Stream& stream, const Event& event, bool dropped);

}  // namespace sim
