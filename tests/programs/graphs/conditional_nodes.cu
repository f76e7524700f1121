// Conditional nodes: IF with ELSE, WHILE and SWITCH, decided by kernels while the graph runs.
#include <cstdio>

#include "check.hpp"

__global__ void decide(cudaGraphConditionalHandle handle, const int* value, int bound) {
  cudaGraphSetConditional(handle, *value < bound ? 1 : 0);
}
__global__ void choose(cudaGraphConditionalHandle handle, const int* value) {
  cudaGraphSetConditional(handle, *value % 4);
}
__global__ void add(int* value, int much) { *value += much; }
__global__ void step(cudaGraphConditionalHandle handle, int* value, int bound) {
  *value *= 2;
  cudaGraphSetConditional(handle, *value < bound);
}

static int* value;

static int append(cudaGraph_t graph, cudaGraphNode_t* node, void* kernel, void** arguments) {
  cudaKernelNodeParams parameters{};
  parameters.func = kernel;
  parameters.gridDim = parameters.blockDim = dim3(1);
  parameters.kernelParams = arguments;
  CHECK(cudaGraphAddKernelNode(node, graph, nullptr, 0, &parameters));
  return 0;
}

static int add_in(cudaGraph_t body, int much) {
  cudaGraphNode_t node;
  void* arguments[] = {&value, &much};
  return append(body, &node, reinterpret_cast<void*>(add), arguments);
}

static int launch(cudaGraph_t graph, int start, int expected, const char* what) {
  cudaGraphExec_t exec;
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  for (int turn = 0; turn < 2; ++turn) {
    *value = start;
    CHECK(cudaGraphLaunch(exec, nullptr));
    CHECK(cudaDeviceSynchronize());
    if (*value != expected) {
      std::printf("%s of %d gave %d, not %d\n", what, start, *value, expected);
      return 1;
    }
  }
  CHECK(cudaGraphExecDestroy(exec));
  return 0;
}

static int if_else(int start, int expected) {
  cudaGraph_t graph;
  cudaGraphNode_t decided, conditional;
  cudaGraphConditionalHandle handle;
  CHECK(cudaGraphCreate(&graph, 0));
  CHECK(cudaGraphConditionalHandleCreate(&handle, graph, 0, 0));
  int bound = 10;
  void* arguments[] = {&handle, &value, &bound};
  if (append(graph, &decided, reinterpret_cast<void*>(decide), arguments) != 0) return 1;
  cudaGraphNodeParams parameters{};
  parameters.type = cudaGraphNodeTypeConditional;
  parameters.conditional.handle = handle;
  parameters.conditional.type = cudaGraphCondTypeIf;
  parameters.conditional.size = 2;
  CHECK(cudaGraphAddNode(&conditional, graph, &decided, nullptr, 1, &parameters));
  if (add_in(parameters.conditional.phGraph_out[0], 100) != 0) return 1;
  if (add_in(parameters.conditional.phGraph_out[1], 1000) != 0) return 1;
  if (launch(graph, start, expected, "if") != 0) return 1;
  CHECK(cudaGraphDestroy(graph));
  return 0;
}

static int repeat(int start, int expected) {
  cudaGraph_t graph;
  cudaGraphNode_t conditional, body;
  cudaGraphConditionalHandle handle;
  CHECK(cudaGraphCreate(&graph, 0));
  CHECK(cudaGraphConditionalHandleCreate(&handle, graph, 1, cudaGraphCondAssignDefault));
  cudaGraphNodeParams parameters{};
  parameters.type = cudaGraphNodeTypeConditional;
  parameters.conditional.handle = handle;
  parameters.conditional.type = cudaGraphCondTypeWhile;
  parameters.conditional.size = 1;
  CHECK(cudaGraphAddNode(&conditional, graph, nullptr, nullptr, 0, &parameters));
  int bound = 100;
  void* arguments[] = {&handle, &value, &bound};
  cudaGraph_t inner = parameters.conditional.phGraph_out[0];
  if (append(inner, &body, reinterpret_cast<void*>(step), arguments) != 0) return 1;
  if (launch(graph, start, expected, "while") != 0) return 1;
  CHECK(cudaGraphDestroy(graph));
  return 0;
}

static int one_of(int start, int expected) {
  cudaGraph_t graph;
  cudaGraphNode_t decided, conditional;
  cudaGraphConditionalHandle handle;
  CHECK(cudaGraphCreate(&graph, 0));
  CHECK(cudaGraphConditionalHandleCreate(&handle, graph, 0, 0));
  void* arguments[] = {&handle, &value};
  if (append(graph, &decided, reinterpret_cast<void*>(choose), arguments) != 0) return 1;
  cudaGraphNodeParams parameters{};
  parameters.type = cudaGraphNodeTypeConditional;
  parameters.conditional.handle = handle;
  parameters.conditional.type = cudaGraphCondTypeSwitch;
  parameters.conditional.size = 3;  // the fourth value chooses nothing
  CHECK(cudaGraphAddNode(&conditional, graph, &decided, nullptr, 1, &parameters));
  for (int i = 0; i < 3; ++i)
    if (add_in(parameters.conditional.phGraph_out[i], 10 * (i + 1)) != 0) return 1;
  if (launch(graph, start, expected, "switch") != 0) return 1;
  CHECK(cudaGraphDestroy(graph));
  return 0;
}

int main() {
  CHECK(cudaMallocManaged(&value, sizeof(int)));
  if (if_else(3, 103) != 0 || if_else(30, 1030) != 0) return 1;
  if (repeat(1, 128) != 0 || repeat(200, 400) != 0) return 1;
  if (one_of(4, 14) != 0 || one_of(5, 25) != 0 || one_of(6, 36) != 0 || one_of(7, 7) != 0) return 1;
  CHECK(cudaFree(value));
  std::printf("ok\n");
  return 0;
}
