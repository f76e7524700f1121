// Conditional nodes of graphs: which body runs is known when the node is reached.
#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <vector>

#include "tests/sim/cudart/kernels.hpp"

namespace {

class Conditions : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), cudaSuccess);
    void* memory = nullptr;
    ASSERT_EQ(cudaMallocManaged(&memory, 64 * sizeof(int), cudaMemAttachGlobal), cudaSuccess);
    numbers_ = static_cast<int*>(memory);
    for (int i = 0; i < 64; ++i) numbers_[i] = 0;
    ASSERT_EQ(cudaGraphCreate(&graph_, 0), cudaSuccess);
  }
  void TearDown() override {
    EXPECT_EQ(cudaStreamSynchronize(stream_), cudaSuccess);
    if (exec_ != nullptr) {
      EXPECT_EQ(cudaGraphExecDestroy(exec_), cudaSuccess);
    }
    EXPECT_EQ(cudaGraphDestroy(graph_), cudaSuccess);
    EXPECT_EQ(cudaFree(numbers_), cudaSuccess);
    EXPECT_EQ(cudaStreamDestroy(stream_), cudaSuccess);
    cudaGetLastError();
  }

  static cudaGraphConditionalHandle make_handle(cudaGraph_t graph) {
    cudaGraphConditionalHandle handle{};
    EXPECT_EQ(cudaGraphConditionalHandleCreate(&handle, graph, 0, 0), cudaSuccess);
    return handle;
  }
  static cudaGraphConditionalHandle make_handle(cudaGraph_t graph, unsigned first) {
    cudaGraphConditionalHandle handle{};
    EXPECT_EQ(cudaGraphConditionalHandleCreate(&handle, graph, first, cudaGraphCondAssignDefault),
              cudaSuccess);
    return handle;
  }

  using Nodes = std::vector<cudaGraphNode_t>;
  static cudaGraphNode_t add(cudaGraph_t graph, const Nodes& before, cudaGraphNodeParams& params) {
    cudaGraphNode_t node{};
    EXPECT_EQ(cudaGraphAddNode(&node, graph, before.data(), nullptr, before.size(), &params),
              cudaSuccess);
    return node;
  }
  static cudaGraphNode_t kernel(cudaGraph_t graph, const Nodes& before, const void* function,
                                std::vector<void*> arguments) {
    cudaGraphNodeParams params{};
    params.type = cudaGraphNodeTypeKernel;
    params.kernel.func = const_cast<void*>(function);
    params.kernel.gridDim = params.kernel.blockDim = dim3(1);
    params.kernel.kernelParams = arguments.data();
    return add(graph, before, params);
  }
  // numbers[at] += amount
  cudaGraphNode_t sum(cudaGraph_t graph, const Nodes& before, int at, int amount) {
    int* where = numbers_ + at;
    return kernel(graph, before, kernels::add_to(), {&where, &amount});
  }
  // The condition becomes numbers[at].
  cudaGraphNode_t decide(cudaGraph_t graph, const Nodes& before, cudaGraphConditionalHandle handle,
                         int at) {
    int* where = numbers_ + at;
    return kernel(graph, before, kernels::decide(), {&handle, &where});
  }
  // Goes on while --numbers[at] > 0.
  cudaGraphNode_t count_down(cudaGraph_t graph, const Nodes& before,
                             cudaGraphConditionalHandle handle, int at) {
    int* where = numbers_ + at;
    return kernel(graph, before, kernels::count_down(), {&handle, &where});
  }

  struct Branch {
    cudaGraphNode_t node;
    std::vector<cudaGraph_t> bodies;
  };
  static Branch branch(cudaGraph_t graph, const Nodes& before, cudaGraphConditionalHandle handle,
                       cudaGraphConditionalNodeType type, unsigned size) {
    cudaGraphNodeParams params{};
    params.type = cudaGraphNodeTypeConditional;
    params.conditional.handle = handle;
    params.conditional.type = type;
    params.conditional.size = size;
    const cudaGraphNode_t node = add(graph, before, params);
    const cudaGraph_t* out = params.conditional.phGraph_out;
    return {node, {out, out + size}};
  }

  void instantiate() { ASSERT_EQ(cudaGraphInstantiate(&exec_, graph_, 0), cudaSuccess); }
  void launch() {
    ASSERT_EQ(cudaGraphLaunch(exec_, stream_), cudaSuccess);
    ASSERT_EQ(cudaStreamSynchronize(stream_), cudaSuccess);
  }

  cudaStream_t stream_{};
  int* numbers_ = nullptr;
  cudaGraph_t graph_{};
  cudaGraphExec_t exec_{};
};

TEST_F(Conditions, IfTakesOneOfTwoBodiesByWhatAKernelSet) {
  const auto handle = make_handle(graph_);
  const auto first = decide(graph_, {}, handle, 0);
  const Branch branch = this->branch(graph_, {first}, handle, cudaGraphCondTypeIf, 2);
  sum(branch.bodies[0], {}, 1, 10);
  sum(branch.bodies[1], {}, 2, 100);
  sum(graph_, {branch.node}, 3, 1);
  instantiate();
  numbers_[0] = 7;
  launch();
  EXPECT_EQ(numbers_[1], 10);
  EXPECT_EQ(numbers_[2], 0);
  numbers_[0] = 0;
  launch();
  launch();
  EXPECT_EQ(numbers_[1], 10);
  EXPECT_EQ(numbers_[2], 200);
  EXPECT_EQ(numbers_[3], 3);
}

TEST_F(Conditions, IfWithoutElseMayDoNothing) {
  const auto handle = make_handle(graph_, 0);
  const Branch branch = this->branch(graph_, {}, handle, cudaGraphCondTypeIf, 1);
  sum(branch.bodies[0], {}, 1, 1);
  sum(graph_, {branch.node}, 2, 1);
  instantiate();
  launch();
  EXPECT_EQ(numbers_[1], 0);
  EXPECT_EQ(numbers_[2], 1);
}

TEST_F(Conditions, WhileRunsAsOftenAsTheDataAsk) {
  const auto handle = make_handle(graph_, 1);
  const Branch loop = branch(graph_, {}, handle, cudaGraphCondTypeWhile, 1);
  const auto body = sum(loop.bodies[0], {}, 1, 1);
  count_down(loop.bodies[0], {body}, handle, 0);
  sum(graph_, {loop.node}, 2, 1);
  instantiate();
  for (const int rounds : {5, 1, 37}) {
    numbers_[0] = rounds;
    numbers_[1] = 0;
    launch();
    EXPECT_EQ(numbers_[1], rounds);
    EXPECT_EQ(numbers_[0], 0);
  }
  EXPECT_EQ(numbers_[2], 3);
}

TEST_F(Conditions, SwitchTakesTheBodyOfTheValue) {
  const auto handle = make_handle(graph_);
  const auto first = decide(graph_, {}, handle, 0);
  const Branch branch = this->branch(graph_, {first}, handle, cudaGraphCondTypeSwitch, 3);
  for (int i = 0; i < 3; ++i) sum(branch.bodies[static_cast<std::size_t>(i)], {}, 1 + i, 1);
  instantiate();
  for (const int value : {2, 0, 2, 1, 3, 1000}) {  // the last two have no body
    numbers_[0] = value;
    launch();
  }
  EXPECT_EQ(std::vector<int>(numbers_ + 1, numbers_ + 4), (std::vector<int>{1, 1, 2}));
}

TEST_F(Conditions, NestedBodiesHaveConditionsOfTheirOwn) {
  const auto outer = make_handle(graph_, 1);
  const Branch rows = branch(graph_, {}, outer, cudaGraphCondTypeWhile, 1);
  const cudaGraph_t row = rows.bodies[0];
  const auto inner = make_handle(row, 1);  // assigned once, when the graph begins
  const auto reset = sum(row, {}, 1, 3);
  const Branch columns = branch(row, {reset}, inner, cudaGraphCondTypeWhile, 1);
  const auto cell = sum(columns.bodies[0], {}, 2, 1);
  count_down(columns.bodies[0], {cell}, inner, 1);
  count_down(row, {columns.node}, outer, 0);
  instantiate();
  numbers_[0] = 4;
  launch();
  EXPECT_EQ(numbers_[2], 3);  // the first row has columns, as on an H200
}

TEST_F(Conditions, LaunchesFollowEachOtherAndTheStreamGoesOnBehindThem) {
  const auto handle = make_handle(graph_, 1);
  const Branch loop = branch(graph_, {}, handle, cudaGraphCondTypeWhile, 1);
  const auto body = sum(loop.bodies[0], {}, 1, 1);
  count_down(loop.bodies[0], {body}, handle, 0);
  instantiate();
  int *left = numbers_, amount = 6;
  void* arguments[] = {&left, &amount};
  for (int i = 0; i < 3; ++i) {
    ASSERT_EQ(cudaLaunchKernel(kernels::add_to(), dim3(1), dim3(1), arguments, 0, stream_),
              cudaSuccess);
    ASSERT_EQ(cudaGraphLaunch(exec_, stream_), cudaSuccess);
  }
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(numbers_[1], 18);
}

TEST_F(Conditions, ABodyMayBeCaptured) {
  const auto handle = make_handle(graph_, 1);
  const Branch loop = branch(graph_, {}, handle, cudaGraphCondTypeWhile, 1);
  ASSERT_EQ(cudaStreamBeginCaptureToGraph(stream_, loop.bodies[0], nullptr, nullptr, 0,
                                          cudaStreamCaptureModeGlobal),
            cudaSuccess);
  int *left = numbers_, *rounds = numbers_ + 1, one = 1;
  void *adding[] = {&rounds, &one}, *counting[] = {const_cast<unsigned long long*>(&handle), &left};
  ASSERT_EQ(cudaLaunchKernel(kernels::add_to(), dim3(1), dim3(1), adding, 0, stream_), cudaSuccess);
  ASSERT_EQ(cudaLaunchKernel(kernels::count_down(), dim3(1), dim3(1), counting, 0, stream_),
            cudaSuccess);
  cudaGraph_t captured{};
  ASSERT_EQ(cudaStreamEndCapture(stream_, &captured), cudaSuccess);
  EXPECT_EQ(captured, loop.bodies[0]);
  instantiate();
  numbers_[0] = 9;
  launch();
  EXPECT_EQ(numbers_[1], 9);
}

TEST_F(Conditions, WhatIsWrongWithANodeIsRefused) {
  cudaGraphConditionalHandle handle{};
  EXPECT_EQ(cudaGraphConditionalHandleCreate(nullptr, graph_, 0, 0), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGraphConditionalHandleCreate(&handle, graph_, 0, 2), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGraphConditionalHandleCreate(&handle, nullptr, 0, 0), cudaErrorInvalidValue);
  handle = make_handle(graph_);
  cudaGraph_t other{};
  ASSERT_EQ(cudaGraphCreate(&other, 0), cudaSuccess);
  const auto refused = [](cudaGraph_t graph, cudaConditionalNodeParams conditional) {
    cudaGraphNodeParams params{};
    params.type = cudaGraphNodeTypeConditional;
    params.conditional = conditional;
    cudaGraphNode_t node{};
    EXPECT_EQ(cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, &params), cudaErrorInvalidValue);
  };
  refused(graph_, {handle, cudaGraphCondTypeIf, 3, nullptr});
  refused(graph_, {handle, cudaGraphCondTypeIf, 0, nullptr});
  refused(graph_, {handle, cudaGraphCondTypeWhile, 2, nullptr});
  refused(graph_, {handle, cudaGraphCondTypeSwitch, 0, nullptr});
  refused(graph_, {handle + 1000, cudaGraphCondTypeIf, 1, nullptr});
  refused(other, {handle, cudaGraphCondTypeIf, 1, nullptr});  // a handle of another graph
  EXPECT_EQ(cudaGraphDestroy(other), cudaSuccess);
}

TEST_F(Conditions, SuchAGraphHasOneExecutableAndNoCopies) {
  const auto handle = make_handle(graph_);
  cudaGraphInstantiateParams with{};
  EXPECT_EQ(cudaGraphInstantiateWithParams(&exec_, graph_, &with), cudaErrorInvalidValue);
  EXPECT_EQ(with.result_out, cudaGraphInstantiateConditionalHandleUnused);
  exec_ = nullptr;
  const Branch branch = this->branch(graph_, {}, handle, cudaGraphCondTypeIf, 1);
  instantiate();
  cudaGraphExec_t second{};
  EXPECT_EQ(cudaGraphInstantiate(&second, graph_, 0), cudaErrorNotSupported);
  cudaGraph_t clone{}, parent{};
  EXPECT_EQ(cudaGraphClone(&clone, graph_), cudaErrorNotSupported);
  ASSERT_EQ(cudaGraphCreate(&parent, 0), cudaSuccess);
  cudaGraphNode_t node{};
  EXPECT_EQ(cudaGraphAddChildGraphNode(&node, parent, nullptr, 0, graph_), cudaErrorNotSupported);
  EXPECT_EQ(cudaGraphDestroy(parent), cudaSuccess);
  EXPECT_EQ(cudaGraphDestroy(branch.bodies[0]), cudaErrorInvalidValue);  // the node's own
}

TEST_F(Conditions, BodiesHoldNoHostFunctions) {
  const Branch branch = this->branch(graph_, {}, make_handle(graph_), cudaGraphCondTypeIf, 1);
  cudaHostNodeParams host{[](void*) {}, nullptr};
  cudaGraphNode_t node{};
  ASSERT_EQ(cudaGraphAddHostNode(&node, branch.bodies[0], nullptr, 0, &host), cudaSuccess);
  EXPECT_EQ(cudaGraphInstantiate(&exec_, graph_, 0), cudaErrorInvalidValue);
  exec_ = nullptr;
}

TEST_F(Conditions, AnUpdateReachesIntoBodiesButNotTheNodeItself) {
  const auto make = [&](cudaGraph_t graph, int amount, cudaGraphConditionalNodeType type) {
    const auto handle = make_handle(graph);
    const auto first = decide(graph, {}, handle, 0);
    sum(branch(graph, {first}, handle, type, 1).bodies[0], {}, 1, amount);
  };
  make(graph_, 1, cudaGraphCondTypeIf);
  instantiate();
  numbers_[0] = 1;
  launch();
  cudaGraph_t same{}, other{};
  ASSERT_EQ(cudaGraphCreate(&same, 0), cudaSuccess);
  ASSERT_EQ(cudaGraphCreate(&other, 0), cudaSuccess);
  make(same, 10, cudaGraphCondTypeIf);
  make(other, 100, cudaGraphCondTypeSwitch);
  cudaGraphExecUpdateResultInfo info{};
  EXPECT_EQ(cudaGraphExecUpdate(exec_, other, &info), cudaErrorGraphExecUpdateFailure);
  EXPECT_EQ(info.result, cudaGraphExecUpdateErrorNotSupported);
  EXPECT_EQ(cudaGraphExecUpdate(exec_, same, &info), cudaSuccess);
  launch();
  EXPECT_EQ(numbers_[1], 11);
  EXPECT_EQ(cudaGraphDestroy(same), cudaSuccess);
  EXPECT_EQ(cudaGraphDestroy(other), cudaSuccess);
  launch();  // the handle that its kernels set now lives with the executable
  EXPECT_EQ(numbers_[1], 21);
}

TEST_F(Conditions, ADrawingShowsTheBodies) {
  const Branch branch = this->branch(graph_, {}, make_handle(graph_), cudaGraphCondTypeSwitch, 2);
  sum(branch.bodies[1], {}, 0, 1);
  const std::string path = testing::TempDir() + "aisp_conditional.dot";
  ASSERT_EQ(cudaGraphDebugDotPrint(graph_, path.c_str(), 0), cudaSuccess);
  if (dlsym(RTLD_DEFAULT, "aispSimulated") == nullptr) return;
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  EXPECT_THAT(text.str(), testing::HasSubstr("CONDITIONAL\\nSWITCH"));
  EXPECT_THAT(text.str(), testing::HasSubstr("body 1"));
  EXPECT_THAT(text.str(), testing::HasSubstr("add_to_kernel"));
}

}  // namespace
