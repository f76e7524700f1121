// links:
// expects: exit 4, "external semaphores"
// A node that signals a semaphore of another API: refused by name.
#include <cstdio>

int main() {
  cudaGraph_t graph;
  if (cudaGraphCreate(&graph, 0) != cudaSuccess) return 1;
  cudaGraphNodeParams parameters{};
  parameters.type = cudaGraphNodeTypeExtSemaphoreSignal;
  cudaGraphNode_t node;
  const cudaError_t error = cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, &parameters);
  std::printf("%s\n", cudaGetErrorName(error));
  return error == cudaErrorNotSupported ? 4 : 1;
}
