// Nodes added to a graph as the API asks for them. Guarded by Runtime::mutex; all throw ApiError.
#pragma once

#include <cstddef>

#include "sim/runtime/graph/graph.hpp"

namespace aisp::sim {

// Where the new node goes: into which graph, behind which nodes; its handle comes back in `node`.
struct NodePosition {
  cudaGraphNode_t* node;
  cudaGraph_t graph;
  const cudaGraphNode_t* before;
  std::size_t count;
  const cudaGraphEdgeData* edges = nullptr;
};

// All arguments are checked before the work is made, and the work before the node is there.
void check_position(const NodePosition& position);
GraphNode& add_checked(const NodePosition& position, NodeWork work);

template <class MakeWork>
GraphNode& add_node(const NodePosition& position, MakeWork make_work) {
  check_position(position);
  return add_checked(position, make_work());
}

// Any type of node, by its generic parameters, which learn what was made.
void add_generic_node(const NodePosition& position, cudaGraphNodeParams& parameters);

// A free node is for memory of an allocation node that nothing else in the graph frees.
ReleaseCall release_work(const Graph& graph, void* memory);

}  // namespace aisp::sim
