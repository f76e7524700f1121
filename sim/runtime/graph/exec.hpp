// Executable graphs: a copy of the graph that can be launched and edited. Guarded by
// Runtime::mutex.
#pragma once

#include "sim/runtime/graph/graph.hpp"
#include "sim/runtime/stream/stream.hpp"

namespace aisp::sim {

struct GraphExec {
  std::shared_ptr<Graph> source;  // that it was instantiated from
  std::shared_ptr<Graph> graph;   // the copy that runs
  CopiesByOrigin copies;          // its nodes by the serials of the source's
  unsigned long long flags = 0;
  MarkPtr last;  // launches of one executable follow each other
};

// All of these throw ApiError.
cudaGraphExec_t instantiate(Graph& graph, unsigned long long flags);
void destroy_exec(cudaGraphExec_t handle);
GraphExec& exec_of(cudaGraphExec_t handle);
// The node that runs for a node of the source.
GraphNode& node_in(GraphExec& exec, cudaGraphNode_t original);
// The same, of a type that can be switched off.
GraphNode& switchable_node_in(GraphExec& exec, cudaGraphNode_t original);

// On a capturing stream it becomes a child graph of what is captured.
void launch_graph(GraphExec& exec, Stream& stream);

// Gives a node of an executable other work of its type.
void change_node(GraphNode& node, NodeWork work, const void* symbol = nullptr);
// A child graph is updated node by node, as a whole graph is.
void change_child(GraphNode& node, Graph& graph);
// Makes the executable's nodes do what the graph's do. Changes nothing when they do not match.
cudaGraphExecUpdateResultInfo update(GraphExec& exec, Graph& graph);

}  // namespace aisp::sim
