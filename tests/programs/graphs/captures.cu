// Captures: into a graph that is there already, without a place for the result, across streams,
// relaxed by a thread for itself, and what invalidates one.
#include <cstdio>

#include "check.hpp"

__global__ void add(int* value, int much) { *value += much; }
__global__ void times(int* value, int much) { *value *= much; }

int main() {
  cudaStream_t stream, other;
  CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  CHECK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
  int* value = nullptr;
  CHECK(cudaMallocManaged(&value, sizeof(int)));
  *value = 1;

  // The graph is the program's from the beginning.
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  CHECK(cudaGraphCreate(&graph, 0));
  CHECK(cudaStreamBeginCaptureToGraph(stream, graph, nullptr, nullptr, 0,
                                      cudaStreamCaptureModeGlobal));
  add<<<1, 1, 0, stream>>>(value, 4);
  CHECK(cudaStreamEndCapture(stream, nullptr));
  std::size_t nodes = 0;
  CHECK(cudaGraphGetNodes(graph, nullptr, &nodes));
  EXPECT(nodes == 1);
  cudaGraphNode_t first;
  CHECK(cudaGraphGetNodes(graph, &first, &nodes));
  CHECK(cudaStreamBeginCaptureToGraph(stream, graph, &first, nullptr, 1,
                                      cudaStreamCaptureModeGlobal));
  times<<<1, 1, 0, stream>>>(value, 10);
  cudaGraph_t same = nullptr;
  CHECK(cudaStreamEndCapture(stream, &same));
  EXPECT(same == graph);
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  CHECK(cudaGraphLaunch(exec, stream));
  CHECK(cudaStreamSynchronize(stream));
  EXPECT(*value == 50);
  CHECK(cudaGraphExecDestroy(exec));
  CHECK(cudaGraphDestroy(graph));

  // A capture that nobody wants ends all the same, and runs nothing.
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  add<<<1, 1, 0, stream>>>(value, 1000);
  CHECK(cudaStreamEndCapture(stream, nullptr));
  cudaStreamCaptureStatus status;
  CHECK(cudaStreamIsCapturing(stream, &status));
  EXPECT(status == cudaStreamCaptureStatusNone);
  CHECK(cudaStreamSynchronize(stream));
  EXPECT(*value == 50);

  // Another stream joins by an event and comes back.
  cudaEvent_t fork, join;
  CHECK(cudaEventCreateWithFlags(&fork, cudaEventDisableTiming));
  CHECK(cudaEventCreateWithFlags(&join, cudaEventDisableTiming));
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  CHECK(cudaEventRecord(fork, stream));
  CHECK(cudaStreamWaitEvent(other, fork, 0));
  add<<<1, 1, 0, other>>>(value, 1);
  CHECK(cudaEventRecord(join, other));
  CHECK(cudaStreamWaitEvent(stream, join, 0));
  times<<<1, 1, 0, stream>>>(value, 2);
  CHECK(cudaStreamEndCapture(stream, &graph));
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  CHECK(cudaGraphLaunch(exec, stream));
  CHECK(cudaStreamSynchronize(stream));
  EXPECT(*value == 102);
  CHECK(cudaGraphExecDestroy(exec));
  CHECK(cudaGraphDestroy(graph));

  // An unsafe call is forbidden during a capture, unless the thread says that it knows better.
  int* memory = nullptr;
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
  CHECK(cudaThreadExchangeStreamCaptureMode(&mode));
  EXPECT(mode == cudaStreamCaptureModeGlobal);
  CHECK(cudaMalloc(&memory, 64));
  CHECK(cudaThreadExchangeStreamCaptureMode(&mode));
  EXPECT(mode == cudaStreamCaptureModeRelaxed);
  int* never = nullptr;
  EXPECT(cudaMalloc(&never, 64) == cudaErrorStreamCaptureUnsupported);
  CHECK(cudaStreamIsCapturing(stream, &status));
  EXPECT(status == cudaStreamCaptureStatusInvalidated);
  EXPECT(cudaStreamEndCapture(stream, &graph) == cudaErrorStreamCaptureInvalidated);
  EXPECT(graph == nullptr);
  (void)cudaGetLastError();
  CHECK(cudaFree(memory));
  CHECK(cudaFree(value));
  std::printf("ok\n");
  return 0;
}
