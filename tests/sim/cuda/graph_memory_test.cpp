// Memory that one graph allocates and another frees, by the driver's calls;
// tests/sim/cudart/graph_memory_test.cpp has all the rules.
#include "tests/sim/cuda/driver.hpp"

using driver_tests::Driver;

namespace {

class GraphMemoryOfDriver : public Driver {
 protected:
  void SetUp() override {
    Driver::SetUp();
    ASSERT_DONE(cuGraphCreate(&owner_, 0));
    ASSERT_DONE(cuGraphCreate(&other_, 0));
    CUDA_MEM_ALLOC_NODE_PARAMS wanted{};
    wanted.poolProps.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
    wanted.poolProps.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    wanted.bytesize = 4096;
    CUgraphNode node = nullptr;
    ASSERT_DONE(cuGraphAddMemAllocNode(&node, owner_, nullptr, 0, &wanted));
    memory_ = wanted.dptr;
  }
  void TearDown() override {
    EXPECT_DONE(cuGraphDestroy(owner_));
    EXPECT_DONE(cuGraphDestroy(other_));
    Driver::TearDown();
  }
  CUgraph owner_ = nullptr, other_ = nullptr;
  CUdeviceptr memory_ = 0;
};

TEST_F(GraphMemoryOfDriver, AnotherGraphFreesIt) {
  CUgraphNode node = nullptr;
  ASSERT_DONE(cuGraphAddMemFreeNode(&node, other_, nullptr, 0, memory_));
  CUdeviceptr told = 0;
  EXPECT_DONE(cuGraphMemFreeNodeGetParams(node, &told));
  EXPECT_EQ(told, memory_);
  EXPECT_RESULT(cuGraphAddMemFreeNode(&node, other_, nullptr, 0, memory_),
                CUDA_ERROR_INVALID_VALUE);
  EXPECT_RESULT(cuGraphAddMemFreeNode(&node, owner_, nullptr, 0, memory_),
                CUDA_ERROR_INVALID_VALUE);
  CUgraphExec allocates = nullptr, frees = nullptr;
  ASSERT_DONE(cuGraphInstantiate(&allocates, owner_, 0));
  ASSERT_DONE(cuGraphInstantiate(&frees, other_, 0));
  EXPECT_RESULT(cuGraphLaunch(frees, nullptr), CUDA_ERROR_INVALID_VALUE);
  for (int turn = 0; turn < 2; ++turn) {
    EXPECT_DONE(cuGraphLaunch(allocates, nullptr));
    EXPECT_DONE(cuMemsetD8Async(memory_, 1, 4096, nullptr));
    EXPECT_DONE(cuGraphLaunch(frees, nullptr));
  }
  EXPECT_DONE(cuCtxSynchronize());
  EXPECT_RESULT(cuMemFree(memory_), CUDA_ERROR_INVALID_VALUE);
  EXPECT_DONE(cuGraphExecDestroy(allocates));
  EXPECT_DONE(cuGraphExecDestroy(frees));
}

TEST_F(GraphMemoryOfDriver, AGenericNodeFreesItToo) {
  CUgraphNode node = nullptr;
  CUgraphNodeParams parameters{};
  parameters.type = CU_GRAPH_NODE_TYPE_MEM_FREE;
  parameters.free.dptr = memory_;
  EXPECT_DONE(cuGraphAddNode(&node, other_, nullptr, nullptr, 0, &parameters));
  EXPECT_RESULT(cuGraphAddNode(&node, owner_, nullptr, nullptr, 0, &parameters),
                CUDA_ERROR_INVALID_VALUE);
  EXPECT_RESULT(cuMemFreeAsync(memory_, nullptr), CUDA_ERROR_INVALID_VALUE);
}

}  // namespace
