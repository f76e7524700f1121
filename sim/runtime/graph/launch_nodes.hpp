// The work of a graph, handed to the executor.
#pragma once

#include "sim/runtime/graph/graph.hpp"
#include "sim/runtime/stream/stream.hpp"

namespace aisp::sim {

// Submits all nodes behind `start`; the marks of those that nothing in the graph waits for. Bodies
// of conditional nodes follow when the executor reaches them.
std::vector<MarkPtr> launch_nodes(const Graph& graph, const Stream& stream, const MarkPtr& start);

}  // namespace aisp::sim
