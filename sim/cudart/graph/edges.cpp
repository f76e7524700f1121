// The entries that show and change how the nodes of a graph hang together.
#include <algorithm>

#include "sim/cudart/entry.hpp"
#include "sim/runtime/graph/graph.hpp"

using namespace aisp;

using sim::Edge;
using sim::graph_of;
using sim::GraphNode;
using sim::handle_of;
using sim::locked_api;
using sim::node_of;
using sim::require;

namespace {

bool plain(const cudaGraphEdgeData& data) {
  return data.from_port == 0 && data.to_port == 0 && data.type == 0;
}

// Fills an array of the caller's as all these queries do: no array asks for the number, entries
// left over become null.
void give(const std::vector<GraphNode*>& nodes, cudaGraphNode_t* to, size_t* count) {
  require(count != nullptr);
  if (to != nullptr) {
    for (size_t i = 0; i < *count; ++i) to[i] = i < nodes.size() ? handle_of(*nodes[i]) : nullptr;
    *count = std::min(*count, nodes.size());
  } else {
    *count = nodes.size();
  }
}

void give(const std::vector<Edge>& edges, cudaGraphNode_t* to, cudaGraphEdgeData* data,
          size_t* count) {
  std::vector<GraphNode*> nodes;
  for (const Edge& edge : edges) {
    require(to == nullptr || data != nullptr || plain(edge.data), cudaErrorLossyQuery);
    nodes.push_back(edge.node);
  }
  give(nodes, to, count);
  for (size_t i = 0; to != nullptr && data != nullptr && i < *count; ++i) data[i] = edges[i].data;
}

template <class Change>
cudaError_t change_edges(cudaGraph_t handle, const cudaGraphNode_t* from, const cudaGraphNode_t* to,
                         size_t count, Change change) {
  return locked_api([&] {
    sim::Graph& graph = graph_of(handle);
    require(count == 0 || (from != nullptr && to != nullptr));
    for (size_t i = 0; i < count; ++i) change(graph, node_of(from[i]), node_of(to[i]), i);
  });
}

}  // namespace

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, size_t* count) {
  return locked_api([&] {
    std::vector<GraphNode*> all;
    for (const auto& node : graph_of(graph).nodes) all.push_back(node.get());
    give(all, nodes, count);
  });
}

cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, size_t* count) {
  return locked_api([&] {
    std::vector<GraphNode*> roots;
    for (const auto& node : graph_of(graph).nodes)
      if (node->before.empty()) roots.push_back(node.get());
    give(roots, nodes, count);
  });
}

cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t* from, cudaGraphNode_t* to,
                              cudaGraphEdgeData* data, size_t* count) {
  return locked_api([&] {
    require(count != nullptr && (from == nullptr) == (to == nullptr));
    require(data == nullptr || from != nullptr);
    std::vector<GraphNode*> sources;
    std::vector<Edge> targets;
    for (const auto& node : graph_of(graph).nodes)
      for (const Edge& edge : node->after) {
        sources.push_back(node.get());
        targets.push_back(edge);
      }
    size_t room = *count;
    give(sources, from, &room);
    give(targets, to, data, count);
  });
}

cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t* nodes,
                                         cudaGraphEdgeData* data, size_t* count) {
  return locked_api([&] { give(node_of(node).before, nodes, data, count); });
}

cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t* nodes,
                                           cudaGraphEdgeData* data, size_t* count) {
  return locked_api([&] { give(node_of(node).after, nodes, data, count); });
}

cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t* from,
                                     const cudaGraphNode_t* to, const cudaGraphEdgeData* data,
                                     size_t count) {
  return change_edges(
      graph, from, to, count, [&](sim::Graph& of, GraphNode& first, GraphNode& second, size_t i) {
        const cudaGraphEdgeData edge = data != nullptr ? data[i] : cudaGraphEdgeData{};
        sim::require_edge(edge);
        of.connect(first, second, edge);
      });
}

cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t* from,
                                        const cudaGraphNode_t* to, const cudaGraphEdgeData*,
                                        size_t count) {
  return change_edges(graph, from, to, count,
                      [](sim::Graph& of, GraphNode& first, GraphNode& second, size_t) {
                        require(!sim::holds_memory_nodes(of), cudaErrorNotSupported);
                        of.disconnect(first, second);
                      });
}

cudaError_t cudaGraphNodeFindInClone(cudaGraphNode_t* found, cudaGraphNode_t original,
                                     cudaGraph_t clone) {
  return locked_api([&] {
    require(found != nullptr);
    const std::uint64_t serial = node_of(original).serial;
    const auto& nodes = graph_of(clone).nodes;
    const auto node = std::find_if(nodes.begin(), nodes.end(),
                                   [&](const auto& own) { return own->origin == serial; });
    require(node != nodes.end());
    *found = handle_of(**node);
  });
}
