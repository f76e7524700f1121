// Memory nodes of graphs: allocated and freed within the graph, freed by the program and launched
// again, freed by the launch itself, freed by another graph, and what the device says about them.
#include <cstdio>

#include "check.hpp"

__global__ void fill(int* values, int count, int first) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) values[i] = first + i;
}
__global__ void add_up(const int* values, int count, int* sum) {
  for (int i = 0; i < count; ++i) *sum += values[i];
}

constexpr int count = 1000;
constexpr int once = count * (count - 1) / 2 + 5 * count;

static unsigned long long memory_of(cudaGraphMemAttributeType what) {
  unsigned long long bytes = 0;
  return cudaDeviceGetGraphMemAttribute(0, what, &bytes) == cudaSuccess ? bytes : ~0ull;
}

static cudaMemAllocNodeParams request() {
  cudaMemAllocNodeParams wanted{};
  wanted.poolProps.allocType = cudaMemAllocationTypePinned;
  wanted.poolProps.location = {cudaMemLocationTypeDevice, 0};
  wanted.bytesize = count * sizeof(int);
  return wanted;
}

// allocate -> fill -> add up [-> free]
static int build(cudaGraph_t* graph, int** memory, int* sum, bool frees) {
  cudaGraphNode_t allocated, filled, added, freed;
  CHECK(cudaGraphCreate(graph, 0));
  cudaMemAllocNodeParams wanted = request();
  CHECK(cudaGraphAddMemAllocNode(&allocated, *graph, nullptr, 0, &wanted));
  *memory = static_cast<int*>(wanted.dptr);
  int length = count, first = 5;
  void* fill_arguments[] = {memory, &length, &first};
  cudaKernelNodeParams kernel{};
  kernel.func = reinterpret_cast<void*>(fill);
  kernel.gridDim = dim3(8);
  kernel.blockDim = dim3(128);
  kernel.kernelParams = fill_arguments;
  CHECK(cudaGraphAddKernelNode(&filled, *graph, &allocated, 1, &kernel));
  void* sum_arguments[] = {memory, &length, &sum};
  kernel.func = reinterpret_cast<void*>(add_up);
  kernel.gridDim = kernel.blockDim = dim3(1);
  kernel.kernelParams = sum_arguments;
  CHECK(cudaGraphAddKernelNode(&added, *graph, &filled, 1, &kernel));
  if (frees) CHECK(cudaGraphAddMemFreeNode(&freed, *graph, &added, 1, *memory));
  cudaMemAllocNodeParams told{};
  CHECK(cudaGraphMemAllocNodeGetParams(allocated, &told));
  EXPECT(told.dptr == *memory && told.bytesize == count * sizeof(int));
  return 0;
}

int main() {
  cudaStream_t stream;
  int *sum = nullptr, *memory = nullptr;
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaMallocManaged(&sum, sizeof(int)));
  *sum = 0;
  cudaGraph_t graph;
  cudaGraphExec_t exec;

  // The graph frees what it allocates: launched as often as one likes.
  if (build(&graph, &memory, sum, true) != 0) return 1;
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  for (int i = 0; i < 3; ++i) CHECK(cudaGraphLaunch(exec, stream));
  CHECK(cudaStreamSynchronize(stream));
  EXPECT(*sum == 3 * once);
  // What the graphs hold, in use or not, until it is trimmed.
  EXPECT(memory_of(cudaGraphMemAttrUsedMemCurrent) >= count * sizeof(int));
  EXPECT(memory_of(cudaGraphMemAttrUsedMemHigh) >= count * sizeof(int));
  EXPECT(memory_of(cudaGraphMemAttrReservedMemCurrent) >= count * sizeof(int));
  CHECK(cudaDeviceGraphMemTrim(0));
  EXPECT(memory_of(cudaGraphMemAttrUsedMemCurrent) == 0);
  EXPECT(memory_of(cudaGraphMemAttrReservedMemCurrent) == 0);
  unsigned long long zero = 0, one = 1;
  CHECK(cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrUsedMemHigh, &zero));
  EXPECT(memory_of(cudaGraphMemAttrUsedMemHigh) == 0);
  EXPECT(cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrUsedMemHigh, &one) ==
         cudaErrorInvalidValue);
  EXPECT(cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, &zero) ==
         cudaErrorInvalidValue);
  CHECK(cudaGraphExecDestroy(exec));
  CHECK(cudaGraphDestroy(graph));
  (void)cudaGetLastError();

  // The program frees it, in stream order and at once; only then it may be launched again.
  *sum = 0;
  if (build(&graph, &memory, sum, false) != 0) return 1;
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  CHECK(cudaGraphLaunch(exec, stream));
  EXPECT(cudaGraphLaunch(exec, stream) == cudaErrorInvalidValue);
  (void)cudaGetLastError();
  CHECK(cudaStreamSynchronize(stream));
  EXPECT(memory_of(cudaGraphMemAttrUsedMemCurrent) >= count * sizeof(int));
  int copied = 0;
  CHECK(cudaMemcpy(&copied, memory + 7, sizeof(int), cudaMemcpyDeviceToHost));
  EXPECT(copied == 12);
  CHECK(cudaFreeAsync(memory, stream));
  CHECK(cudaGraphLaunch(exec, stream));
  CHECK(cudaStreamSynchronize(stream));
  CHECK(cudaFree(memory));
  CHECK(cudaDeviceGraphMemTrim(0));
  EXPECT(memory_of(cudaGraphMemAttrUsedMemCurrent) == 0);
  CHECK(cudaGraphLaunch(exec, stream));
  CHECK(cudaFreeAsync(memory, stream));
  CHECK(cudaStreamSynchronize(stream));
  EXPECT(*sum == 3 * once);
  CHECK(cudaGraphExecDestroy(exec));
  CHECK(cudaGraphDestroy(graph));

  // The launch frees what the one before left.
  *sum = 0;
  if (build(&graph, &memory, sum, false) != 0) return 1;
  CHECK(cudaGraphInstantiate(&exec, graph, cudaGraphInstantiateFlagAutoFreeOnLaunch));
  for (int i = 0; i < 3; ++i) CHECK(cudaGraphLaunch(exec, stream));
  CHECK(cudaStreamSynchronize(stream));
  EXPECT(*sum == 3 * once);
  EXPECT(memory_of(cudaGraphMemAttrUsedMemCurrent) >= count * sizeof(int));
  CHECK(cudaFree(memory));
  CHECK(cudaGraphExecDestroy(exec));
  CHECK(cudaGraphDestroy(graph));

  // Stream-ordered allocations that are captured become such nodes.
  *sum = 0;
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  CHECK(cudaMallocAsync(&memory, count * sizeof(int), stream));
  fill<<<8, 128, 0, stream>>>(memory, count, 5);
  add_up<<<1, 1, 0, stream>>>(memory, count, sum);
  CHECK(cudaFreeAsync(memory, stream));
  CHECK(cudaStreamEndCapture(stream, &graph));
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  for (int i = 0; i < 2; ++i) CHECK(cudaGraphLaunch(exec, stream));
  CHECK(cudaStreamSynchronize(stream));
  EXPECT(*sum == 2 * once);
  CHECK(cudaGraphExecDestroy(exec));
  CHECK(cudaGraphDestroy(graph));
  CHECK(cudaFree(sum));
  CHECK(cudaStreamDestroy(stream));
  std::printf("ok\n");
  return 0;
}
