// Nodes that need no parameters of their own kind: empty ones, events, other graphs, memory.
#include "sim/cuda/driver.hpp"

using namespace aisp::sim::driver;

CUresult cuGraphAddEmptyNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* before,
                             size_t count) {
  return initialised([&] { return cudaGraphAddEmptyNode(node, graph, before, count); });
}

CUresult cuGraphAddChildGraphNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* before,
                                  size_t count, CUgraph child) {
  return initialised([&] { return cudaGraphAddChildGraphNode(node, graph, before, count, child); });
}

CUresult cuGraphChildGraphNodeGetGraph(CUgraphNode node, CUgraph* graph) {
  return initialised([&] { return cudaGraphChildGraphNodeGetGraph(node, graph); });
}

CUresult cuGraphExecChildGraphNodeSetParams(CUgraphExec exec, CUgraphNode node, CUgraph child) {
  return initialised([&] { return cudaGraphExecChildGraphNodeSetParams(exec, node, child); });
}

CUresult cuGraphAddEventRecordNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* before,
                                   size_t count, CUevent event) {
  return initialised(
      [&] { return cudaGraphAddEventRecordNode(node, graph, before, count, event); });
}

CUresult cuGraphEventRecordNodeGetEvent(CUgraphNode node, CUevent* event) {
  return initialised([&] { return cudaGraphEventRecordNodeGetEvent(node, event); });
}

CUresult cuGraphEventRecordNodeSetEvent(CUgraphNode node, CUevent event) {
  return initialised([&] { return cudaGraphEventRecordNodeSetEvent(node, event); });
}

CUresult cuGraphExecEventRecordNodeSetEvent(CUgraphExec exec, CUgraphNode node, CUevent event) {
  return initialised([&] { return cudaGraphExecEventRecordNodeSetEvent(exec, node, event); });
}

CUresult cuGraphAddEventWaitNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* before,
                                 size_t count, CUevent event) {
  return initialised([&] { return cudaGraphAddEventWaitNode(node, graph, before, count, event); });
}

CUresult cuGraphEventWaitNodeGetEvent(CUgraphNode node, CUevent* event) {
  return initialised([&] { return cudaGraphEventWaitNodeGetEvent(node, event); });
}

CUresult cuGraphEventWaitNodeSetEvent(CUgraphNode node, CUevent event) {
  return initialised([&] { return cudaGraphEventWaitNodeSetEvent(node, event); });
}

CUresult cuGraphExecEventWaitNodeSetEvent(CUgraphExec exec, CUgraphNode node, CUevent event) {
  return initialised([&] { return cudaGraphExecEventWaitNodeSetEvent(exec, node, event); });
}

CUresult cuGraphAddMemAllocNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* before,
                                size_t count, CUDA_MEM_ALLOC_NODE_PARAMS* parameters) {
  return initialised([&] {
    return cudaGraphAddMemAllocNode(node, graph, before, count,
                                    same<cudaMemAllocNodeParams>(parameters));
  });
}

CUresult cuGraphMemAllocNodeGetParams(CUgraphNode node, CUDA_MEM_ALLOC_NODE_PARAMS* parameters) {
  return initialised([&] {
    return cudaGraphMemAllocNodeGetParams(node, same<cudaMemAllocNodeParams>(parameters));
  });
}

CUresult cuGraphAddMemFreeNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* before,
                               size_t count, CUdeviceptr memory) {
  return initialised(
      [&] { return cudaGraphAddMemFreeNode(node, graph, before, count, pointer_of(memory)); });
}

CUresult cuGraphMemFreeNodeGetParams(CUgraphNode node, CUdeviceptr* memory) {
  return initialised([&] { return cudaGraphMemFreeNodeGetParams(node, memory); });
}
