// Graphs: nodes that describe device work as data, and edges. Guarded by Runtime::mutex.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <unordered_map>
#include <variant>
#include <vector>

#include "sim/runtime/graph/user_object.hpp"
#include "sim/runtime/launch/condition.hpp"
#include "sim/runtime/stream/capture_sink.hpp"

namespace aisp::sim {

struct Graph;
struct GraphNode;

struct ChildGraph {
  std::shared_ptr<Graph> graph;
};

// Which of its bodies runs, and how often, is decided when the node is reached.
struct Conditional {
  std::shared_ptr<Condition> condition;
  cudaGraphConditionalNodeType type = cudaGraphCondTypeIf;
  std::vector<std::shared_ptr<Graph>> bodies;
  std::vector<cudaGraph_t> handles{};  // of the bodies, as the program is shown them
};

// monostate: an empty node.
using NodeWork =
    std::variant<std::monostate, KernelCall, CopyCall, FillCall, HostCall, AllocateCall,
                 ReleaseCall, ChildGraph, EventRecord, EventWait, Conditional>;

struct Edge {
  GraphNode* node = nullptr;
  cudaGraphEdgeData data{};
};

struct GraphNode {
  Graph* graph = nullptr;
  std::uint64_t serial = 0, origin = 0;  // its own, and that of the node it is a copy of
  NodeWork work;
  std::vector<Edge> before, after;
  bool enabled = true;
  const void* symbol = nullptr;  // a kernel as the program named it
  std::vector<void*> pointers;   // to the arguments in a KernelCall, for queries
  std::shared_ptr<void> memory;  // of AllocateCall, ReleaseCall: lives as long as any copy does
};

// What a stream captures becomes nodes of it.
struct Graph final : CaptureSink, std::enable_shared_from_this<Graph> {
  Graph();
  ~Graph() override;
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  GraphNode& add(NodeWork work, std::span<GraphNode* const> before);
  void connect(GraphNode& from, GraphNode& to, const cudaGraphEdgeData& data);  // refuses doubles
  void disconnect(GraphNode& from, GraphNode& to);
  void erase(GraphNode& node);

  GraphNode* add_captured(CapturedWork work, std::span<GraphNode* const> before) override;
  bool lead_to(std::span<GraphNode* const> nodes, std::span<GraphNode* const> ends) const override;

  std::vector<std::unique_ptr<GraphNode>> nodes;       // in the order of creation
  const GraphNode* parent = nullptr;                   // of a child graph or body
  std::vector<std::shared_ptr<Condition>> conditions;  // made for it
  int executables = 0;                                 // instantiated and alive
  std::map<UserObject*, unsigned> user_objects;        // and how many references it has of each
};

// Handles. They throw ApiError{cudaErrorInvalidValue}.
Graph& graph_of(cudaGraph_t handle);
GraphNode& node_of(cudaGraphNode_t handle);
std::shared_ptr<Graph> share_graph(cudaGraph_t handle);
cudaGraph_t publish_graph(std::shared_ptr<Graph> graph);  // the program owns it from here on
void unpublish_graph(Graph& graph);
inline cudaGraph_t handle_of(Graph& graph) { return reinterpret_cast<cudaGraph_t>(&graph); }
inline cudaGraphNode_t handle_of(GraphNode& node) {
  return reinterpret_cast<cudaGraphNode_t>(&node);
}

using CopiesByOrigin = std::unordered_map<std::uint64_t, GraphNode*>;
// A copy with child graphs in depth. `copies`: every copied node by the serial of its original.
std::shared_ptr<Graph> clone_graph(const Graph& graph, CopiesByOrigin* copies = nullptr);

// An order that respects the edges, otherwise that of creation. Throws
// ApiError{cudaErrorInvalidValue} when there is a cycle.
std::vector<GraphNode*> ordered(const Graph& graph);

cudaGraphNodeType type_of(const NodeWork& work);
bool holds_memory_nodes(const Graph& graph);
// Whether it, or the graph that it is part of, has the node that allocates the memory.
bool owns_memory(const Graph& graph, const void* memory);
// The graph is to free the memory. Throws ApiError where CUDA does not let it.
void plan_release(const Graph& graph, void* memory);
std::vector<Graph*> inner_graphs(const GraphNode& node);  // a child graph, or bodies

// Whether `test` holds for a node of the graph or of the graphs inside it.
template <class Test>
bool any_node(const Graph& graph, const Test& test) {
  for (const auto& node : graph.nodes) {
    if (test(*node)) return true;
    for (const Graph* inner : inner_graphs(*node))
      if (any_node(*inner, test)) return true;
  }
  return false;
}

// Annotations other than the default are for kernels; the simulator needs none of them.
void require_edge(const cudaGraphEdgeData& edge);

}  // namespace aisp::sim
