// Events behind their handles, guarded by Runtime::mutex.
#pragma once

#include <memory>
#include <vector>

#include "sim/cudart/stream.hpp"

namespace sim {

struct Event {
  unsigned flags = 0;
  int device = 0;
  MarkPtr mark;                        // of the last record outside of a capture; null: never
  unsigned long long recorded_in = 0;  // id of the stream of the last record; 0: none
  // Recorded last in a capture, which may have ended since: the nodes it stands for.
  std::shared_ptr<Capture> capture;
  std::vector<GraphNode*> nodes;
};

// Throws ApiError{cudaErrorInvalidResourceHandle}.
Event& event_of(cudaEvent_t handle);
Event* find_event(cudaEvent_t handle);  // null when it is none

void record_event(Event& event, Stream& stream);

}  // namespace sim
