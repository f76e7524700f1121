// Explicit graphs: built node by node, instantiated, launched, edited. Expected answers are those
// of driver 580.
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <sstream>
#include <vector>

#include "tests/sim/cudart/kernels.hpp"

namespace {

class Graphs : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(cudaMalloc(&memory_, bytes), cudaSuccess);
    ASSERT_EQ(cudaMemset(memory_, 0, bytes), cudaSuccess);
    ASSERT_EQ(cudaStreamCreate(&stream_), cudaSuccess);  // follows cudaMemset
    graph_ = make_graph();
  }
  void TearDown() override {
    EXPECT_EQ(cudaStreamSynchronize(stream_), cudaSuccess);
    for (cudaGraphExec_t exec : executables_) EXPECT_EQ(cudaGraphExecDestroy(exec), cudaSuccess);
    for (cudaGraph_t graph : graphs_) EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
    EXPECT_EQ(cudaStreamDestroy(stream_), cudaSuccess);
    EXPECT_EQ(cudaFree(memory_), cudaSuccess);
    cudaGetLastError();
  }

  cudaGraph_t make_graph() {
    cudaGraph_t graph{};
    EXPECT_EQ(cudaGraphCreate(&graph, 0), cudaSuccess);
    graphs_.push_back(graph);
    return graph;
  }
  cudaGraphExec_t instantiate(cudaGraph_t graph) {
    cudaGraphExec_t exec{};
    EXPECT_EQ(cudaGraphInstantiate(&exec, graph, 0), cudaSuccess);
    executables_.push_back(exec);
    return exec;
  }
  void launch(cudaGraphExec_t exec) {
    ASSERT_EQ(cudaGraphLaunch(exec, stream_), cudaSuccess);
    ASSERT_EQ(cudaStreamSynchronize(stream_), cudaSuccess);
  }

  // out[i] = i + 3 for i < count
  struct Arguments {
    void* out;
    int count;
    void* pointers[2] = {&out, &count};
  };
  static cudaKernelNodeParams kernel(Arguments& arguments) {
    cudaKernelNodeParams parameters{};
    parameters.func = const_cast<void*>(kernels::store_index());
    parameters.gridDim = dim3(1);
    parameters.blockDim = dim3(32);
    parameters.kernelParams = arguments.pointers;
    return parameters;
  }
  cudaGraphNode_t add_kernel(cudaGraph_t graph, std::vector<cudaGraphNode_t> before, int count) {
    Arguments arguments{memory_, count};
    const cudaKernelNodeParams parameters = kernel(arguments);
    cudaGraphNode_t node{};
    EXPECT_EQ(cudaGraphAddKernelNode(&node, graph, before.data(), before.size(), &parameters),
              cudaSuccess);
    return node;
  }
  static cudaMemsetParams fill(void* to, unsigned value, unsigned element, size_t width) {
    cudaMemsetParams parameters{};
    parameters.dst = to;
    parameters.value = value;
    parameters.elementSize = element;
    parameters.width = width;
    parameters.height = 1;
    return parameters;
  }
  int at(int index) {
    int value = -1;
    EXPECT_EQ(cudaMemcpy(&value, static_cast<int*>(memory_) + index, sizeof value,
                         cudaMemcpyDeviceToHost),
              cudaSuccess);
    return value;
  }

  static constexpr size_t bytes = 4096;
  void* memory_ = nullptr;
  cudaStream_t stream_{};
  cudaGraph_t graph_{};

 private:
  std::vector<cudaGraph_t> graphs_;
  std::vector<cudaGraphExec_t> executables_;
};

TEST_F(Graphs, RunsItsNodesAlongTheEdges) {
  const cudaMemsetParams parameters = fill(memory_, 77, 4, 16);
  cudaGraphNode_t filled{}, copied{};
  ASSERT_EQ(cudaGraphAddMemsetNode(&filled, graph_, nullptr, 0, &parameters), cudaSuccess);
  const cudaGraphNode_t stored = add_kernel(graph_, {filled}, 8);
  std::vector<int> result(16);
  ASSERT_EQ(cudaGraphAddMemcpyNode1D(&copied, graph_, &stored, 1, result.data(), memory_,
                                     16 * sizeof(int), cudaMemcpyDeviceToHost),
            cudaSuccess);
  const cudaGraphExec_t exec = instantiate(graph_);
  for (int round = 0; round < 3; ++round) {
    std::fill(result.begin(), result.end(), 0);
    launch(exec);
    for (int i = 0; i < 16; ++i) EXPECT_EQ(result[i], i < 8 ? i + 3 : 77);
  }
}

TEST_F(Graphs, HostNodesAndJoins) {
  int counter = 0;
  const auto count = [](void* data) { ++*static_cast<int*>(data); };
  cudaHostNodeParams parameters{count, &counter};
  std::vector<cudaGraphNode_t> nodes(3);
  for (auto& node : nodes)
    ASSERT_EQ(cudaGraphAddHostNode(&node, graph_, nullptr, 0, &parameters), cudaSuccess);
  cudaGraphNode_t join{}, last{};
  ASSERT_EQ(cudaGraphAddEmptyNode(&join, graph_, nodes.data(), nodes.size()), cudaSuccess);
  struct Seen {
    int* counter;
    int value;
  } seen{&counter, 0};
  const auto look = [](void* data) {
    auto* both = static_cast<Seen*>(data);
    both->value = *both->counter;
  };
  parameters = {look, &seen};
  ASSERT_EQ(cudaGraphAddHostNode(&last, graph_, &join, 1, &parameters), cudaSuccess);
  launch(instantiate(graph_));
  EXPECT_EQ(seen.value, 3);
}

TEST_F(Graphs, ChildGraphsRunAsOneNode) {
  const cudaGraph_t child = make_graph();
  add_kernel(child, {add_kernel(child, {}, 4)}, 8);
  cudaGraphNode_t node{};
  ASSERT_EQ(cudaGraphAddChildGraphNode(&node, graph_, nullptr, 0, child), cudaSuccess);
  const cudaMemsetParams parameters = fill(memory_, 9, 4, 2);
  cudaGraphNode_t after{};
  ASSERT_EQ(cudaGraphAddMemsetNode(&after, graph_, &node, 1, &parameters), cudaSuccess);
  cudaGraph_t inner{};
  ASSERT_EQ(cudaGraphChildGraphNodeGetGraph(node, &inner), cudaSuccess);
  EXPECT_NE(inner, child);
  EXPECT_EQ(cudaGraphDestroy(inner), cudaErrorInvalidValue);
  launch(instantiate(graph_));
  EXPECT_EQ(at(0), 9);
  EXPECT_EQ(at(7), 10);
}

TEST_F(Graphs, EventsInGraphsAreRecorded) {
  cudaEvent_t start{}, stop{};
  ASSERT_EQ(cudaEventCreate(&start), cudaSuccess);
  ASSERT_EQ(cudaEventCreate(&stop), cudaSuccess);
  cudaGraphNode_t first{}, last{};
  ASSERT_EQ(cudaGraphAddEventRecordNode(&first, graph_, nullptr, 0, start), cudaSuccess);
  const cudaGraphNode_t work = add_kernel(graph_, {first}, 32);
  ASSERT_EQ(cudaGraphAddEventRecordNode(&last, graph_, &work, 1, stop), cudaSuccess);
  launch(instantiate(graph_));
  float milliseconds = -1;
  EXPECT_EQ(cudaEventElapsedTime(&milliseconds, start, stop), cudaSuccess);
  EXPECT_GT(milliseconds, 0);
  EXPECT_EQ(cudaEventDestroy(start), cudaSuccess);
  EXPECT_EQ(cudaEventDestroy(stop), cudaSuccess);
}

TEST_F(Graphs, ShowsWhatItIs) {
  const cudaGraphNode_t a = add_kernel(graph_, {}, 5), b = add_kernel(graph_, {a}, 6);
  cudaGraphNode_t c{};
  ASSERT_EQ(cudaGraphAddEmptyNode(&c, graph_, nullptr, 0), cudaSuccess);
  size_t count = 0;
  ASSERT_EQ(cudaGraphGetNodes(graph_, nullptr, &count), cudaSuccess);
  EXPECT_EQ(count, 3u);
  cudaGraphNode_t nodes[5] = {a, a, a, a, a};
  count = 5;
  ASSERT_EQ(cudaGraphGetNodes(graph_, nodes, &count), cudaSuccess);
  EXPECT_EQ(count, 3u);
  EXPECT_EQ(nodes[1], b);
  EXPECT_EQ(nodes[4], nullptr);
  count = 5;
  ASSERT_EQ(cudaGraphGetRootNodes(graph_, nodes, &count), cudaSuccess);
  EXPECT_EQ(count, 2u);
  cudaGraphNode_t from{}, to{};
  count = 1;
  ASSERT_EQ(cudaGraphGetEdges(graph_, &from, &to, nullptr, &count), cudaSuccess);
  EXPECT_EQ(from, a);
  EXPECT_EQ(to, b);
  cudaGraphNodeType type{};
  ASSERT_EQ(cudaGraphNodeGetType(c, &type), cudaSuccess);
  EXPECT_EQ(type, cudaGraphNodeTypeEmpty);
  cudaKernelNodeParams parameters{};
  ASSERT_EQ(cudaGraphKernelNodeGetParams(b, &parameters), cudaSuccess);
  EXPECT_EQ(parameters.func, kernels::store_index());
  EXPECT_EQ(*static_cast<int*>(parameters.kernelParams[1]), 6);
  EXPECT_EQ(cudaGraphKernelNodeGetParams(c, &parameters), cudaErrorInvalidValue);
}

TEST_F(Graphs, CyclesAreFoundWhenItIsInstantiated) {
  const cudaGraphNode_t a = add_kernel(graph_, {}, 1), b = add_kernel(graph_, {a}, 1);
  EXPECT_EQ(cudaGraphAddDependencies(graph_, &a, &b, nullptr, 1), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGraphAddDependencies(graph_, &a, &a, nullptr, 1), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGraphAddDependencies(graph_, &b, &a, nullptr, 1), cudaSuccess);
  cudaGraphExec_t exec{};
  EXPECT_EQ(cudaGraphInstantiate(&exec, graph_, 0), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGraphRemoveDependencies(graph_, &b, &a, nullptr, 1), cudaSuccess);
  instantiate(graph_);
}

TEST_F(Graphs, TheExecutableIsEditedWithoutTheGraph) {
  const cudaGraphNode_t node = add_kernel(graph_, {}, 4);
  const cudaGraphExec_t exec = instantiate(graph_);
  Arguments arguments{memory_, 10};
  const cudaKernelNodeParams parameters = kernel(arguments);
  ASSERT_EQ(cudaGraphExecKernelNodeSetParams(exec, node, &parameters), cudaSuccess);
  launch(exec);
  EXPECT_EQ(at(9), 12);
  EXPECT_EQ(at(10), 0);
  ASSERT_EQ(cudaMemset(memory_, 0, bytes), cudaSuccess);
  launch(instantiate(graph_));
  EXPECT_EQ(at(3), 6);
  EXPECT_EQ(at(4), 0);
  ASSERT_EQ(cudaMemset(memory_, 0, bytes), cudaSuccess);
  ASSERT_EQ(cudaGraphNodeSetEnabled(exec, node, 0), cudaSuccess);
  launch(exec);
  EXPECT_EQ(at(0), 0);
  const cudaGraphNode_t stranger = add_kernel(make_graph(), {}, 1);
  EXPECT_EQ(cudaGraphExecKernelNodeSetParams(exec, stranger, &parameters), cudaErrorInvalidValue);
}

TEST_F(Graphs, CopiesAndFillsKeepTheirKindWhenEdited) {
  const cudaMemsetParams parameters = fill(memory_, 1, 4, 4);
  cudaGraphNode_t filled{}, copied{};
  std::vector<int> source{5, 6, 7, 8};
  ASSERT_EQ(cudaGraphAddMemsetNode(&filled, graph_, nullptr, 0, &parameters), cudaSuccess);
  ASSERT_EQ(cudaGraphAddMemcpyNode1D(&copied, graph_, &filled, 1, memory_, source.data(), 8,
                                     cudaMemcpyHostToDevice),
            cudaSuccess);
  const cudaGraphExec_t exec = instantiate(graph_);
  cudaMemsetParams other = fill(memory_, 2, 2, 8);
  EXPECT_EQ(cudaGraphExecMemsetNodeSetParams(exec, filled, &other), cudaSuccess);
  other.height = 2;
  other.pitch = 64;
  EXPECT_EQ(cudaGraphExecMemsetNodeSetParams(exec, filled, &other), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGraphExecMemcpyNodeSetParams1D(exec, copied, source.data(), memory_, 8,
                                               cudaMemcpyDeviceToHost),
            cudaErrorInvalidValue);
  EXPECT_EQ(cudaGraphExecMemcpyNodeSetParams1D(exec, copied, memory_, source.data() + 2, 4,
                                               cudaMemcpyHostToDevice),
            cudaSuccess);
  launch(exec);
  EXPECT_EQ(at(0), 7);
  EXPECT_EQ(at(1), 0x00020002);
}

TEST_F(Graphs, UpdatesFromAGraphOfTheSameShape) {
  const cudaGraphNode_t first = add_kernel(graph_, {}, 1);
  add_kernel(graph_, {first}, 2);
  const cudaGraphExec_t exec = instantiate(graph_);
  cudaGraphExecUpdateResultInfo info{};
  const cudaGraph_t shorter = make_graph();
  const cudaGraphNode_t one = add_kernel(shorter, {}, 3);
  EXPECT_EQ(cudaGraphExecUpdate(exec, shorter, &info), cudaErrorGraphExecUpdateFailure);
  EXPECT_EQ(info.result, cudaGraphExecUpdateErrorTopologyChanged);
  const cudaGraphNode_t two = add_kernel(shorter, {}, 20);
  EXPECT_EQ(cudaGraphExecUpdate(exec, shorter, &info), cudaErrorGraphExecUpdateFailure);
  EXPECT_EQ(info.result, cudaGraphExecUpdateErrorTopologyChanged);
  ASSERT_EQ(cudaGraphAddDependencies(shorter, &one, &two, nullptr, 1), cudaSuccess);
  EXPECT_EQ(cudaGraphExecUpdate(exec, shorter, &info), cudaSuccess);
  EXPECT_EQ(info.result, cudaGraphExecUpdateSuccess);
  launch(exec);
  EXPECT_EQ(at(19), 22);
  const cudaGraph_t other = make_graph();
  cudaGraphNode_t empty{};
  const cudaGraphNode_t root = add_kernel(other, {}, 1);
  ASSERT_EQ(cudaGraphAddEmptyNode(&empty, other, &root, 1), cudaSuccess);
  EXPECT_EQ(cudaGraphExecUpdate(exec, other, &info), cudaErrorGraphExecUpdateFailure);
  EXPECT_EQ(info.result, cudaGraphExecUpdateErrorNodeTypeChanged);
  EXPECT_EQ(info.errorNode, empty);
}

TEST_F(Graphs, ClonesAreFoundByTheirOriginals) {
  const cudaGraphNode_t node = add_kernel(graph_, {}, 4);
  cudaGraph_t clone{};
  cudaGraphNode_t copy{};
  ASSERT_EQ(cudaGraphClone(&clone, graph_), cudaSuccess);
  ASSERT_EQ(cudaGraphNodeFindInClone(&copy, node, clone), cudaSuccess);
  EXPECT_NE(copy, node);
  EXPECT_EQ(cudaGraphNodeFindInClone(&copy, node, graph_), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGraphDestroy(clone), cudaSuccess);
}

TEST_F(Graphs, MemoryOfAGraphLastsAsLongAsTheGraph) {
  cudaMemAllocNodeParams parameters{};
  parameters.poolProps.allocType = cudaMemAllocationTypePinned;
  parameters.poolProps.location.type = cudaMemLocationTypeDevice;
  parameters.bytesize = 1024;
  cudaGraphNode_t made{}, filled{}, copied{}, freed{};
  ASSERT_EQ(cudaGraphAddMemAllocNode(&made, graph_, nullptr, 0, &parameters), cudaSuccess);
  const cudaMemsetParams fives = fill(parameters.dptr, 5, 4, 256);
  ASSERT_EQ(cudaGraphAddMemsetNode(&filled, graph_, &made, 1, &fives), cudaSuccess);
  ASSERT_EQ(cudaGraphAddMemcpyNode1D(&copied, graph_, &filled, 1, memory_, parameters.dptr, 1024,
                                     cudaMemcpyDeviceToDevice),
            cudaSuccess);
  ASSERT_EQ(cudaGraphAddMemFreeNode(&freed, graph_, &copied, 1, parameters.dptr), cudaSuccess);
  const cudaGraphExec_t exec = instantiate(graph_);
  cudaGraphExec_t second{};
  EXPECT_EQ(cudaGraphInstantiate(&second, graph_, 0), cudaErrorNotSupported);
  for (int round = 0; round < 2; ++round) {
    launch(exec);
    EXPECT_EQ(at(255), 5);
    ASSERT_EQ(cudaMemset(memory_, 0, bytes), cudaSuccess);
  }
  cudaGraph_t clone{};
  EXPECT_EQ(cudaGraphClone(&clone, graph_), cudaErrorNotSupported);
}

TEST_F(Graphs, PrintsDot) {
  add_kernel(graph_, {add_kernel(graph_, {}, 1)}, 1);
  const std::string path = testing::TempDir() + "aisp_graph.dot";
  ASSERT_EQ(cudaGraphDebugDotPrint(graph_, path.c_str(), 0), cudaSuccess);
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  EXPECT_NE(text.str().find("digraph"), std::string::npos);
  EXPECT_NE(text.str().find("->"), std::string::npos);
  std::remove(path.c_str());
}

TEST_F(Graphs, WrongArgumentsAreRefused) {
  cudaGraph_t graph{};
  cudaGraphNode_t node{};
  EXPECT_EQ(cudaGraphCreate(&graph, 1), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGraphCreate(nullptr, 0), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGraphDestroy(nullptr), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGraphLaunch(nullptr, stream_), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGraphAddEmptyNode(&node, nullptr, nullptr, 0), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGraphAddEmptyNode(&node, graph_, nullptr, 1), cudaErrorInvalidValue);
  cudaMemsetParams three = fill(memory_, 1, 3, 4);
  EXPECT_EQ(cudaGraphAddMemsetNode(&node, graph_, nullptr, 0, &three), cudaErrorInvalidValue);
  int host = 0;
  EXPECT_EQ(cudaGraphAddMemcpyNode1D(&node, graph_, nullptr, 0, memory_, &host, 4,
                                     cudaMemcpyDeviceToHost),
            cudaErrorInvalidValue);
  Arguments arguments{memory_, 1};
  cudaKernelNodeParams parameters = kernel(arguments);
  parameters.blockDim = dim3(2000);
  EXPECT_EQ(cudaGraphAddKernelNode(&node, graph_, nullptr, 0, &parameters), cudaErrorInvalidValue);
  parameters.func = nullptr;
  EXPECT_EQ(cudaGraphAddKernelNode(&node, graph_, nullptr, 0, &parameters),
            cudaErrorInvalidDeviceFunction);
}

}  // namespace
