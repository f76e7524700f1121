// Where captured work goes. Streams know no graphs: a graph is a sink that whoever begins a capture
// hands over.
#pragma once

#include <span>
#include <variant>

#include "sim/runtime/stream/task.hpp"

namespace aisp::sim {

struct GraphNode;

struct EventRecord {
  cudaEvent_t event = nullptr;
};
struct EventWait {
  cudaEvent_t event = nullptr;
};

using CapturedWork = std::variant<KernelCall, CopyCall, FillCall, HostCall, AllocateCall,
                                  ReleaseCall, EventRecord, EventWait>;

class CaptureSink {
 public:
  virtual ~CaptureSink() = default;
  // Adds a node behind `before`.
  virtual GraphNode* add_captured(CapturedWork work, std::span<GraphNode* const> before) = 0;
  // Whether each of `nodes` is one of `ends` or comes before one of them.
  virtual bool lead_to(std::span<GraphNode* const> nodes,
                       std::span<GraphNode* const> ends) const = 0;
};

}  // namespace aisp::sim
