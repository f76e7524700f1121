// Executables brought up to date: by a whole graph, with the reason where that cannot be, by nodes,
// and attributes of kernel nodes; the graph as a drawing.
#include <unistd.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "check.hpp"

__global__ void add(int* value, int much) { *value += much; }
__global__ void subtract(int* value, int much) { *value -= much; }

static int* value;

static int build(cudaGraph_t* graph, cudaGraphNode_t* nodes, int count, int much, void* kernel) {
  CHECK(cudaGraphCreate(graph, 0));
  void* arguments[] = {&value, &much};
  cudaKernelNodeParams parameters{};
  parameters.func = kernel;
  parameters.gridDim = parameters.blockDim = dim3(1);
  parameters.kernelParams = arguments;
  for (int i = 0; i < count; ++i)
    CHECK(cudaGraphAddKernelNode(&nodes[i], *graph, i == 0 ? nullptr : &nodes[i - 1],
                                 i == 0 ? 0 : 1, &parameters));
  return 0;
}

int main() {
  CHECK(cudaMallocManaged(&value, sizeof(int)));
  *value = 0;
  cudaGraph_t graph, next;
  cudaGraphNode_t nodes[3], others[3];
  cudaGraphExec_t exec;
  if (build(&graph, nodes, 2, 3, reinterpret_cast<void*>(add)) != 0) return 1;
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  CHECK(cudaGraphLaunch(exec, nullptr));
  CHECK(cudaDeviceSynchronize());
  EXPECT(*value == 6);

  // The same shape with other arguments and another function.
  cudaGraphExecUpdateResultInfo info{};
  if (build(&next, others, 2, 10, reinterpret_cast<void*>(subtract)) != 0) return 1;
  CHECK(cudaGraphExecUpdate(exec, next, &info));
  EXPECT(info.result == cudaGraphExecUpdateSuccess);
  CHECK(cudaGraphLaunch(exec, nullptr));
  CHECK(cudaDeviceSynchronize());
  EXPECT(*value == -14);
  CHECK(cudaGraphDestroy(next));

  // Another shape: refused with its reason, and the executable stays as it was.
  if (build(&next, others, 3, 1, reinterpret_cast<void*>(add)) != 0) return 1;
  EXPECT(cudaGraphExecUpdate(exec, next, &info) == cudaErrorGraphExecUpdateFailure);
  EXPECT(info.result == cudaGraphExecUpdateErrorTopologyChanged);
  (void)cudaGetLastError();
  CHECK(cudaGraphDestroy(next));
  CHECK(cudaGraphCreate(&next, 0));
  cudaMemsetParams fill{};
  fill.dst = value;
  fill.elementSize = 4;
  fill.width = fill.height = 1;
  CHECK(cudaGraphAddMemsetNode(&others[0], next, nullptr, 0, &fill));
  CHECK(cudaGraphAddMemsetNode(&others[1], next, &others[0], 1, &fill));
  EXPECT(cudaGraphExecUpdate(exec, next, &info) == cudaErrorGraphExecUpdateFailure);
  EXPECT(info.result == cudaGraphExecUpdateErrorNodeTypeChanged && info.errorNode == others[1]);
  (void)cudaGetLastError();
  CHECK(cudaGraphDestroy(next));
  CHECK(cudaGraphLaunch(exec, nullptr));
  CHECK(cudaDeviceSynchronize());
  EXPECT(*value == -34);

  // One node by itself.
  int much = 1000;
  void* arguments[] = {&value, &much};
  cudaKernelNodeParams parameters{};
  CHECK(cudaGraphKernelNodeGetParams(nodes[1], &parameters));
  EXPECT(*static_cast<int*>(parameters.kernelParams[1]) == 3);
  parameters.func = reinterpret_cast<void*>(add);
  parameters.kernelParams = arguments;
  CHECK(cudaGraphExecKernelNodeSetParams(exec, nodes[1], &parameters));
  CHECK(cudaGraphLaunch(exec, nullptr));
  CHECK(cudaDeviceSynchronize());
  EXPECT(*value == 956);

  // Attributes of kernel nodes.
  cudaLaunchAttributeValue attribute{};
  attribute.priority = -1;
  CHECK(cudaGraphKernelNodeSetAttribute(nodes[0], cudaLaunchAttributePriority, &attribute));
  cudaLaunchAttributeValue read{};
  CHECK(cudaGraphKernelNodeGetAttribute(nodes[0], cudaLaunchAttributePriority, &read));
  EXPECT(read.priority == -1);
  CHECK(cudaGraphKernelNodeCopyAttributes(nodes[1], nodes[0]));
  CHECK(cudaGraphKernelNodeGetAttribute(nodes[1], cudaLaunchAttributePriority, &read));
  EXPECT(read.priority == -1);

  char path[] = "/tmp/graph_XXXXXX";
  const int file = mkstemp(path);
  EXPECT(file >= 0);
  close(file);
  CHECK(cudaGraphDebugDotPrint(graph, path, cudaGraphDebugDotFlagsVerbose));
  std::string drawn;
  std::FILE* opened = std::fopen(path, "r");
  EXPECT(opened != nullptr);
  char piece[512];
  for (std::size_t n; (n = std::fread(piece, 1, sizeof piece, opened)) > 0;) drawn.append(piece, n);
  std::fclose(opened);
  std::remove(path);
  EXPECT(drawn.find("digraph") != std::string::npos && drawn.find("->") != std::string::npos);
  EXPECT(drawn.find("add") != std::string::npos);
  CHECK(cudaGraphExecDestroy(exec));
  CHECK(cudaGraphDestroy(graph));
  CHECK(cudaFree(value));
  std::printf("ok\n");
  return 0;
}
