// Executable graphs: a copy of the graph that can be launched and edited. Guarded by
// Runtime::mutex.
#pragma once

#include "sim/cudart/graph.hpp"
#include "sim/cudart/stream.hpp"

namespace sim {

struct GraphExec {
  std::shared_ptr<Graph> source;  // that it was instantiated from
  std::shared_ptr<Graph> graph;   // the copy that runs
  CopiesByOrigin copies;          // its nodes by the serials of the source's
  unsigned long long flags = 0;
  bool launched = false;
  MarkPtr last;  // launches of one executable follow each other
};

GraphExec& exec_of(cudaGraphExec_t handle);
// The node that runs for a node of the source. Throws ApiError{cudaErrorInvalidValue}.
GraphNode& node_in(GraphExec& exec, cudaGraphNode_t original);

// Makes the executable's nodes do what the graph's do. Changes nothing when they do not match.
cudaGraphExecUpdateResultInfo update(GraphExec& exec, Graph& graph);

}  // namespace sim
