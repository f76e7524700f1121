// Event nodes, child graphs, host functions and empty nodes; clones, edges, and nodes switched off.
#include <cstdio>
#include <vector>

#include "check.hpp"

__global__ void add(int* value, int much) { *value += much; }

static void note(void* data) {
  auto& list = *static_cast<std::vector<int>*>(data);
  list.push_back(static_cast<int>(list.size()));
}

static cudaKernelNodeParams adding(void** arguments) {
  cudaKernelNodeParams parameters{};
  parameters.func = reinterpret_cast<void*>(add);
  parameters.gridDim = parameters.blockDim = dim3(1);
  parameters.kernelParams = arguments;
  return parameters;
}

int main() {
  cudaStream_t stream, other;
  CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  CHECK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
  cudaEvent_t start, done;
  CHECK(cudaEventCreate(&start));
  CHECK(cudaEventCreate(&done));
  int* value = nullptr;
  CHECK(cudaMallocManaged(&value, sizeof(int)));
  *value = 0;
  std::vector<int> called;

  cudaGraph_t child, graph;
  cudaGraphNode_t inner, waited, middle, nested, recorded, host;
  int much = 5;
  void* arguments[] = {&value, &much};
  cudaKernelNodeParams kernel = adding(arguments);
  CHECK(cudaGraphCreate(&child, 0));
  CHECK(cudaGraphAddKernelNode(&inner, child, nullptr, 0, &kernel));
  CHECK(cudaGraphCreate(&graph, 0));
  CHECK(cudaGraphAddEventWaitNode(&waited, graph, nullptr, 0, start));
  CHECK(cudaGraphAddEmptyNode(&middle, graph, &waited, 1));
  CHECK(cudaGraphAddChildGraphNode(&nested, graph, &middle, 1, child));
  CHECK(cudaGraphAddEventRecordNode(&recorded, graph, &nested, 1, done));
  cudaHostNodeParams function{note, &called};
  CHECK(cudaGraphAddHostNode(&host, graph, &recorded, 1, &function));

  cudaEvent_t told = nullptr;
  CHECK(cudaGraphEventWaitNodeGetEvent(waited, &told));
  EXPECT(told == start);
  cudaGraph_t embedded = nullptr;
  CHECK(cudaGraphChildGraphNodeGetGraph(nested, &embedded));
  std::size_t count = 0;
  CHECK(cudaGraphGetNodes(embedded, nullptr, &count));
  EXPECT(count == 1);
  CHECK(cudaGraphGetEdges(graph, nullptr, nullptr, nullptr, &count));
  EXPECT(count == 4);
  cudaGraphNodeType type;
  CHECK(cudaGraphNodeGetType(host, &type));
  EXPECT(type == cudaGraphNodeTypeHost);

  // What the graph waits for is recorded in another stream, and who waits for it reads its result.
  cudaGraphExec_t exec;
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  add<<<1, 1, 0, other>>>(value, 100);
  CHECK(cudaEventRecord(start, other));
  CHECK(cudaGraphLaunch(exec, stream));
  CHECK(cudaStreamWaitEvent(other, done, 0));
  add<<<1, 1, 0, other>>>(value, 1000);
  CHECK(cudaStreamSynchronize(stream));
  CHECK(cudaStreamSynchronize(other));
  EXPECT(*value == 1105 && called.size() == 1);

  // The child of the executable is exchanged; the graph's own stays.
  much = 7;
  kernel = adding(arguments);
  CHECK(cudaGraphKernelNodeSetParams(inner, &kernel));
  CHECK(cudaGraphExecChildGraphNodeSetParams(exec, nested, child));
  CHECK(cudaGraphLaunch(exec, stream));
  CHECK(cudaStreamSynchronize(stream));
  EXPECT(*value == 1112 && called.size() == 2);
  CHECK(cudaGraphExecDestroy(exec));

  // A clone finds its nodes again; a node that is switched off is passed.
  cudaGraph_t clone;
  cudaGraphNode_t same;
  CHECK(cudaGraphClone(&clone, child));
  CHECK(cudaGraphNodeFindInClone(&same, inner, clone));
  CHECK(cudaGraphInstantiate(&exec, clone, 0));
  CHECK(cudaGraphNodeSetEnabled(exec, same, 0));
  CHECK(cudaGraphLaunch(exec, stream));
  CHECK(cudaStreamSynchronize(stream));
  EXPECT(*value == 1112);
  CHECK(cudaGraphNodeSetEnabled(exec, same, 1));
  CHECK(cudaGraphLaunch(exec, stream));
  CHECK(cudaStreamSynchronize(stream));
  EXPECT(*value == 1119);
  CHECK(cudaGraphExecDestroy(exec));
  CHECK(cudaGraphDestroy(clone));
  CHECK(cudaGraphDestroy(graph));
  CHECK(cudaGraphDestroy(child));
  CHECK(cudaFree(value));
  std::printf("ok\n");
  return 0;
}
