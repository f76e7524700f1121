// The entries that read and change what a node of a graph does.
#include <algorithm>

#include "sim/cudart/entry.hpp"
#include "sim/runtime/graph/work.hpp"
#include "sim/runtime/stream/event.hpp"

using namespace aisp;

using sim::GraphNode;
using sim::KernelCall;
using sim::live_event;
using sim::locked_api;
using sim::node_of;
using sim::require;
using sim::set_work;
using sim::work_of;

namespace {

auto find_attribute(std::vector<cudaLaunchAttribute>& attributes, cudaLaunchAttributeID id) {
  return std::find_if(attributes.begin(), attributes.end(),
                      [&](const cudaLaunchAttribute& known) { return known.id == id; });
}

}  // namespace

cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, cudaGraphNodeType* type) {
  return locked_api([&] {
    require(type != nullptr);
    *type = sim::type_of(node_of(node).work);
  });
}

cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t node, cudaKernelNodeParams* parameters) {
  return locked_api([&] {
    require(parameters != nullptr);
    *parameters = sim::kernel_parameters(node_of(node));
  });
}

cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t handle,
                                         const cudaKernelNodeParams* parameters) {
  return locked_api([&] {
    require(parameters != nullptr);
    GraphNode& node = node_of(handle);
    set_work(node, sim::kernel_work(*parameters, work_of<KernelCall>(node).attributes),
             parameters->func);
  });
}

cudaError_t cudaGraphKernelNodeGetAttribute(cudaGraphNode_t node, cudaLaunchAttributeID id,
                                            cudaLaunchAttributeValue* value) {
  return locked_api([&] {
    require(value != nullptr);
    auto& attributes = work_of<KernelCall>(node_of(node)).attributes;
    const auto found = find_attribute(attributes, id);
    *value = found != attributes.end() ? found->val : cudaLaunchAttributeValue{};
  });
}

cudaError_t cudaGraphKernelNodeSetAttribute(cudaGraphNode_t handle, cudaLaunchAttributeID id,
                                            const cudaLaunchAttributeValue* value) {
  return locked_api([&] {
    require(value != nullptr);
    GraphNode& node = node_of(handle);
    auto attributes = work_of<KernelCall>(node).attributes;
    if (const auto found = find_attribute(attributes, id); found != attributes.end())
      attributes.erase(found);
    cudaLaunchAttribute attribute{};
    attribute.id = id;
    attribute.val = *value;
    attributes.push_back(attribute);
    set_work(node, sim::with_attributes(node, attributes), node.symbol);
  });
}

cudaError_t cudaGraphKernelNodeCopyAttributes(cudaGraphNode_t to, cudaGraphNode_t from) {
  return locked_api([&] {
    GraphNode& node = node_of(to);
    const auto attributes = work_of<KernelCall>(node_of(from)).attributes;
    set_work(node, sim::with_attributes(node, attributes), node.symbol);
  });
}

cudaError_t cudaGraphMemcpyNodeGetParams(cudaGraphNode_t node, cudaMemcpy3DParms* parameters) {
  return locked_api([&] {
    require(parameters != nullptr);
    *parameters = sim::copy_parameters(work_of<sim::CopyCall>(node_of(node)));
  });
}

cudaError_t cudaGraphMemcpyNodeSetParams(cudaGraphNode_t node,
                                         const cudaMemcpy3DParms* parameters) {
  return locked_api([&] { set_work(node_of(node), sim::copy_work(parameters)); });
}

cudaError_t cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void* to, const void* from,
                                           size_t bytes, cudaMemcpyKind kind) {
  return locked_api([&] { set_work(node_of(node), sim::copy_work(to, from, bytes, kind)); });
}

cudaError_t cudaGraphMemcpyNodeSetParamsToSymbol(cudaGraphNode_t node, const void* symbol,
                                                 const void* from, size_t bytes, size_t offset,
                                                 cudaMemcpyKind kind) {
  return locked_api(
      [&] { set_work(node_of(node), sim::copy_to_symbol(symbol, from, bytes, offset, kind)); });
}

cudaError_t cudaGraphMemcpyNodeSetParamsFromSymbol(cudaGraphNode_t node, void* to,
                                                   const void* symbol, size_t bytes, size_t offset,
                                                   cudaMemcpyKind kind) {
  return locked_api(
      [&] { set_work(node_of(node), sim::copy_from_symbol(to, symbol, bytes, offset, kind)); });
}

cudaError_t cudaGraphMemsetNodeGetParams(cudaGraphNode_t node, cudaMemsetParams* parameters) {
  return locked_api([&] {
    require(parameters != nullptr);
    *parameters = sim::fill_parameters(work_of<sim::FillCall>(node_of(node)));
  });
}

cudaError_t cudaGraphMemsetNodeSetParams(cudaGraphNode_t node, const cudaMemsetParams* parameters) {
  return locked_api([&] { set_work(node_of(node), sim::fill_work(parameters)); });
}

cudaError_t cudaGraphHostNodeGetParams(cudaGraphNode_t node, cudaHostNodeParams* parameters) {
  return locked_api([&] {
    require(parameters != nullptr);
    const auto& call = work_of<sim::HostCall>(node_of(node));
    *parameters = {call.function, call.data};
  });
}

cudaError_t cudaGraphHostNodeSetParams(cudaGraphNode_t node, const cudaHostNodeParams* parameters) {
  return locked_api([&] { set_work(node_of(node), sim::host_work(parameters)); });
}

cudaError_t cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t node, cudaGraph_t* graph) {
  return locked_api([&] {
    require(graph != nullptr);
    *graph = sim::handle_of(*work_of<sim::ChildGraph>(node_of(node)).graph);
  });
}

cudaError_t cudaGraphEventRecordNodeGetEvent(cudaGraphNode_t node, cudaEvent_t* event) {
  return locked_api([&] {
    require(event != nullptr);
    *event = work_of<sim::EventRecord>(node_of(node)).event;
  });
}

cudaError_t cudaGraphEventRecordNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event) {
  return locked_api([&] { set_work(node_of(node), sim::EventRecord{live_event(event)}); });
}

cudaError_t cudaGraphEventWaitNodeGetEvent(cudaGraphNode_t node, cudaEvent_t* event) {
  return locked_api([&] {
    require(event != nullptr);
    *event = work_of<sim::EventWait>(node_of(node)).event;
  });
}

cudaError_t cudaGraphEventWaitNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event) {
  return locked_api([&] { set_work(node_of(node), sim::EventWait{live_event(event)}); });
}

cudaError_t cudaGraphMemAllocNodeGetParams(cudaGraphNode_t node,
                                           cudaMemAllocNodeParams* parameters) {
  return locked_api([&] {
    require(parameters != nullptr);
    const auto& call = work_of<sim::AllocateCall>(node_of(node));
    *parameters = {};
    parameters->poolProps.allocType = cudaMemAllocationTypePinned;
    parameters->poolProps.location = {cudaMemLocationTypeDevice, {0}};
    parameters->bytesize = call.bytes;
    parameters->dptr = call.memory;
  });
}

cudaError_t cudaGraphMemFreeNodeGetParams(cudaGraphNode_t node, void* memory) {
  return locked_api([&] {
    require(memory != nullptr);
    *static_cast<void**>(memory) = work_of<sim::ReleaseCall>(node_of(node)).memory;
  });
}

cudaError_t cudaGraphNodeSetParams(cudaGraphNode_t handle, cudaGraphNodeParams* parameters) {
  return locked_api([&] {
    require(parameters != nullptr);
    GraphNode& node = node_of(handle);
    require(sim::type_of(node.work) == parameters->type);
    const bool kernel = parameters->type == cudaGraphNodeTypeKernel;
    set_work(node, sim::generic_work(*parameters, &node),
             kernel ? parameters->kernel.func : nullptr);
  });
}
