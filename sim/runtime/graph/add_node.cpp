#include "sim/runtime/graph/add_node.hpp"

#include "sim/runtime/graph/conditional.hpp"
#include "sim/runtime/graph/work.hpp"

namespace aisp::sim {

void check_position(const NodePosition& position) {
  require(position.node != nullptr && (position.count == 0 || position.before != nullptr));
  const Graph& graph = graph_of(position.graph);
  for (std::size_t i = 0; i < position.count; ++i) {
    require(node_of(position.before[i]).graph == &graph);
    for (std::size_t j = 0; j < i; ++j) require(position.before[i] != position.before[j]);
    if (position.edges != nullptr) require_edge(position.edges[i]);
  }
}

GraphNode& add_checked(const NodePosition& position, NodeWork work) {
  Graph& graph = graph_of(position.graph);
  GraphNode& node = graph.add(std::move(work), {});
  for (std::size_t i = 0; i < position.count; ++i)
    graph.connect(node_of(position.before[i]), node,
                  position.edges != nullptr ? position.edges[i] : cudaGraphEdgeData{});
  *position.node = handle_of(node);
  return node;
}

ReleaseCall release_work(const Graph& graph, void* memory) {
  plan_release(graph, memory);
  return {memory};
}

void add_generic_node(const NodePosition& position, cudaGraphNodeParams& parameters) {
  switch (parameters.type) {
    case cudaGraphNodeTypeMemAlloc: {
      auto& alloc = parameters.alloc;
      cudaMemAllocNodeParams plain{};
      plain.poolProps = alloc.poolProps;
      plain.bytesize = alloc.bytesize;
      add_node(position, [&] { return NodeWork(allocate_work(plain)); });
      alloc.dptr = plain.dptr;
      return;
    }
    case cudaGraphNodeTypeMemFree:
      add_node(position, [&] {
        return NodeWork(release_work(graph_of(position.graph), parameters.free.dptr));
      });
      return;
    case cudaGraphNodeTypeGraph:
      if (parameters.graph.ownership == cudaGraphChildGraphOwnershipMove) {
        const auto child = share_graph(parameters.graph.graph);
        require(child->parent == nullptr && handle_of(*child) != position.graph);
        require(!holds_conditional_nodes(*child), cudaErrorNotSupported);
        unpublish_graph(*child);
        add_node(position, [&] { return NodeWork(ChildGraph{child}); });
        return;
      }
      break;
    case cudaGraphNodeTypeConditional: {
      GraphNode& node = add_node(position, [&] {
        return NodeWork(conditional_work(parameters.conditional, graph_of(position.graph)));
      });
      parameters.conditional.phGraph_out = std::get<Conditional>(node.work).handles.data();
      return;
    }
    default:
      break;
  }
  GraphNode& node = add_node(position, [&] { return generic_work(parameters, nullptr); });
  if (parameters.type == cudaGraphNodeTypeKernel) node.symbol = parameters.kernel.func;
  if (parameters.type == cudaGraphNodeTypeGraph)
    parameters.graph.graph = handle_of(*std::get<ChildGraph>(node.work).graph);
}

}  // namespace aisp::sim
