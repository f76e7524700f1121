// Stream capture: what becomes a graph, and what ends a capture with which error. Expected answers
// are those of driver 580.
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace {

class Captures : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(cudaMalloc(&memory_, bytes), cudaSuccess);
    ASSERT_EQ(cudaMemset(memory_, 0, bytes), cudaSuccess);
    for (cudaStream_t* stream : {&a_, &b_})
      ASSERT_EQ(cudaStreamCreateWithFlags(stream, cudaStreamNonBlocking), cudaSuccess);
    ASSERT_EQ(cudaStreamCreate(&blocking_), cudaSuccess);
    for (cudaEvent_t* event : {&fork_, &join_}) ASSERT_EQ(cudaEventCreate(event), cudaSuccess);
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  }
  void TearDown() override {
    for (cudaStream_t stream : {a_, b_, blocking_})
      EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
    for (cudaEvent_t event : {fork_, join_}) EXPECT_EQ(cudaEventDestroy(event), cudaSuccess);
    EXPECT_EQ(cudaFree(memory_), cudaSuccess);
    cudaGetLastError();
  }

  void begin(cudaStream_t stream, cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal) {
    ASSERT_EQ(cudaStreamBeginCapture(stream, mode), cudaSuccess);
  }
  cudaError_t fill(cudaStream_t stream, int value, size_t offset, size_t count = 64) {
    return cudaMemsetAsync(static_cast<char*>(memory_) + offset, value, count, stream);
  }
  // Number of nodes, or minus the error.
  int end(cudaStream_t stream) {
    cudaGraph_t graph{};
    const cudaError_t error = cudaStreamEndCapture(stream, &graph);
    cudaGetLastError();
    EXPECT_EQ(graph == nullptr, error != cudaSuccess);
    if (error != cudaSuccess) return -static_cast<int>(error);
    size_t nodes = 0;
    EXPECT_EQ(cudaGraphGetNodes(graph, nullptr, &nodes), cudaSuccess);
    EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
    return static_cast<int>(nodes);
  }
  static cudaStreamCaptureStatus status(cudaStream_t stream) {
    cudaStreamCaptureStatus status{};
    EXPECT_EQ(cudaStreamIsCapturing(stream, &status), cudaSuccess);
    return status;
  }
  void expect_invalidated(cudaStream_t stream) {
    EXPECT_EQ(status(stream), cudaStreamCaptureStatusInvalidated);
    EXPECT_EQ(end(stream), -cudaErrorStreamCaptureInvalidated);
    EXPECT_EQ(status(stream), cudaStreamCaptureStatusNone);
  }
  void fork_to_b() {
    ASSERT_EQ(cudaEventRecord(fork_, a_), cudaSuccess);
    ASSERT_EQ(cudaStreamWaitEvent(b_, fork_, 0), cudaSuccess);
  }
  void join_from_b() {
    ASSERT_EQ(cudaEventRecord(join_, b_), cudaSuccess);
    ASSERT_EQ(cudaStreamWaitEvent(a_, join_, 0), cudaSuccess);
  }

  static constexpr size_t bytes = 4096;
  void* memory_ = nullptr;
  cudaStream_t a_{}, b_{}, blocking_{};
  cudaEvent_t fork_{}, join_{};
};

TEST_F(Captures, NothingRunsUntilTheGraphIsLaunched) {
  begin(a_, cudaStreamCaptureModeThreadLocal);
  ASSERT_EQ(fill(a_, 1, 0), cudaSuccess);
  ASSERT_EQ(fill(a_, 2, 0, 4), cudaSuccess);
  EXPECT_EQ(status(a_), cudaStreamCaptureStatusActive);
  cudaGraph_t graph{};
  ASSERT_EQ(cudaStreamEndCapture(a_, &graph), cudaSuccess);
  cudaGraphExec_t exec{};
  ASSERT_EQ(cudaGraphInstantiate(&exec, graph, 0), cudaSuccess);
  ASSERT_EQ(cudaGraphDestroy(graph), cudaSuccess);
  char seen[8] = {};
  ASSERT_EQ(cudaMemcpy(seen, memory_, 8, cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_EQ(seen[0], 0);
  for (int round = 0; round < 2; ++round) ASSERT_EQ(cudaGraphLaunch(exec, b_), cudaSuccess);
  ASSERT_EQ(cudaStreamSynchronize(b_), cudaSuccess);
  ASSERT_EQ(cudaMemcpy(seen, memory_, 8, cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_EQ(seen[0], 2);
  EXPECT_EQ(seen[4], 1);
  ASSERT_EQ(cudaGraphExecDestroy(exec), cudaSuccess);
}

TEST_F(Captures, EventsForkAndJoin) {
  begin(a_);
  ASSERT_EQ(fill(a_, 1, 0), cudaSuccess);
  fork_to_b();
  EXPECT_EQ(status(b_), cudaStreamCaptureStatusActive);
  ASSERT_EQ(fill(b_, 2, 64), cudaSuccess);
  ASSERT_EQ(fill(a_, 3, 128), cudaSuccess);
  join_from_b();
  ASSERT_EQ(fill(a_, 4, 192), cudaSuccess);
  cudaGraph_t graph{};
  ASSERT_EQ(cudaStreamEndCapture(a_, &graph), cudaSuccess);
  EXPECT_EQ(status(b_), cudaStreamCaptureStatusNone);
  size_t nodes = 0, edges = 0, roots = 0;
  ASSERT_EQ(cudaGraphGetNodes(graph, nullptr, &nodes), cudaSuccess);
  ASSERT_EQ(cudaGraphGetEdges(graph, nullptr, nullptr, nullptr, &edges), cudaSuccess);
  ASSERT_EQ(cudaGraphGetRootNodes(graph, nullptr, &roots), cudaSuccess);
  EXPECT_EQ(nodes, 4u);
  EXPECT_EQ(edges, 4u);
  EXPECT_EQ(roots, 1u);
  ASSERT_EQ(cudaGraphDestroy(graph), cudaSuccess);
}

TEST_F(Captures, WhatIsNotJoinedIsAnError) {
  begin(a_);
  fork_to_b();
  ASSERT_EQ(fill(b_, 1, 0), cudaSuccess);
  EXPECT_EQ(end(a_), -cudaErrorStreamCaptureUnjoined);
  EXPECT_EQ(status(b_), cudaStreamCaptureStatusNone);
  begin(a_);
  fork_to_b();
  EXPECT_EQ(end(a_), 0);
  begin(a_);
  fork_to_b();
  ASSERT_EQ(fill(b_, 1, 0), cudaSuccess);
  join_from_b();
  ASSERT_EQ(fill(b_, 1, 0), cudaSuccess);
  EXPECT_EQ(end(a_), -cudaErrorStreamCaptureUnjoined);
}

TEST_F(Captures, WaitingForACapturingStreamEndsTheCapture) {
  begin(a_, cudaStreamCaptureModeRelaxed);
  EXPECT_EQ(cudaStreamSynchronize(a_), cudaErrorStreamCaptureUnsupported);
  EXPECT_EQ(fill(a_, 1, 0), cudaErrorStreamCaptureInvalidated);
  expect_invalidated(a_);
  begin(a_, cudaStreamCaptureModeRelaxed);
  EXPECT_EQ(cudaStreamQuery(a_), cudaErrorStreamCaptureUnsupported);
  expect_invalidated(a_);
  begin(a_, cudaStreamCaptureModeRelaxed);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorStreamCaptureUnsupported);
  expect_invalidated(a_);
  begin(a_);
  ASSERT_EQ(cudaEventRecord(fork_, a_), cudaSuccess);
  EXPECT_EQ(cudaEventQuery(fork_), cudaErrorCapturedEvent);
  EXPECT_EQ(cudaEventSynchronize(fork_), cudaErrorInvalidValue);
  expect_invalidated(a_);
}

// Measured on an H200 with CUDA 13.0; the id of another stream may be asked for.
TEST_F(Captures, TheIdOfACapturingStreamEndsTheCapture) {
  unsigned long long id = 0;
  begin(a_);
  EXPECT_EQ(cudaStreamGetId(b_, &id), cudaSuccess);
  EXPECT_EQ(status(a_), cudaStreamCaptureStatusActive);
  EXPECT_EQ(cudaStreamGetId(a_, &id), cudaErrorStreamCaptureUnsupported);
  expect_invalidated(a_);
}

TEST_F(Captures, TheModeSaysWhichCallsEndIt) {
  void* memory = nullptr;
  for (const auto mode : {cudaStreamCaptureModeGlobal, cudaStreamCaptureModeThreadLocal}) {
    begin(a_, mode);
    EXPECT_EQ(cudaMalloc(&memory, 64), cudaErrorStreamCaptureUnsupported);
    expect_invalidated(a_);
  }
  begin(a_, cudaStreamCaptureModeRelaxed);
  EXPECT_EQ(cudaMalloc(&memory, 64), cudaSuccess);
  EXPECT_EQ(cudaFree(memory), cudaSuccess);
  EXPECT_EQ(end(a_), 0);
  const auto elsewhere = [&] {
    cudaError_t error{};
    std::thread([&] {
      error = cudaMalloc(&memory, 64);
      if (error == cudaSuccess) cudaFree(memory);
    }).join();
    return error;
  };
  begin(a_, cudaStreamCaptureModeThreadLocal);
  EXPECT_EQ(elsewhere(), cudaSuccess);
  EXPECT_EQ(end(a_), 0);
  begin(a_);
  EXPECT_EQ(elsewhere(), cudaErrorStreamCaptureUnsupported);
  expect_invalidated(a_);
}

TEST_F(Captures, AThreadCanRelaxItsOwnMode) {
  cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
  begin(a_);
  ASSERT_EQ(cudaThreadExchangeStreamCaptureMode(&mode), cudaSuccess);
  EXPECT_EQ(mode, cudaStreamCaptureModeGlobal);
  void* memory = nullptr;
  EXPECT_EQ(cudaMalloc(&memory, 64), cudaSuccess);
  ASSERT_EQ(cudaThreadExchangeStreamCaptureMode(&mode), cudaSuccess);
  EXPECT_EQ(mode, cudaStreamCaptureModeRelaxed);
  EXPECT_EQ(end(a_), 0);
  EXPECT_EQ(cudaFree(memory), cudaSuccess);
}

TEST_F(Captures, TheLegacyStreamMayNotMeetABlockingCapture) {
  begin(blocking_, cudaStreamCaptureModeRelaxed);
  EXPECT_EQ(fill(nullptr, 1, 0), cudaErrorStreamCaptureImplicit);
  expect_invalidated(blocking_);
  begin(blocking_, cudaStreamCaptureModeRelaxed);
  EXPECT_EQ(cudaStreamSynchronize(nullptr), cudaErrorStreamCaptureImplicit);
  expect_invalidated(blocking_);
  begin(a_);  // not blocking: no matter
  EXPECT_EQ(fill(nullptr, 1, 0), cudaSuccess);
  EXPECT_EQ(end(a_), 0);
  EXPECT_EQ(cudaStreamBeginCapture(nullptr, cudaStreamCaptureModeGlobal),
            cudaErrorStreamCaptureUnsupported);
}

TEST_F(Captures, OutsideEventsDoNotComeIn) {
  ASSERT_EQ(cudaEventRecord(fork_, b_), cudaSuccess);
  begin(a_);
  EXPECT_EQ(cudaStreamWaitEvent(a_, fork_, 0), cudaErrorStreamCaptureIsolation);
  expect_invalidated(a_);
  begin(a_);
  EXPECT_EQ(cudaStreamWaitEvent(a_, fork_, cudaEventWaitExternal), cudaSuccess);
  EXPECT_EQ(cudaEventRecordWithFlags(join_, a_, cudaEventRecordExternal), cudaSuccess);
  EXPECT_EQ(end(a_), 2);
}

TEST_F(Captures, TwoCapturesDoNotMerge) {
  begin(a_);
  begin(b_);
  ASSERT_EQ(cudaEventRecord(fork_, a_), cudaSuccess);
  EXPECT_EQ(cudaStreamWaitEvent(b_, fork_, 0), cudaErrorStreamCaptureMerge);
  expect_invalidated(a_);
  expect_invalidated(b_);
  EXPECT_EQ(cudaStreamWaitEvent(b_, fork_, 0), cudaErrorInvalidValue);
}

TEST_F(Captures, OnlyItsOriginAndThreadEndIt) {
  begin(a_);
  EXPECT_EQ(cudaStreamBeginCapture(a_, cudaStreamCaptureModeGlobal), cudaErrorIllegalState);
  fork_to_b();
  EXPECT_EQ(end(b_), -cudaErrorStreamCaptureUnmatched);
  EXPECT_EQ(status(a_), cudaStreamCaptureStatusInvalidated);
  EXPECT_EQ(end(a_), -cudaErrorStreamCaptureInvalidated);
  EXPECT_EQ(end(a_), -cudaErrorIllegalState);
  begin(a_);
  std::thread([&] { EXPECT_EQ(end(a_), -cudaErrorStreamCaptureWrongThread); }).join();
  EXPECT_EQ(status(a_), cudaStreamCaptureStatusNone);
  begin(a_, cudaStreamCaptureModeRelaxed);
  std::thread([&] { EXPECT_EQ(end(a_), 0); }).join();
}

TEST_F(Captures, TellsWhatComesNext) {
  begin(a_);
  ASSERT_EQ(fill(a_, 1, 0), cudaSuccess);
  cudaStreamCaptureStatus now{};
  unsigned long long id = 0;
  cudaGraph_t graph{};
  const cudaGraphNode_t* nodes = nullptr;
  size_t count = 0;
  ASSERT_EQ(cudaStreamGetCaptureInfo(a_, &now, &id, &graph, &nodes, nullptr, &count), cudaSuccess);
  EXPECT_EQ(now, cudaStreamCaptureStatusActive);
  ASSERT_EQ(count, 1u);
  cudaGraphNodeType type{};
  ASSERT_EQ(cudaGraphNodeGetType(nodes[0], &type), cudaSuccess);
  EXPECT_EQ(type, cudaGraphNodeTypeMemset);
  cudaGraphNode_t extra{};
  ASSERT_EQ(cudaGraphAddEmptyNode(&extra, graph, nodes, 1), cudaSuccess);
  ASSERT_EQ(
      cudaStreamUpdateCaptureDependencies(a_, &extra, nullptr, 1, cudaStreamSetCaptureDependencies),
      cudaSuccess);
  ASSERT_EQ(fill(a_, 2, 0), cudaSuccess);
  EXPECT_EQ(end(a_), 3);
}

TEST_F(Captures, MemoryAllocatedInACaptureBelongsToTheGraph) {
  void* inside = nullptr;
  begin(a_);
  ASSERT_EQ(cudaMallocAsync(&inside, 256, a_), cudaSuccess);
  ASSERT_EQ(cudaMemsetAsync(inside, 7, 256, a_), cudaSuccess);
  ASSERT_EQ(cudaMemcpyAsync(memory_, inside, 256, cudaMemcpyDeviceToDevice, a_), cudaSuccess);
  ASSERT_EQ(cudaFreeAsync(inside, a_), cudaSuccess);
  cudaGraph_t graph{};
  cudaGraphExec_t exec{};
  ASSERT_EQ(cudaStreamEndCapture(a_, &graph), cudaSuccess);
  ASSERT_EQ(cudaGraphInstantiate(&exec, graph, 0), cudaSuccess);
  for (int round = 0; round < 3; ++round) ASSERT_EQ(cudaGraphLaunch(exec, a_), cudaSuccess);
  ASSERT_EQ(cudaStreamSynchronize(a_), cudaSuccess);
  char seen = 0;
  ASSERT_EQ(cudaMemcpy(&seen, memory_, 1, cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_EQ(seen, 7);
  EXPECT_EQ(cudaGraphExecDestroy(exec), cudaSuccess);
  EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
}

}  // namespace
