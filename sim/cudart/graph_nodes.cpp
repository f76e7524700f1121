// The entries that add nodes to a graph and take them away.
#include "sim/cudart/event.hpp"
#include "sim/cudart/graph_condition.hpp"
#include "sim/cudart/graph_work.hpp"

using sim::graph_api;
using sim::graph_of;
using sim::GraphNode;
using sim::NodeWork;
using sim::require;

namespace {

struct Place {
  cudaGraphNode_t* node;
  cudaGraph_t graph;
  const cudaGraphNode_t* before;
  size_t count;
  const cudaGraphEdgeData* edges = nullptr;
};

// All arguments are checked before the node is there.
template <class MakeWork>
GraphNode& add(const Place& place, MakeWork make_work) {
  require(place.node != nullptr && (place.count == 0 || place.before != nullptr));
  sim::Graph& graph = graph_of(place.graph);
  for (size_t i = 0; i < place.count; ++i) {
    require(sim::node_of(place.before[i]).graph == &graph);
    for (size_t j = 0; j < i; ++j) require(place.before[i] != place.before[j]);
    if (place.edges != nullptr) sim::require_edge(place.edges[i]);
  }
  GraphNode& node = graph.add(make_work(), {});
  for (size_t i = 0; i < place.count; ++i)
    graph.connect(sim::node_of(place.before[i]), node,
                  place.edges != nullptr ? place.edges[i] : cudaGraphEdgeData{});
  *place.node = sim::handle_of(node);
  return node;
}

template <class MakeWork>
cudaError_t add_node(const Place& place, MakeWork make_work) {
  return graph_api([&] { add(place, make_work); });
}

cudaEvent_t live(cudaEvent_t event) {
  require(sim::find_event(event) != nullptr);
  return event;
}

// A free node is for memory of an allocation node that nothing else in the graph frees.
sim::ReleaseCall release_work(const sim::Graph& graph, void* memory) {
  bool allocated = false;
  for (const auto& node : graph.nodes) {
    const auto* made = std::get_if<sim::AllocateCall>(&node->work);
    allocated |= made != nullptr && made->memory == memory;
    const auto* freed = std::get_if<sim::ReleaseCall>(&node->work);
    require(freed == nullptr || freed->memory != memory);
  }
  require(allocated);
  return {memory};
}

void add_generic(const Place& place, cudaGraphNodeParams& parameters) {
  switch (parameters.type) {
    case cudaGraphNodeTypeMemAlloc: {
      auto& alloc = parameters.alloc;
      cudaMemAllocNodeParams plain{};
      plain.poolProps = alloc.poolProps;
      plain.bytesize = alloc.bytesize;
      add(place, [&] { return NodeWork(sim::allocate_work(plain)); });
      alloc.dptr = plain.dptr;
      return;
    }
    case cudaGraphNodeTypeMemFree:
      add(place,
          [&] { return NodeWork(release_work(graph_of(place.graph), parameters.free.dptr)); });
      return;
    case cudaGraphNodeTypeGraph:
      if (parameters.graph.ownership == cudaGraphChildGraphOwnershipMove) {
        const auto child = sim::share_graph(parameters.graph.graph);
        require(child->parent == nullptr && handle_of(*child) != place.graph);
        require(!sim::holds_conditional_nodes(*child), cudaErrorNotSupported);
        sim::unpublish_graph(*child);
        add(place, [&] { return NodeWork(sim::ChildGraph{child}); });
        return;
      }
      break;
    case cudaGraphNodeTypeConditional: {
      GraphNode& node = add(place, [&] {
        return NodeWork(sim::conditional_work(parameters.conditional, graph_of(place.graph)));
      });
      parameters.conditional.phGraph_out = std::get<sim::Conditional>(node.work).handles.data();
      return;
    }
    default:
      break;
  }
  GraphNode& node = add(place, [&] { return sim::generic_work(parameters, nullptr); });
  if (parameters.type == cudaGraphNodeTypeKernel) node.symbol = parameters.kernel.func;
  if (parameters.type == cudaGraphNodeTypeGraph)
    parameters.graph.graph = sim::handle_of(*std::get<sim::ChildGraph>(node.work).graph);
}

}  // namespace

cudaError_t cudaGraphCreate(cudaGraph_t* graph, unsigned flags) {
  return graph_api([&] {
    require(graph != nullptr && flags == 0);
    *graph = sim::publish_graph(std::make_shared<sim::Graph>());
  });
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  return graph_api([&] { sim::unpublish_graph(graph_of(graph)); });
}

cudaError_t cudaGraphClone(cudaGraph_t* clone, cudaGraph_t original) {
  return graph_api([&] {
    require(clone != nullptr);
    const sim::Graph& graph = graph_of(original);
    require(!sim::holds_memory_nodes(graph) && !sim::holds_conditional_nodes(graph),
            cudaErrorNotSupported);
    *clone = sim::publish_graph(sim::clone_graph(graph));
  });
}

cudaError_t cudaGraphDestroyNode(cudaGraphNode_t handle) {
  return graph_api([&] {
    GraphNode& node = sim::node_of(handle);
    require(!std::holds_alternative<sim::AllocateCall>(node.work) &&
                !std::holds_alternative<sim::ReleaseCall>(node.work),
            cudaErrorNotSupported);
    node.graph->erase(node);
  });
}

cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                   const cudaGraphNode_t* before, size_t count,
                                   const cudaKernelNodeParams* parameters) {
  return graph_api([&] {
    require(parameters != nullptr);
    add({node, graph, before, count}, [&] { return sim::kernel_work(*parameters, {}); }).symbol =
        parameters->func;
  });
}

cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                   const cudaGraphNode_t* before, size_t count,
                                   const cudaMemcpy3DParms* parameters) {
  return add_node({node, graph, before, count}, [&] { return sim::copy_work(parameters); });
}

cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t* node, cudaGraph_t graph,
                                     const cudaGraphNode_t* before, size_t count, void* to,
                                     const void* from, size_t bytes, cudaMemcpyKind kind) {
  return add_node({node, graph, before, count},
                  [&] { return sim::copy_work(to, from, bytes, kind); });
}

cudaError_t cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t* node, cudaGraph_t graph,
                                           const cudaGraphNode_t* before, size_t count,
                                           const void* symbol, const void* from, size_t bytes,
                                           size_t offset, cudaMemcpyKind kind) {
  return add_node({node, graph, before, count},
                  [&] { return sim::copy_to_symbol(symbol, from, bytes, offset, kind); });
}

cudaError_t cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t* node, cudaGraph_t graph,
                                             const cudaGraphNode_t* before, size_t count, void* to,
                                             const void* symbol, size_t bytes, size_t offset,
                                             cudaMemcpyKind kind) {
  return add_node({node, graph, before, count},
                  [&] { return sim::copy_from_symbol(to, symbol, bytes, offset, kind); });
}

cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                   const cudaGraphNode_t* before, size_t count,
                                   const cudaMemsetParams* parameters) {
  return add_node({node, graph, before, count}, [&] { return sim::fill_work(parameters); });
}

cudaError_t cudaGraphAddHostNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                 const cudaGraphNode_t* before, size_t count,
                                 const cudaHostNodeParams* parameters) {
  return add_node({node, graph, before, count}, [&] { return sim::host_work(parameters); });
}

cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                       const cudaGraphNode_t* before, size_t count,
                                       cudaGraph_t child) {
  return add_node({node, graph, before, count}, [&] { return sim::child_work(graph_of(child)); });
}

cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                  const cudaGraphNode_t* before, size_t count) {
  return add_node({node, graph, before, count}, [] { return std::monostate{}; });
}

cudaError_t cudaGraphAddEventRecordNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                        const cudaGraphNode_t* before, size_t count,
                                        cudaEvent_t event) {
  return add_node({node, graph, before, count}, [&] { return sim::EventRecord{live(event)}; });
}

cudaError_t cudaGraphAddEventWaitNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                      const cudaGraphNode_t* before, size_t count,
                                      cudaEvent_t event) {
  return add_node({node, graph, before, count}, [&] { return sim::EventWait{live(event)}; });
}

cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                     const cudaGraphNode_t* before, size_t count,
                                     cudaMemAllocNodeParams* parameters) {
  return add_node({node, graph, before, count}, [&] {
    require(parameters != nullptr);
    return sim::allocate_work(*parameters);
  });
}

cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                    const cudaGraphNode_t* before, size_t count, void* memory) {
  return add_node({node, graph, before, count},
                  [&] { return release_work(graph_of(graph), memory); });
}

cudaError_t cudaGraphAddNode(cudaGraphNode_t* node, cudaGraph_t graph,
                             const cudaGraphNode_t* before, const cudaGraphEdgeData* edges,
                             size_t count, cudaGraphNodeParams* parameters) {
  return graph_api([&] {
    require(parameters != nullptr);
    add_generic({node, graph, before, count, edges}, *parameters);
  });
}
