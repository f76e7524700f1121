// What the hazard checker knows about the work inside conditional graph nodes, which is submitted
// while the device runs.
#include "tests/sim/cudart/hazard_runs.hpp"

using namespace aisp;

namespace {

using hazard_runs::device_memory;
using hazard_runs::Streams;

class ConditionRaceDeathTest : public hazard_runs::Test {};

// A graph with an IF node that is always taken; `fills` of the memory in its body, in no order.
cudaGraphExec_t filling_graph(char* memory, int fills) {
  cudaGraph_t graph{};
  cudaGraphCreate(&graph, 0);
  cudaGraphConditionalHandle handle{};
  cudaGraphConditionalHandleCreate(&handle, graph, 1, cudaGraphCondAssignDefault);
  cudaGraphNodeParams parameters{};
  parameters.type = cudaGraphNodeTypeConditional;
  parameters.conditional.handle = handle;
  parameters.conditional.type = cudaGraphCondTypeIf;
  parameters.conditional.size = 1;
  cudaGraphNode_t node{};
  cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, &parameters);
  for (int i = 0; i < fills; ++i) {
    const cudaMemsetParams fill{memory, 0, static_cast<unsigned>(i), 1, 64, 1};
    cudaGraphAddMemsetNode(&node, parameters.conditional.phGraph_out[0], nullptr, 0, &fill);
  }
  cudaGraphExec_t exec{};
  EXPECT_EQ(cudaGraphInstantiate(&exec, graph, 0), cudaSuccess);
  return exec;
}

TEST_F(ConditionRaceDeathTest, ABodyIsUnorderedWithAnotherStream) {
  expect({"stream-race"}, [] {
    const Streams streams;
    char* memory = device_memory(64);
    cudaGraphLaunch(filling_graph(memory, 1), streams.first);
    cudaMemsetAsync(memory, 9, 64, streams.second);
    cudaDeviceSynchronize();
  });
}

TEST_F(ConditionRaceDeathTest, WhatFollowsTheGraphFollowsTheBody) {
  expect({}, [] {
    const Streams streams;
    char* memory = device_memory(64);
    const cudaGraphExec_t exec = filling_graph(memory, 1);
    cudaEvent_t event{};
    cudaEventCreate(&event);
    cudaMemsetAsync(memory, 8, 64, streams.first);
    cudaGraphLaunch(exec, streams.first);
    cudaGraphLaunch(exec, streams.first);
    cudaMemsetAsync(memory, 9, 64, streams.first);
    cudaEventRecord(event, streams.first);
    cudaStreamWaitEvent(streams.second, event, 0);
    cudaMemsetAsync(memory, 10, 64, streams.second);
    cudaStreamSynchronize(streams.second);
    cudaGraphLaunch(exec, streams.first);
    cudaStreamSynchronize(streams.first);
    cudaMemsetAsync(memory, 11, 64, streams.second);
    cudaDeviceSynchronize();
  });
}

TEST_F(ConditionRaceDeathTest, NodesOfABodyNeedEdges) {
  expect({"stream-race"}, [] {
    const Streams streams;
    cudaGraphLaunch(filling_graph(device_memory(64), 2), streams.first);
    cudaDeviceSynchronize();
  });
}

// The host has waited for the other fill when the body is submitted, but asked for the body before.
TEST_F(ConditionRaceDeathTest, ABodyDoesNotComeAfterWhatTheHostLearnedLater) {
  expect({"stream-race"}, [] {
    const Streams streams;
    char* memory = device_memory(64);
    const cudaGraphExec_t exec = filling_graph(memory, 1);
    const auto wait = [](void*) { usleep(20000); };
    cudaLaunchHostFunc(streams.first, wait, nullptr);
    cudaGraphLaunch(exec, streams.first);
    cudaMemsetAsync(memory, 9, 64, streams.second);
    cudaStreamSynchronize(streams.second);
    cudaDeviceSynchronize();
  });
}

}  // namespace
