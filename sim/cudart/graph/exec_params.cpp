// The entries that change what a node of an executable graph does, for its next launches.
#include "sim/cudart/entry.hpp"
#include "sim/runtime/graph/exec.hpp"
#include "sim/runtime/graph/work.hpp"
#include "sim/runtime/stream/event.hpp"

using namespace aisp;

using sim::change_node;
using sim::exec_of;
using sim::GraphNode;
using sim::live_event;
using sim::locked_api;
using sim::node_in;
using sim::require;
using sim::work_of;

namespace {

template <class MakeWork>
cudaError_t change(cudaGraphExec_t exec, cudaGraphNode_t node, MakeWork make_work) {
  return locked_api([&] { change_node(node_in(exec_of(exec), node), make_work()); });
}

}  // namespace

cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t handle,
                                             const cudaKernelNodeParams* parameters) {
  return locked_api([&] {
    require(parameters != nullptr);
    GraphNode& node = node_in(exec_of(exec), handle);
    change_node(node, sim::kernel_work(*parameters, work_of<sim::KernelCall>(node).attributes),
                parameters->func);
  });
}

cudaError_t cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const cudaMemcpy3DParms* parameters) {
  return change(exec, node, [&] { return sim::copy_work(parameters); });
}

cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t exec, cudaGraphNode_t node, void* to,
                                               const void* from, size_t bytes,
                                               cudaMemcpyKind kind) {
  return change(exec, node, [&] { return sim::copy_work(to, from, bytes, kind); });
}

cudaError_t cudaGraphExecMemcpyNodeSetParamsToSymbol(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                     const void* symbol, const void* from,
                                                     size_t bytes, size_t offset,
                                                     cudaMemcpyKind kind) {
  return change(exec, node, [&] { return sim::copy_to_symbol(symbol, from, bytes, offset, kind); });
}

cudaError_t cudaGraphExecMemcpyNodeSetParamsFromSymbol(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                       void* to, const void* symbol, size_t bytes,
                                                       size_t offset, cudaMemcpyKind kind) {
  return change(exec, node, [&] { return sim::copy_from_symbol(to, symbol, bytes, offset, kind); });
}

cudaError_t cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const cudaMemsetParams* parameters) {
  return change(exec, node, [&] { return sim::fill_work(parameters); });
}

cudaError_t cudaGraphExecHostNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                           const cudaHostNodeParams* parameters) {
  return change(exec, node, [&] { return sim::host_work(parameters); });
}

cudaError_t cudaGraphExecEventRecordNodeSetEvent(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                 cudaEvent_t event) {
  return change(exec, node, [&] { return sim::EventRecord{live_event(event)}; });
}

cudaError_t cudaGraphExecEventWaitNodeSetEvent(cudaGraphExec_t exec, cudaGraphNode_t node,
                                               cudaEvent_t event) {
  return change(exec, node, [&] { return sim::EventWait{live_event(event)}; });
}

cudaError_t cudaGraphExecChildGraphNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                 cudaGraph_t graph) {
  return locked_api([&] { sim::change_child(node_in(exec_of(exec), node), sim::graph_of(graph)); });
}

cudaError_t cudaGraphExecNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t handle,
                                       cudaGraphNodeParams* parameters) {
  return locked_api([&] {
    require(parameters != nullptr);
    GraphNode& node = node_in(exec_of(exec), handle);
    require(sim::type_of(node.work) == parameters->type);
    if (parameters->type == cudaGraphNodeTypeGraph)
      return sim::change_child(node, sim::graph_of(parameters->graph.graph));
    const bool kernel = parameters->type == cudaGraphNodeTypeKernel;
    change_node(node, sim::generic_work(*parameters, &node),
                kernel ? parameters->kernel.func : nullptr);
  });
}

cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node, unsigned enabled) {
  return locked_api([&] { sim::switchable_node_in(exec_of(exec), node).enabled = enabled != 0; });
}

cudaError_t cudaGraphNodeGetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node, unsigned* enabled) {
  return locked_api([&] {
    require(enabled != nullptr);
    *enabled = sim::switchable_node_in(exec_of(exec), node).enabled;
  });
}
