// links: cuda
// A graph of the driver: its nodes one by one, changed for the second launch, and one from a
// capture.
#include <vector>

#include "driver.hpp"

static void count_call(void* calls) { ++*static_cast<int*>(calls); }

int main() {
  constexpr unsigned n = 1024;
  constexpr std::size_t bytes = n * sizeof(float);
  CHECK(cuInit(0));
  CUcontext context;
  CHECK(cuCtxCreate(&context, nullptr, 0, 0));
  CUmodule module;
  CUfunction scale, shift;
  CHECK(cuModuleLoadData(&module, scale_and_shift));
  CHECK(cuModuleGetFunction(&scale, module, "scale"));
  CHECK(cuModuleGetFunction(&shift, module, "shift"));
  CUdeviceptr data;
  CHECK(cuMemAlloc(&data, bytes));
  void* pinned = nullptr;
  CHECK(cuMemAllocHost(&pinned, bytes));
  auto* got = static_cast<float*>(pinned);

  unsigned count = n;
  float summand = 3.0f, factor = 0.5f;
  void* shifted[] = {&data, &count, &summand};
  void* scaled[] = {&data, &count, &factor};
  int calls = 0, wrong = 0;
  CUgraph graph;
  CUgraphNode fill, add, multiply, copy, call;
  CHECK(cuGraphCreate(&graph, 0));
  CUDA_MEMSET_NODE_PARAMS filled{};
  filled.dst = data;
  filled.elementSize = 4;
  filled.value = 0x40000000;  // 2.0
  filled.width = n;
  filled.height = 1;
  CHECK(cuGraphAddMemsetNode(&fill, graph, nullptr, 0, &filled, context));
  CUDA_KERNEL_NODE_PARAMS kernel{};
  kernel.func = shift;
  kernel.gridDimX = n / 128;
  kernel.gridDimY = kernel.gridDimZ = 1;
  kernel.blockDimX = 128;
  kernel.blockDimY = kernel.blockDimZ = 1;
  kernel.kernelParams = shifted;
  CHECK(cuGraphAddKernelNode(&add, graph, &fill, 1, &kernel));
  kernel.func = scale;
  kernel.kernelParams = scaled;
  CHECK(cuGraphAddKernelNode(&multiply, graph, &add, 1, &kernel));
  CUDA_MEMCPY3D back{};
  back.srcMemoryType = CU_MEMORYTYPE_DEVICE;
  back.srcDevice = data;
  back.dstMemoryType = CU_MEMORYTYPE_HOST;
  back.dstHost = got;
  back.WidthInBytes = bytes;
  back.Height = back.Depth = 1;
  CHECK(cuGraphAddMemcpyNode(&copy, graph, &multiply, 1, &back, context));
  CUDA_HOST_NODE_PARAMS host{count_call, &calls};
  CHECK(cuGraphAddHostNode(&call, graph, &copy, 1, &host));
  std::size_t nodes = 0, edges = 0;
  CHECK(cuGraphGetNodes(graph, nullptr, &nodes));
  CHECK(cuGraphGetEdges(graph, nullptr, nullptr, nullptr, &edges));
  CUgraphNodeType type;
  CHECK(cuGraphNodeGetType(copy, &type));
  wrong += nodes != 5 || edges != 4 || type != CU_GRAPH_NODE_TYPE_MEMCPY;

  CUgraphExec exec;
  CHECK(cuGraphInstantiate(&exec, graph, 0));
  CUstream stream;
  CHECK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  CHECK(cuGraphLaunch(exec, stream));
  CHECK(cuStreamSynchronize(stream));
  for (unsigned i = 0; i < n; ++i) wrong += !(got[i] == (2.0f + 3.0f) * 0.5f);
  factor = 7.0f;
  CHECK(cuGraphExecKernelNodeSetParams(exec, multiply, &kernel));
  CHECK(cuGraphLaunch(exec, stream));
  CHECK(cuStreamSynchronize(stream));
  for (unsigned i = 0; i < n; ++i) wrong += !(got[i] == (2.0f + 3.0f) * 7.0f);
  wrong += calls != 2;

  // The same work, captured from a stream into a child of a new graph.
  CUgraph captured;
  CUgraphExec again;
  CHECK(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
  CHECK(cuMemsetD32Async(data, 0x3f800000, n, stream));  // 1.0
  CHECK(cuLaunchKernel(shift, n / 128, 1, 1, 128, 1, 1, 0, stream, shifted, nullptr));
  CHECK(cuMemcpyDtoHAsync(got, data, bytes, stream));
  CHECK(cuStreamEndCapture(stream, &captured));
  CHECK(cuGraphInstantiate(&again, captured, 0));
  CHECK(cuGraphLaunch(again, stream));
  CHECK(cuStreamSynchronize(stream));
  for (unsigned i = 0; i < n; ++i) wrong += !(got[i] == 1.0f + 3.0f);
  CHECK(cuGraphExecDestroy(exec));
  CHECK(cuGraphExecDestroy(again));
  CHECK(cuGraphDestroy(graph));
  CHECK(cuGraphDestroy(captured));
  CHECK(cuStreamDestroy(stream));
  CHECK(cuMemFreeHost(pinned));
  CHECK(cuMemFree(data));
  CHECK(cuCtxDestroy(context));
  return ended(wrong);
}
