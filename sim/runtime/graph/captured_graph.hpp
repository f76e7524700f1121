// The graph behind a capture.
#pragma once

#include "sim/runtime/graph/graph.hpp"
#include "sim/runtime/stream/capture.hpp"

namespace aisp::sim {

// Nothing but a graph is ever handed to begin_capture().
inline Graph& captured_graph(const Capture& capture) { return static_cast<Graph&>(*capture.sink); }
inline std::shared_ptr<Graph> end_capture_to_graph(Stream& stream) {
  return std::static_pointer_cast<Graph>(end_capture(stream));
}

}  // namespace aisp::sim
