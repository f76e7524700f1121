// Memory that one graph allocates and something else frees: another graph's node, a captured
// cudaFreeAsync, cudaFreeAsync and cudaFree, the next launch. The rules are those in the comments
// of cudaGraphAddMemAllocNode and cudaGraphAddMemFreeNode.
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <vector>

namespace {

constexpr std::size_t bytes = 1 << 16;

class GraphMemory : public testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(cudaStreamCreate(&stream_), cudaSuccess); }
  void TearDown() override {
    EXPECT_EQ(cudaStreamSynchronize(stream_), cudaSuccess);
    for (cudaGraphExec_t exec : executables_) EXPECT_EQ(cudaGraphExecDestroy(exec), cudaSuccess);
    for (cudaGraph_t graph : graphs_) EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
    EXPECT_EQ(cudaStreamDestroy(stream_), cudaSuccess);
    cudaGetLastError();
  }

  cudaGraph_t make_graph() {
    cudaGraph_t graph{};
    EXPECT_EQ(cudaGraphCreate(&graph, 0), cudaSuccess);
    graphs_.push_back(graph);
    return graph;
  }
  // A graph that allocates, and fills what it has allocated.
  cudaGraph_t allocating_graph(void** memory) {
    cudaGraph_t graph = make_graph();
    cudaGraphNode_t allocated{}, filled{};
    cudaMemAllocNodeParams wanted{};
    wanted.poolProps.allocType = cudaMemAllocationTypePinned;
    wanted.poolProps.location.type = cudaMemLocationTypeDevice;
    wanted.bytesize = bytes;
    EXPECT_EQ(cudaGraphAddMemAllocNode(&allocated, graph, nullptr, 0, &wanted), cudaSuccess);
    *memory = wanted.dptr;
    const cudaMemsetParams fill{wanted.dptr, 0, 7, 1, bytes, 1};
    EXPECT_EQ(cudaGraphAddMemsetNode(&filled, graph, &allocated, 1, &fill), cudaSuccess);
    return graph;
  }
  cudaError_t add_free(cudaGraph_t graph, void* memory) {
    cudaGraphNode_t node{};
    return cudaGraphAddMemFreeNode(&node, graph, nullptr, 0, memory);
  }
  cudaGraph_t freeing_graph(void* memory) {
    cudaGraph_t graph = make_graph();
    EXPECT_EQ(add_free(graph, memory), cudaSuccess);
    return graph;
  }
  cudaGraphExec_t instantiate(cudaGraph_t graph, unsigned long long flags = 0) {
    cudaGraphExec_t exec{};
    EXPECT_EQ(cudaGraphInstantiate(&exec, graph, flags), cudaSuccess);
    executables_.push_back(exec);
    return exec;
  }
  void destroy(cudaGraph_t graph) {
    EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
    std::erase(graphs_, graph);
  }
  void destroy(cudaGraphExec_t exec) {
    EXPECT_EQ(cudaGraphExecDestroy(exec), cudaSuccess);
    std::erase(executables_, exec);
  }
  cudaError_t launch(cudaGraphExec_t exec) { return cudaGraphLaunch(exec, stream_); }
  // The last byte, or -1 where nothing is allocated.
  int last_byte(const void* memory) {
    unsigned char value = 0;
    const void* last = static_cast<const char*>(memory) + bytes - 1;
    const cudaError_t error = cudaMemcpyAsync(&value, last, 1, cudaMemcpyDeviceToHost, stream_);
    if (error != cudaSuccess || cudaStreamSynchronize(stream_) != cudaSuccess) return -1;
    return value;
  }
  static std::size_t free_bytes() {
    std::size_t free = 0, total = 0;
    EXPECT_EQ(cudaMemGetInfo(&free, &total), cudaSuccess);
    return free;
  }

  cudaStream_t stream_{};
  std::vector<cudaGraph_t> graphs_;
  std::vector<cudaGraphExec_t> executables_;
};

TEST_F(GraphMemory, AnotherGraphFreesItInEveryTurn) {
  void* memory = nullptr;
  const cudaGraphExec_t allocates = instantiate(allocating_graph(&memory));
  const cudaGraphExec_t frees = instantiate(freeing_graph(memory));
  EXPECT_EQ(launch(frees), cudaErrorInvalidValue) << "nothing is allocated yet";
  for (int turn = 0; turn < 3; ++turn) {
    EXPECT_EQ(launch(allocates), cudaSuccess);
    EXPECT_EQ(launch(allocates), cudaErrorInvalidValue) << "it is not freed";
    EXPECT_EQ(turn == 1 ? last_byte(memory) : 7, 7);
    EXPECT_EQ(launch(frees), cudaSuccess);
    EXPECT_EQ(launch(frees), cudaErrorInvalidValue) << "it is freed";
  }
  ASSERT_EQ(cudaStreamSynchronize(stream_), cudaSuccess);
  EXPECT_EQ(last_byte(memory), -1);
  EXPECT_EQ(cudaFreeAsync(memory, stream_), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFree(memory), cudaErrorInvalidValue);
  cudaGetLastError();
}

TEST_F(GraphMemory, EveryWayToFreeItEndsOneLaunch) {
  void* memory = nullptr;
  const cudaGraphExec_t allocates = instantiate(allocating_graph(&memory));
  const cudaGraphExec_t frees = instantiate(freeing_graph(memory));
  const cudaGraphExec_t frees_as_well = instantiate(freeing_graph(memory));
  EXPECT_EQ(cudaFree(memory), cudaErrorInvalidValue) << "not launched yet";
  EXPECT_EQ(cudaFreeAsync(memory, stream_), cudaErrorInvalidValue);
  for (int way = 0; way < 8; ++way) {
    EXPECT_EQ(launch(allocates), cudaSuccess) << way;
    const cudaError_t freed = way % 4 == 0   ? launch(frees)
                              : way % 4 == 1 ? cudaFreeAsync(memory, stream_)
                              : way % 4 == 2 ? launch(frees_as_well)
                                             : cudaFree(memory);
    EXPECT_EQ(freed, cudaSuccess) << way;
    EXPECT_EQ(cudaFreeAsync(memory, stream_), cudaErrorInvalidValue) << way;
    EXPECT_EQ(launch(frees), cudaErrorInvalidValue) << way;
  }
  cudaGetLastError();
}

TEST_F(GraphMemory, FreeNodesAreOfTheOwnerOrOfOthers) {
  void *own = nullptr, *others = nullptr, *ordinary = nullptr;
  const cudaGraph_t first = allocating_graph(&own), second = allocating_graph(&others);
  EXPECT_EQ(add_free(first, own), cudaSuccess);
  EXPECT_EQ(add_free(first, own), cudaErrorInvalidValue) << "twice in the owning graph";
  EXPECT_EQ(add_free(second, own), cudaErrorInvalidValue) << "the owning graph frees it";
  const cudaGraph_t third = freeing_graph(others);
  EXPECT_EQ(add_free(third, others), cudaErrorInvalidValue) << "twice in another graph";
  EXPECT_EQ(add_free(second, others), cudaErrorInvalidValue) << "another graph frees it";
  EXPECT_EQ(add_free(make_graph(), others), cudaSuccess) << "one more may";
  ASSERT_EQ(cudaMalloc(&ordinary, 64), cudaSuccess);
  EXPECT_EQ(add_free(third, ordinary), cudaErrorInvalidValue);
  EXPECT_EQ(add_free(third, static_cast<char*>(others) + 1), cudaErrorInvalidValue);
  EXPECT_EQ(add_free(third, nullptr), cudaErrorInvalidValue);
  EXPECT_EQ(add_free(nullptr, others), cudaErrorInvalidValue);
  // What the owning graph frees is not for the program to free.
  const cudaGraphExec_t exec = instantiate(first);
  EXPECT_EQ(launch(exec), cudaSuccess);
  EXPECT_EQ(cudaFreeAsync(own, stream_), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFree(own), cudaErrorInvalidValue);
  EXPECT_EQ(launch(exec), cudaSuccess);
  EXPECT_EQ(cudaFree(ordinary), cudaSuccess);
  cudaGetLastError();
}

TEST_F(GraphMemory, GraphsThatOnlyFreeHaveTheRestrictionsToo) {
  void* memory = nullptr;
  const cudaGraph_t owner = allocating_graph(&memory), frees = make_graph();
  cudaGraphNode_t empty{}, node{};
  ASSERT_EQ(cudaGraphAddEmptyNode(&empty, frees, nullptr, 0), cudaSuccess);
  cudaGraphNodeParams parameters{};
  parameters.type = cudaGraphNodeTypeMemFree;
  parameters.free.dptr = memory;
  ASSERT_EQ(cudaGraphAddNode(&node, frees, &empty, nullptr, 1, &parameters), cudaSuccess);
  void* told = nullptr;
  EXPECT_EQ(cudaGraphMemFreeNodeGetParams(node, &told), cudaSuccess);
  EXPECT_EQ(told, memory);
  cudaGraph_t clone{};
  EXPECT_EQ(cudaGraphClone(&clone, frees), cudaErrorNotSupported);
  EXPECT_EQ(cudaGraphAddChildGraphNode(&node, owner, nullptr, 0, frees), cudaErrorNotSupported);
  EXPECT_EQ(cudaGraphDestroyNode(empty), cudaErrorNotSupported);
  instantiate(frees);
  cudaGraphExec_t second{};
  EXPECT_EQ(cudaGraphInstantiate(&second, frees, 0), cudaErrorNotSupported);
  cudaGetLastError();
}

TEST_F(GraphMemory, ACapturedFreeIsAFreeNode) {
  void *memory = nullptr, *captured = nullptr, *ordinary = nullptr;
  const cudaGraphExec_t allocates = instantiate(allocating_graph(&memory));
  ASSERT_EQ(cudaMallocAsync(&ordinary, 64, stream_), cudaSuccess);
  const auto capture = [&](const auto& body) {
    cudaGraph_t graph{};
    EXPECT_EQ(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal), cudaSuccess);
    body();
    EXPECT_EQ(cudaStreamEndCapture(stream_, &graph), cudaSuccess);
    graphs_.push_back(graph);
    return instantiate(graph);
  };
  const cudaGraphExec_t frees = capture([&] {
    EXPECT_EQ(cudaFreeAsync(memory, stream_), cudaSuccess);
    EXPECT_EQ(cudaFreeAsync(memory, stream_), cudaErrorInvalidValue) << "twice";
    EXPECT_EQ(cudaFreeAsync(ordinary, stream_), cudaErrorInvalidValue) << "no graph's";
  });
  for (int turn = 0; turn < 2; ++turn) {
    EXPECT_EQ(launch(frees), cudaErrorInvalidValue);
    EXPECT_EQ(launch(allocates), cudaSuccess);
    EXPECT_EQ(launch(frees), cudaSuccess);
  }
  // A captured allocation is the graph's, not the pool's: it can be freed and launched again.
  const cudaGraphExec_t makes = capture([&] {
    EXPECT_EQ(cudaMallocAsync(&captured, bytes, stream_), cudaSuccess);
    EXPECT_EQ(cudaMemsetAsync(captured, 9, bytes, stream_), cudaSuccess);
  });
  for (int turn = 0; turn < 2; ++turn) {
    EXPECT_EQ(launch(makes), cudaSuccess);
    EXPECT_EQ(last_byte(captured), 9);
    EXPECT_EQ(cudaFreeAsync(captured, stream_), cudaSuccess);
    EXPECT_EQ(cudaFreeAsync(captured, stream_), cudaErrorInvalidValue);
  }
  EXPECT_EQ(cudaFreeAsync(ordinary, stream_), cudaSuccess);
  cudaGetLastError();
}

TEST_F(GraphMemory, MemoryThatIsNotFreedOutlivesItsGraph) {
  const std::size_t before = free_bytes();
  for (const bool by_graph : {false, true}) {
    void* memory = nullptr;
    const cudaGraph_t graph = allocating_graph(&memory);
    const cudaGraphExec_t exec = instantiate(graph);
    EXPECT_EQ(launch(exec), cudaSuccess);
    destroy(exec);
    destroy(graph);
    EXPECT_EQ(last_byte(memory), 7);
    EXPECT_EQ(free_bytes() + bytes, before);
    if (by_graph) {
      const cudaGraph_t frees = freeing_graph(memory);
      const cudaGraphExec_t launched = instantiate(frees);
      EXPECT_EQ(launch(launched), cudaSuccess);
      EXPECT_EQ(launch(launched), cudaErrorInvalidValue);
      ASSERT_EQ(cudaStreamSynchronize(stream_), cudaSuccess);
      destroy(launched);
      destroy(frees);
    } else {
      EXPECT_EQ(cudaFreeAsync(memory, stream_), cudaSuccess);
      ASSERT_EQ(cudaStreamSynchronize(stream_), cudaSuccess);
    }
    EXPECT_EQ(last_byte(memory), -1);
    EXPECT_EQ(free_bytes(), before);
  }
  cudaGetLastError();
}

// The graph is destroyed while a free in the stream is still to come.
TEST_F(GraphMemory, TheGraphMayGoBeforeTheFreeHasRun) {
  void* memory = nullptr;
  const cudaGraph_t graph = allocating_graph(&memory);
  const cudaGraphExec_t exec = instantiate(graph);
  EXPECT_EQ(launch(exec), cudaSuccess);
  static unsigned char seen;
  seen = 0;
  ASSERT_EQ(cudaLaunchHostFunc(
                stream_, [](void* at) { seen = *static_cast<unsigned char*>(at); },
                static_cast<char*>(memory) + 5),
            cudaSuccess);
  EXPECT_EQ(cudaFreeAsync(memory, stream_), cudaSuccess);
  destroy(exec);
  destroy(graph);
  ASSERT_EQ(cudaStreamSynchronize(stream_), cudaSuccess);
  EXPECT_EQ(seen, 7);
}

TEST_F(GraphMemory, TheNextLaunchFreesIt) {
  void* memory = nullptr;
  const cudaGraph_t graph = allocating_graph(&memory);
  const cudaGraphExec_t exec = instantiate(graph, cudaGraphInstantiateFlagAutoFreeOnLaunch);
  const cudaGraphExec_t frees = instantiate(freeing_graph(memory));
  for (int turn = 0; turn < 3; ++turn) EXPECT_EQ(launch(exec), cudaSuccess);
  EXPECT_EQ(last_byte(memory), 7);
  EXPECT_EQ(launch(frees), cudaSuccess);
  EXPECT_EQ(launch(frees), cudaErrorInvalidValue);
  EXPECT_EQ(launch(exec), cudaSuccess);
  EXPECT_EQ(cudaFree(memory), cudaSuccess);
  cudaGetLastError();
}

// A child that was moved into its parent is one graph with it.
TEST_F(GraphMemory, AParentFreesWhatItsChildAllocates) {
  void* memory = nullptr;
  const cudaGraph_t child = allocating_graph(&memory), parent = make_graph();
  cudaGraphNodeParams parameters{};
  parameters.type = cudaGraphNodeTypeGraph;
  parameters.graph.graph = child;
  parameters.graph.ownership = cudaGraphChildGraphOwnershipMove;
  cudaGraphNode_t inner{}, freed{};
  ASSERT_EQ(cudaGraphAddNode(&inner, parent, nullptr, nullptr, 0, &parameters), cudaSuccess);
  std::erase(graphs_, child);
  EXPECT_EQ(cudaGraphAddMemFreeNode(&freed, parent, &inner, 1, memory), cudaSuccess);
  EXPECT_EQ(add_free(make_graph(), memory), cudaErrorInvalidValue);
  const cudaGraphExec_t exec = instantiate(parent);
  EXPECT_EQ(launch(exec), cudaSuccess);
  EXPECT_EQ(launch(exec), cudaSuccess);
  EXPECT_EQ(cudaFree(memory), cudaErrorInvalidValue);
  cudaGetLastError();
}

}  // namespace
