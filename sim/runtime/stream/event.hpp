// Events behind their handles, guarded by Runtime::mutex.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sim/runtime/stream/shared_event.hpp"
#include "sim/runtime/stream/stream.hpp"

namespace aisp::sim {

struct Event {
  unsigned flags = 0;
  int device = 0;
  MarkPtr mark;                         // of the last record outside of a capture; null: never
  unsigned long long recorded_in = 0;   // id of the stream of the last record; 0: none
  std::shared_ptr<SharedEvent> shared;  // of several processes; null: of this one alone
  // Recorded last in a capture, which may have ended since: the nodes it stands for.
  std::shared_ptr<Capture> capture;
  std::vector<GraphNode*> nodes;
};

// With cudaEventInterprocess one that others can open, or `shared`, which another one made.
cudaEvent_t create_event(unsigned flags, std::shared_ptr<SharedEvent> shared = nullptr);
void destroy_event(cudaEvent_t handle);
// Throws ApiError{cudaErrorInvalidResourceHandle}.
Event& event_of(cudaEvent_t handle);
Event* find_event(cudaEvent_t handle);       // null when it is none
cudaEvent_t live_event(cudaEvent_t handle);  // itself, or ApiError{cudaErrorInvalidValue}

void record_event(Event& event, Stream& stream);
// What the stream is given next comes after the event, in a graph where it captures.
void wait_for_event(Stream& stream, const Event& event);

// The same for all streams of a context, its default stream included. Throw
// ApiError{cudaErrorStreamCaptureUnsupported} when one of them captures, and end the capture.
void record_event(Event& event, const Context& context);
void wait_for_event(const Context& context, const Event& event);

// The same as nodes of the graph that the stream captures: cudaEventRecordExternal and
// cudaEventWaitExternal. Throw ApiError{cudaErrorIllegalState} when it does not.
void capture_record(Stream& stream, cudaEvent_t handle);
void capture_wait(Stream& stream, cudaEvent_t handle);

// The mark of an event that the host asks about, and whose device's error it learns.
struct EventMark {
  MarkPtr mark;
  int device;
};
EventMark awaited_mark(cudaEvent_t handle);
MarkPtr timed_mark(cudaEvent_t handle);  // of one that has a time

}  // namespace aisp::sim
