// Streams, values in memory that they wait for, and graphs.
#include <atomic>
#include <chrono>
#include <thread>

#include "tests/sim/cuda/driver.hpp"

using driver_tests::Driver;
using driver_tests::launch_store;
using driver_tests::load_store;

namespace {

struct Flags {
  CUdeviceptr at = 0;
  CUstream stream = nullptr;
  Flags() {
    EXPECT_DONE(cuMemAlloc(&at, 64));
    EXPECT_DONE(cuMemsetD32(at, 0, 16));
    EXPECT_DONE(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    EXPECT_DONE(cuCtxSynchronize());
  }
  ~Flags() {
    EXPECT_DONE(cuStreamDestroy(stream));
    EXPECT_DONE(cuMemFree(at));
  }
  unsigned read(unsigned word) const {
    unsigned value = 0;
    EXPECT_DONE(cuMemcpyDtoH(&value, at + 4 * word, 4));
    return value;
  }
};

bool is_over(CUstream stream) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(30);
  while (std::chrono::steady_clock::now() < end)
    if (cuStreamQuery(stream) == CUDA_SUCCESS) return true;
  return false;
}

struct WaitCase {
  unsigned flags, wanted, too_early, enough;
};

TEST_F(Driver, AStreamWaitsUntilTheValueFits) {
  const WaitCase cases[] = {
      {CU_STREAM_WAIT_VALUE_GEQ, 5, 4, 6},
      {CU_STREAM_WAIT_VALUE_GEQ, 0x10, 0xfffffff0, 0x20},  // the count has wrapped around
      {CU_STREAM_WAIT_VALUE_EQ, 5, 6, 5},
      {CU_STREAM_WAIT_VALUE_AND, 6, 9, 4},
      {CU_STREAM_WAIT_VALUE_NOR, 0xfffffff0, 0xf, 0xe},
  };
  Flags flags;
  CUstream writer = nullptr;
  ASSERT_DONE(cuStreamCreate(&writer, CU_STREAM_NON_BLOCKING));
  for (const WaitCase& one : cases) {
    ASSERT_DONE(cuStreamWriteValue32(writer, flags.at, one.too_early, 0));
    ASSERT_DONE(cuStreamSynchronize(writer));
    ASSERT_DONE(cuStreamWaitValue32(flags.stream, flags.at, one.wanted, one.flags));
    ASSERT_DONE(cuStreamWriteValue32(flags.stream, flags.at + 4, one.enough, 0));
    EXPECT_FALSE(is_over(flags.stream)) << one.flags;
    ASSERT_DONE(cuStreamWriteValue32(writer, flags.at, one.enough, 0));
    ASSERT_DONE(cuStreamSynchronize(flags.stream));
    EXPECT_EQ(flags.read(1), one.enough);
  }
  EXPECT_RESULT(cuStreamWaitValue32(writer, flags.at, 0, 4), CUDA_ERROR_INVALID_VALUE);
  EXPECT_RESULT(cuStreamWaitValue64(writer, flags.at + 4, 0, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_RESULT(cuStreamWriteValue32(writer, 4096, 0, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_DONE(cuStreamDestroy(writer));
}

TEST_F(Driver, OtherStreamsGoOnMeanwhileAndTheHostMayWrite) {
  Flags flags;
  void* host = nullptr;
  ASSERT_DONE(cuMemHostAlloc(&host, 8, CU_MEMHOSTALLOC_DEVICEMAP));
  auto* gate = static_cast<unsigned long long*>(host);
  *gate = 0;
  ASSERT_DONE(cuStreamWaitValue64(flags.stream, reinterpret_cast<CUdeviceptr>(host), 1ull << 40,
                                  CU_STREAM_WAIT_VALUE_EQ));
  const CUfunction store = load_store();
  ASSERT_DONE(launch_store(store, flags.at, 3, 1, flags.stream));
  CUstream other = nullptr;
  ASSERT_DONE(cuStreamCreate(&other, CU_STREAM_NON_BLOCKING));
  ASSERT_DONE(launch_store(store, flags.at + 4, 7, 1, other));
  ASSERT_DONE(cuStreamSynchronize(other));
  EXPECT_FALSE(is_over(flags.stream));
  std::thread([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    std::atomic_ref(*gate).store(1ull << 40);
  }).detach();
  ASSERT_DONE(cuStreamSynchronize(flags.stream));
  EXPECT_EQ(flags.read(0), 3u);
  EXPECT_EQ(flags.read(1), 7u);
  EXPECT_DONE(cuStreamDestroy(other));
  EXPECT_DONE(cuMemFreeHost(host));
}

void count_destruction(void* count) { ++*static_cast<int*>(count); }

TEST_F(Driver, AGraphKeepsTheProgramsObjects) {
  int destroyed = 0;
  CUuserObject object = nullptr;
  ASSERT_DONE(cuUserObjectCreate(&object, &destroyed, count_destruction, 1,
                                 CU_USER_OBJECT_NO_DESTRUCTOR_SYNC));
  CUgraph graph = nullptr;
  CUgraphExec exec = nullptr;
  CUgraphNode node = nullptr;
  ASSERT_DONE(cuGraphCreate(&graph, 0));
  ASSERT_DONE(cuGraphAddEmptyNode(&node, graph, nullptr, 0));
  ASSERT_DONE(cuGraphRetainUserObject(graph, object, 1, CU_GRAPH_USER_OBJECT_MOVE));
  EXPECT_RESULT(cuUserObjectRelease(object, 1), CUDA_ERROR_INVALID_VALUE);  // it is the graph's
  ASSERT_DONE(cuGraphInstantiate(&exec, graph, 0));
  ASSERT_DONE(cuGraphDestroy(graph));
  EXPECT_EQ(destroyed, 0);
  ASSERT_DONE(cuGraphLaunch(exec, nullptr));
  ASSERT_DONE(cuGraphExecDestroy(exec));
  ASSERT_DONE(cuCtxSynchronize());
  EXPECT_EQ(destroyed, 1);
}

TEST_F(Driver, GenericNodesAreTheDrivers) {
  Flags flags;
  CUgraph graph = nullptr;
  CUgraphExec exec = nullptr;
  CUgraphNode node = nullptr;
  ASSERT_DONE(cuGraphCreate(&graph, 0));
  unsigned value = 12;
  void* arguments[] = {&flags.at, &value};
  CUgraphNodeParams parameters{};
  parameters.type = CU_GRAPH_NODE_TYPE_KERNEL;
  parameters.kernel.func = load_store();
  parameters.kernel.gridDimX = parameters.kernel.gridDimY = parameters.kernel.gridDimZ = 1;
  parameters.kernel.blockDimX = 2;
  parameters.kernel.blockDimY = parameters.kernel.blockDimZ = 1;
  parameters.kernel.kernelParams = arguments;
  ASSERT_DONE(cuGraphAddNode(&node, graph, nullptr, nullptr, 0, &parameters));
  CUgraphNodeParams copy{};
  copy.type = CU_GRAPH_NODE_TYPE_MEMCPY;
  copy.memcpy.copyParams.srcMemoryType = copy.memcpy.copyParams.dstMemoryType =
      CU_MEMORYTYPE_DEVICE;
  copy.memcpy.copyParams.srcDevice = flags.at;
  copy.memcpy.copyParams.dstDevice = flags.at + 8;
  copy.memcpy.copyParams.WidthInBytes = 8;
  copy.memcpy.copyParams.Height = copy.memcpy.copyParams.Depth = 1;
  CUgraphNode second = nullptr;
  ASSERT_DONE(cuGraphAddNode(&second, graph, &node, nullptr, 1, &copy));
  CUDA_KERNEL_NODE_PARAMS shown{};
  ASSERT_DONE(cuGraphKernelNodeGetParams(node, &shown));
  EXPECT_EQ(shown.func, parameters.kernel.func);
  EXPECT_EQ(shown.blockDimX, 2u);
  ASSERT_DONE(cuGraphInstantiate(&exec, graph, 0));
  ASSERT_DONE(cuGraphLaunch(exec, flags.stream));
  ASSERT_DONE(cuStreamSynchronize(flags.stream));
  EXPECT_EQ(flags.read(3), 12u);
  EXPECT_DONE(cuGraphExecDestroy(exec));
  EXPECT_DONE(cuGraphDestroy(graph));
}

}  // namespace
