// The entries that change what a node of an executable graph does, for its next launches.
#include "sim/cudart/event.hpp"
#include "sim/cudart/graph_exec.hpp"
#include "sim/cudart/graph_work.hpp"

using sim::exec_of;
using sim::graph_api;
using sim::GraphNode;
using sim::node_in;
using sim::NodeWork;
using sim::require;
using sim::work_of;

namespace {

void change(GraphNode& node, NodeWork work, const void* symbol = nullptr) {
  require(node.work.index() == work.index() && sim::updatable(node.work, work));
  sim::set_work(node, std::move(work), symbol);
}

template <class MakeWork>
cudaError_t change_node(cudaGraphExec_t exec, cudaGraphNode_t node, MakeWork make_work) {
  return graph_api([&] { change(node_in(exec_of(exec), node), make_work()); });
}

cudaEvent_t live(cudaEvent_t event) {
  require(sim::find_event(event) != nullptr);
  return event;
}

// A child graph is updated node by node, as a whole graph is.
void change_child(GraphNode& node, sim::Graph& graph) {
  sim::GraphExec inner;
  inner.graph = work_of<sim::ChildGraph>(node).graph;
  require(sim::update(inner, graph).result == cudaGraphExecUpdateSuccess);
}

GraphNode& switchable(cudaGraphExec_t exec, cudaGraphNode_t handle) {
  GraphNode& node = node_in(exec_of(exec), handle);
  require(std::holds_alternative<sim::KernelCall>(node.work) ||
          std::holds_alternative<sim::CopyCall>(node.work) ||
          std::holds_alternative<sim::FillCall>(node.work));
  return node;
}

}  // namespace

cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t handle,
                                             const cudaKernelNodeParams* parameters) {
  return graph_api([&] {
    require(parameters != nullptr);
    GraphNode& node = node_in(exec_of(exec), handle);
    change(node, sim::kernel_work(*parameters, work_of<sim::KernelCall>(node).attributes),
           parameters->func);
  });
}

cudaError_t cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const cudaMemcpy3DParms* parameters) {
  return change_node(exec, node, [&] { return sim::copy_work(parameters); });
}

cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t exec, cudaGraphNode_t node, void* to,
                                               const void* from, size_t bytes,
                                               cudaMemcpyKind kind) {
  return change_node(exec, node, [&] { return sim::copy_work(to, from, bytes, kind); });
}

cudaError_t cudaGraphExecMemcpyNodeSetParamsToSymbol(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                     const void* symbol, const void* from,
                                                     size_t bytes, size_t offset,
                                                     cudaMemcpyKind kind) {
  return change_node(exec, node,
                     [&] { return sim::copy_to_symbol(symbol, from, bytes, offset, kind); });
}

cudaError_t cudaGraphExecMemcpyNodeSetParamsFromSymbol(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                       void* to, const void* symbol, size_t bytes,
                                                       size_t offset, cudaMemcpyKind kind) {
  return change_node(exec, node,
                     [&] { return sim::copy_from_symbol(to, symbol, bytes, offset, kind); });
}

cudaError_t cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const cudaMemsetParams* parameters) {
  return change_node(exec, node, [&] { return sim::fill_work(parameters); });
}

cudaError_t cudaGraphExecHostNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                           const cudaHostNodeParams* parameters) {
  return change_node(exec, node, [&] { return sim::host_work(parameters); });
}

cudaError_t cudaGraphExecEventRecordNodeSetEvent(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                 cudaEvent_t event) {
  return change_node(exec, node, [&] { return sim::EventRecord{live(event)}; });
}

cudaError_t cudaGraphExecEventWaitNodeSetEvent(cudaGraphExec_t exec, cudaGraphNode_t node,
                                               cudaEvent_t event) {
  return change_node(exec, node, [&] { return sim::EventWait{live(event)}; });
}

cudaError_t cudaGraphExecChildGraphNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                 cudaGraph_t graph) {
  return graph_api([&] { change_child(node_in(exec_of(exec), node), sim::graph_of(graph)); });
}

cudaError_t cudaGraphExecNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t handle,
                                       cudaGraphNodeParams* parameters) {
  return graph_api([&] {
    require(parameters != nullptr);
    GraphNode& node = node_in(exec_of(exec), handle);
    require(sim::type_of(node.work) == parameters->type);
    if (parameters->type == cudaGraphNodeTypeGraph)
      return change_child(node, sim::graph_of(parameters->graph.graph));
    const bool kernel = parameters->type == cudaGraphNodeTypeKernel;
    change(node, sim::generic_work(*parameters, &node), kernel ? parameters->kernel.func : nullptr);
  });
}

cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node, unsigned enabled) {
  return graph_api([&] { switchable(exec, node).enabled = enabled != 0; });
}

cudaError_t cudaGraphNodeGetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node, unsigned* enabled) {
  return graph_api([&] {
    require(enabled != nullptr);
    *enabled = switchable(exec, node).enabled;
  });
}
