// The entries that add nodes to a graph and take them away.
#include "sim/cudart/entry.hpp"
#include "sim/runtime/graph/add_node.hpp"
#include "sim/runtime/graph/work.hpp"
#include "sim/runtime/stream/event.hpp"

using namespace aisp;

using sim::graph_of;
using sim::live_event;
using sim::locked_api;
using sim::require;

namespace {

template <class MakeWork>
cudaError_t add(const sim::NodePosition& position, MakeWork make_work) {
  return locked_api([&] { sim::add_node(position, make_work); });
}

}  // namespace

cudaError_t cudaGraphDestroyNode(cudaGraphNode_t handle) {
  return locked_api([&] {
    sim::GraphNode& node = sim::node_of(handle);
    require(!sim::holds_memory_nodes(*node.graph), cudaErrorNotSupported);
    node.graph->erase(node);
  });
}

cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                   const cudaGraphNode_t* before, size_t count,
                                   const cudaKernelNodeParams* parameters) {
  return locked_api([&] {
    require(parameters != nullptr);
    sim::add_node({node, graph, before, count}, [&] {
      return sim::kernel_work(*parameters, {});
    }).symbol = parameters->func;
  });
}

cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                   const cudaGraphNode_t* before, size_t count,
                                   const cudaMemcpy3DParms* parameters) {
  return add({node, graph, before, count}, [&] { return sim::copy_work(parameters); });
}

cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t* node, cudaGraph_t graph,
                                     const cudaGraphNode_t* before, size_t count, void* to,
                                     const void* from, size_t bytes, cudaMemcpyKind kind) {
  return add({node, graph, before, count}, [&] { return sim::copy_work(to, from, bytes, kind); });
}

cudaError_t cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t* node, cudaGraph_t graph,
                                           const cudaGraphNode_t* before, size_t count,
                                           const void* symbol, const void* from, size_t bytes,
                                           size_t offset, cudaMemcpyKind kind) {
  return add({node, graph, before, count},
             [&] { return sim::copy_to_symbol(symbol, from, bytes, offset, kind); });
}

cudaError_t cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t* node, cudaGraph_t graph,
                                             const cudaGraphNode_t* before, size_t count, void* to,
                                             const void* symbol, size_t bytes, size_t offset,
                                             cudaMemcpyKind kind) {
  return add({node, graph, before, count},
             [&] { return sim::copy_from_symbol(to, symbol, bytes, offset, kind); });
}

cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                   const cudaGraphNode_t* before, size_t count,
                                   const cudaMemsetParams* parameters) {
  return add({node, graph, before, count}, [&] { return sim::fill_work(parameters); });
}

cudaError_t cudaGraphAddHostNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                 const cudaGraphNode_t* before, size_t count,
                                 const cudaHostNodeParams* parameters) {
  return add({node, graph, before, count}, [&] { return sim::host_work(parameters); });
}

cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                       const cudaGraphNode_t* before, size_t count,
                                       cudaGraph_t child) {
  return add({node, graph, before, count}, [&] { return sim::child_work(graph_of(child)); });
}

cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                  const cudaGraphNode_t* before, size_t count) {
  return add({node, graph, before, count}, [] { return std::monostate{}; });
}

cudaError_t cudaGraphAddEventRecordNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                        const cudaGraphNode_t* before, size_t count,
                                        cudaEvent_t event) {
  return add({node, graph, before, count}, [&] { return sim::EventRecord{live_event(event)}; });
}

cudaError_t cudaGraphAddEventWaitNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                      const cudaGraphNode_t* before, size_t count,
                                      cudaEvent_t event) {
  return add({node, graph, before, count}, [&] { return sim::EventWait{live_event(event)}; });
}

cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                     const cudaGraphNode_t* before, size_t count,
                                     cudaMemAllocNodeParams* parameters) {
  return add({node, graph, before, count}, [&] {
    require(parameters != nullptr);
    return sim::allocate_work(*parameters);
  });
}

cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                    const cudaGraphNode_t* before, size_t count, void* memory) {
  return add({node, graph, before, count},
             [&] { return sim::release_work(graph_of(graph), memory); });
}

cudaError_t cudaGraphAddNode(cudaGraphNode_t* node, cudaGraph_t graph,
                             const cudaGraphNode_t* before, const cudaGraphEdgeData* edges,
                             size_t count, cudaGraphNodeParams* parameters) {
  return locked_api([&] {
    require(parameters != nullptr);
    sim::add_generic_node({node, graph, before, count, edges}, *parameters);
  });
}
