// Green contexts: SMs are divided, and kernels of a green context run on its own alone. The device
// is the simulator's H200, with 132 SMs.
#include <algorithm>
#include <set>
#include <vector>

#include "tests/sim/cuda/driver.hpp"

using driver_tests::Driver;

namespace {

constexpr auto sm_type = CU_DEV_RESOURCE_TYPE_SM;
constexpr unsigned all_sms = 132;

// (u64 out, u32 turns): out[ctaid] = smid, out[gridDim + ctaid] = nsmid, after some work.
constexpr const char* where_code = R"(
.version 7.8
.target sm_80
.address_size 64
.visible .entry where(.param .u64 out, .param .u32 turns) {
  .reg .b32 %r<8>;
  .reg .b64 %rd<6>;
  .reg .pred %p;
  ld.param.u64 %rd1, [out];
  ld.param.u32 %r1, [turns];
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %smid;
  mov.u32 %r4, %nsmid;
  mov.u32 %r5, %nctaid.x;
again:
  sub.u32 %r1, %r1, 1;
  setp.ne.u32 %p, %r1, 0;
  @%p bra again;
  mul.wide.u32 %rd2, %r2, 4;
  mul.wide.u32 %rd3, %r5, 4;
  add.s64 %rd4, %rd1, %rd2;
  st.global.u32 [%rd4], %r3;
  add.s64 %rd5, %rd4, %rd3;
  st.global.u32 [%rd5], %r4;
  ret;
}
)";

CUdevResource device_resource() {
  CUdevResource resource{};
  EXPECT_DONE(cuDeviceGetDevResource(0, &resource, sm_type));
  return resource;
}

struct Split {
  std::vector<CUdevResource> groups;
  CUdevResource rest{};
};

Split split(unsigned least, unsigned wanted = 64, unsigned flags = 0) {
  const CUdevResource whole = device_resource();
  Split made;
  made.groups.resize(wanted);
  EXPECT_DONE(
      cuDevSmResourceSplitByCount(made.groups.data(), &wanted, &whole, &made.rest, flags, least));
  made.groups.resize(wanted);
  return made;
}

class GreenContexts : public Driver {
 protected:
  void SetUp() override {
    Driver::SetUp();
    EXPECT_DONE(cuModuleLoadData(&module_, where_code));
    EXPECT_DONE(cuModuleGetFunction(&where_, module_, "where"));
    EXPECT_DONE(cuMemAlloc(&out_, 2 * most_blocks * sizeof(unsigned)));
  }
  void TearDown() override {
    for (CUstream stream : streams_) EXPECT_DONE(cuStreamDestroy(stream));
    for (CUgreenCtx green : contexts_) EXPECT_DONE(cuGreenCtxDestroy(green));
    EXPECT_DONE(cuMemFree(out_));
    EXPECT_DONE(cuModuleUnload(module_));
    Driver::TearDown();
  }

  CUgreenCtx create(std::vector<CUdevResource> resources) {
    CUdevResourceDesc description = nullptr;
    CUgreenCtx green = nullptr;
    EXPECT_DONE(cuDevResourceGenerateDesc(&description, resources.data(),
                                          static_cast<unsigned>(resources.size())));
    EXPECT_DONE(cuGreenCtxCreate(&green, description, 0, CU_GREEN_CTX_DEFAULT_STREAM));
    contexts_.push_back(green);
    return green;
  }
  CUstream stream_of(CUgreenCtx green) {
    CUstream stream = nullptr;
    EXPECT_DONE(cuGreenCtxStreamCreate(&stream, green, CU_STREAM_NON_BLOCKING, 0));
    streams_.push_back(stream);
    return stream;
  }
  CUresult launch(CUstream stream, unsigned blocks, unsigned turns = 1) {
    void* arguments[] = {&out_, &turns};
    return cuLaunchKernel(where_, blocks, 1, 1, 1024, 1, 1, 0, stream, arguments, nullptr);
  }
  // The SMs that the blocks of the last launch ran on.
  std::set<unsigned> used(unsigned blocks) {
    std::vector<unsigned> found(2 * blocks);
    EXPECT_DONE(cuCtxSynchronize());
    EXPECT_DONE(cuMemcpyDtoH(found.data(), out_, found.size() * sizeof(unsigned)));
    for (unsigned i = 0; i < blocks; ++i) EXPECT_EQ(found[blocks + i], all_sms) << "%nsmid";
    return {found.begin(), found.begin() + blocks};
  }
  float milliseconds(CUstream stream, unsigned blocks) {
    CUevent start = nullptr, end = nullptr;
    float time = 0;
    EXPECT_DONE(cuEventCreate(&start, 0));
    EXPECT_DONE(cuEventCreate(&end, 0));
    EXPECT_DONE(cuEventRecord(start, stream));
    EXPECT_DONE(launch(stream, blocks, 100));
    EXPECT_DONE(cuEventRecord(end, stream));
    EXPECT_DONE(cuEventSynchronize(end));
    EXPECT_DONE(cuEventElapsedTime(&time, start, end));
    return time;
  }

  static constexpr unsigned most_blocks = 1024;
  CUmodule module_ = nullptr;
  CUfunction where_ = nullptr;
  CUdeviceptr out_ = 0;
  std::vector<CUgreenCtx> contexts_;
  std::vector<CUstream> streams_;
};

TEST_F(GreenContexts, ADeviceIsDividedInMultiplesOfEight) {
  const CUdevResource whole = device_resource();
  EXPECT_EQ(whole.type, sm_type);
  EXPECT_EQ(whole.sm.smCount, all_sms);
  EXPECT_EQ(whole.sm.minSmPartitionSize, 8u);
  EXPECT_EQ(whole.sm.smCoscheduledAlignment, 8u);
  unsigned count = 0;
  EXPECT_DONE(cuDevSmResourceSplitByCount(nullptr, &count, &whole, nullptr, 0, 9));
  EXPECT_EQ(count, 8u) << "of 16 SMs each";
  const Split eights = split(0), twos = split(2, 3), large = split(60, 5);
  EXPECT_EQ(eights.groups.size(), 16u);
  EXPECT_EQ(eights.rest.sm.smCount, 4u);
  for (const CUdevResource& group : eights.groups) EXPECT_EQ(group.sm.smCount, 8u);
  EXPECT_EQ(twos.groups.size(), 3u);
  EXPECT_EQ(twos.rest.sm.smCount, all_sms - 24);
  EXPECT_EQ(large.groups.size(), 2u);
  EXPECT_EQ(large.groups[0].sm.smCount, 64u);
  const Split pairs = split(1, 64, CU_DEV_SM_RESOURCE_SPLIT_IGNORE_SM_COSCHEDULING);
  EXPECT_EQ(pairs.groups.size(), 64u);
  EXPECT_EQ(pairs.groups[0].sm.smCount, 2u);
  EXPECT_EQ(pairs.groups[0].sm.smCoscheduledAlignment, 2u);
  const Split clusters = split(1, 64, CU_DEV_SM_RESOURCE_SPLIT_MAX_POTENTIAL_CLUSTER_SIZE);
  EXPECT_EQ(clusters.groups[0].sm.smCount, 16u);
}

TEST_F(GreenContexts, AWholeDivisionLeavesNothing) {
  CUdevResource parts[2], rest, half;
  const CUdevResource first = split(64, 1).groups[0];
  const CUgreenCtx green = create({first});
  ASSERT_DONE(cuGreenCtxGetDevResource(green, &half, sm_type));
  EXPECT_EQ(half.sm.smCount, 64u);
  unsigned count = 2;
  ASSERT_DONE(cuDevSmResourceSplitByCount(parts, &count, &half, &rest, 0, 32));
  EXPECT_EQ(count, 2u);
  EXPECT_EQ(rest.type, CU_DEV_RESOURCE_TYPE_INVALID);
  create({parts[1]});
}

TEST_F(GreenContexts, KernelsRunOnTheSmsOfTheirContext) {
  const Split sixteens = split(16, 2);
  const CUgreenCtx first = create({sixteens.groups[0]}), second = create({sixteens.groups[1]}),
                   rest = create({sixteens.rest}),
                   both = create({sixteens.groups[0], sixteens.groups[1]});
  std::vector<std::set<unsigned>> sms;
  for (const CUgreenCtx green : {first, second, rest, both}) {
    EXPECT_DONE(launch(stream_of(green), most_blocks));
    sms.push_back(used(most_blocks));
  }
  EXPECT_EQ(sms[0].size(), 16u);
  EXPECT_EQ(sms[1].size(), 16u);
  EXPECT_EQ(sms[2].size(), all_sms - 32);
  std::set<unsigned> together = sms[0];
  together.insert(sms[1].begin(), sms[1].end());
  EXPECT_EQ(together.size(), 32u) << "disjoint";
  EXPECT_EQ(sms[3], together);
  together.insert(sms[2].begin(), sms[2].end());
  EXPECT_EQ(together.size(), all_sms);
  EXPECT_EQ(*together.rbegin(), all_sms - 1);
  EXPECT_DONE(launch(nullptr, most_blocks));
  EXPECT_EQ(used(most_blocks).size(), all_sms) << "no green context";
}

TEST_F(GreenContexts, TimeFollowsTheSms) {
  const Split halves = split(64, 2);
  const CUgreenCtx half = create({halves.groups[0]}), other = create({halves.groups[1]}),
                   eighth = create({split(8, 1).groups[0]});
  CUstream plain = nullptr;
  EXPECT_DONE(cuStreamCreate(&plain, CU_STREAM_NON_BLOCKING));
  const float whole_time = milliseconds(plain, 128), half_time = milliseconds(stream_of(half), 128),
              eighth_time = milliseconds(stream_of(eighth), 128);
  // 1, 2 and 16 blocks of the busiest SM, and the same latency.
  const float block_time = half_time - whole_time;
  EXPECT_GT(block_time, 0.0005f);
  EXPECT_NEAR(eighth_time, half_time + 14 * block_time, 0.1f * eighth_time);
  // Kernels of disjoint contexts run at the same time, those of one context after each other.
  const auto both = [&](CUstream one, CUstream two) {
    CUevent start = nullptr, end = nullptr;
    float time = 0;
    EXPECT_DONE(cuEventCreate(&start, 0));
    EXPECT_DONE(cuEventCreate(&end, 0));
    EXPECT_DONE(cuCtxSynchronize());
    EXPECT_DONE(cuEventRecord(start, one));
    EXPECT_DONE(cuStreamWaitEvent(two, start, 0));
    EXPECT_DONE(launch(one, 128, 100));
    EXPECT_DONE(launch(two, 128, 100));
    EXPECT_DONE(cuEventRecord(end, two));
    EXPECT_DONE(cuStreamWaitEvent(one, end, 0));
    EXPECT_DONE(cuEventRecord(end, one));
    EXPECT_DONE(cuEventSynchronize(end));
    EXPECT_DONE(cuEventElapsedTime(&time, start, end));
    return time;
  };
  EXPECT_LT(both(stream_of(half), stream_of(other)), 1.2f * half_time);
  EXPECT_GT(both(stream_of(half), stream_of(half)), 1.4f * half_time);
  EXPECT_DONE(cuStreamDestroy(plain));
}

TEST_F(GreenContexts, WhatIsCurrentDecidesForStreamsThatAreMadeInIt) {
  const CUgreenCtx green = create({split(24, 1).groups[0]});
  CUcontext context = nullptr, found = nullptr, before = nullptr;
  CUgreenCtx found_green = nullptr;
  ASSERT_DONE(cuCtxFromGreenCtx(&context, green));
  CUdevResource resource;
  EXPECT_DONE(cuCtxGetDevResource(context, &resource, sm_type));
  EXPECT_EQ(resource.sm.smCount, 24u);
  EXPECT_DONE(cuCtxGetDevResource(context_, &resource, sm_type));
  EXPECT_EQ(resource.sm.smCount, all_sms);
  ASSERT_DONE(cuCtxGetCurrent(&before));
  ASSERT_DONE(cuCtxPushCurrent(context));
  CUstream made = nullptr;
  EXPECT_DONE(cuStreamCreate(&made, CU_STREAM_NON_BLOCKING));
  EXPECT_DONE(cuStreamGetGreenCtx(nullptr, &found_green));
  EXPECT_EQ(found_green, green);
  EXPECT_DONE(launch(nullptr, most_blocks));
  EXPECT_EQ(used(most_blocks).size(), 24u) << "the default stream";
  int grid = 0, block = 0;
  EXPECT_DONE(cuOccupancyMaxPotentialBlockSize(&grid, &block, where_, nullptr, 0, 0));
  EXPECT_EQ(grid * block, 24 * 2048);
  unsigned long long id = 0, same = 0;
  EXPECT_DONE(cuGreenCtxGetId(green, &id));
  EXPECT_DONE(cuGreenCtxGetId(nullptr, &same));
  EXPECT_EQ(id, same);
  ASSERT_DONE(cuCtxPopCurrent(&found));
  EXPECT_EQ(found, context);
  EXPECT_DONE(launch(made, most_blocks));
  EXPECT_EQ(used(most_blocks).size(), 24u) << "made while it was current";
  EXPECT_DONE(cuStreamGetGreenCtx(made, &found_green));
  EXPECT_EQ(found_green, green);
  EXPECT_DONE(cuStreamGetCtx_v2(made, &found, &found_green));
  EXPECT_EQ(found_green, green);
  EXPECT_NE(found, context);
  EXPECT_RESULT(cuStreamGetCtx(made, &found), CUDA_ERROR_NOT_SUPPORTED);
  EXPECT_DONE(cuStreamGetGreenCtx(nullptr, &found_green));
  EXPECT_EQ(found_green, nullptr);
  EXPECT_RESULT(cuGreenCtxGetId(nullptr, &id), CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_DONE(cuStreamDestroy(made));
  EXPECT_RESULT(cuCtxDestroy(context), CUDA_ERROR_INVALID_CONTEXT);
}

TEST_F(GreenContexts, CooperativeGridsAndClustersFitItsSms) {
  const CUgreenCtx green = create({split(8, 1).groups[0]});
  const CUstream stream = stream_of(green);
  unsigned turns = 1;
  void* arguments[] = {&out_, &turns};
  EXPECT_DONE(cuLaunchCooperativeKernel(where_, 16, 1, 1, 1024, 1, 1, 0, stream, arguments));
  EXPECT_RESULT(cuLaunchCooperativeKernel(where_, 17, 1, 1, 1024, 1, 1, 0, stream, arguments),
                CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE);
  CUlaunchConfig config{};
  config.gridDimX = 8;
  config.gridDimY = config.gridDimZ = config.blockDimY = config.blockDimZ = 1;
  config.blockDimX = 1024;
  config.hStream = stream;
  CUlaunchAttribute cluster{};
  cluster.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
  cluster.value.clusterDim = {8, 1, 1};
  config.attrs = &cluster;
  config.numAttrs = 1;
  int clusters = 0;
  EXPECT_DONE(cuOccupancyMaxActiveClusters(&clusters, where_, &config));
  EXPECT_EQ(clusters, 2);
}

TEST_F(GreenContexts, AGraphKeepsTheContextOfItsCapture) {
  const CUstream stream = stream_of(create({split(8, 1).groups[0]}));
  CUgraph graph = nullptr;
  CUgraphExec exec = nullptr;
  ASSERT_DONE(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
  EXPECT_DONE(launch(stream, most_blocks));
  ASSERT_DONE(cuStreamEndCapture(stream, &graph));
  ASSERT_DONE(cuGraphInstantiate(&exec, graph, 0));
  ASSERT_DONE(cuGraphLaunch(exec, nullptr));
  EXPECT_EQ(used(most_blocks).size(), 8u);
  EXPECT_DONE(cuGraphExecDestroy(exec));
  EXPECT_DONE(cuGraphDestroy(graph));
}

TEST_F(GreenContexts, EventsOfAWholeContext) {
  const CUgreenCtx green = create({split(8, 1).groups[0]});
  const CUstream first = stream_of(green), second = stream_of(green);
  CUdeviceptr flags = 0;
  CUevent event = nullptr;
  ASSERT_DONE(cuMemAlloc(&flags, 64));
  ASSERT_DONE(cuMemsetD32(flags, 0, 16));
  ASSERT_DONE(cuCtxSynchronize());
  ASSERT_DONE(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
  EXPECT_DONE(cuStreamWaitValue32(second, flags, 1, CU_STREAM_WAIT_VALUE_EQ));
  EXPECT_DONE(cuGreenCtxRecordEvent(green, event));
  EXPECT_RESULT(cuEventQuery(event), CUDA_ERROR_NOT_READY);
  // A context waits for it, with streams that it has and that it gets.
  const CUgreenCtx waits = create({split(8, 1).groups[0]});
  const CUstream there = stream_of(waits);
  EXPECT_DONE(cuGreenCtxWaitEvent(waits, event));
  const CUstream later = stream_of(waits);
  EXPECT_DONE(cuStreamWriteValue32(there, flags + 4, 1, 0));
  EXPECT_DONE(cuStreamWriteValue32(later, flags + 8, 1, 0));
  EXPECT_DONE(cuStreamSynchronize(first));
  EXPECT_RESULT(cuStreamQuery(there), CUDA_ERROR_NOT_READY);
  EXPECT_RESULT(cuStreamQuery(later), CUDA_ERROR_NOT_READY);
  EXPECT_DONE(cuStreamWriteValue32(first, flags, 1, 0));
  EXPECT_DONE(cuEventSynchronize(event));
  EXPECT_DONE(cuStreamSynchronize(there));
  EXPECT_DONE(cuStreamSynchronize(later));
  ASSERT_DONE(cuStreamBeginCapture(first, CU_STREAM_CAPTURE_MODE_RELAXED));
  EXPECT_RESULT(cuGreenCtxRecordEvent(green, event), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  CUgraph graph = nullptr;
  EXPECT_RESULT(cuStreamEndCapture(first, &graph), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  EXPECT_DONE(cuEventDestroy(event));
  EXPECT_DONE(cuMemFree(flags));
}

TEST_F(GreenContexts, ADestroyedOneTakesItsStreamsAlong) {
  CUdevResource group = split(8, 1).groups[0];
  CUdevResourceDesc description = nullptr;
  CUgreenCtx green = nullptr;
  CUstream stream = nullptr;
  CUcontext context = nullptr;
  ASSERT_DONE(cuDevResourceGenerateDesc(&description, &group, 1));
  ASSERT_DONE(cuGreenCtxCreate(&green, description, 0, CU_GREEN_CTX_DEFAULT_STREAM));
  ASSERT_DONE(cuGreenCtxStreamCreate(&stream, green, CU_STREAM_NON_BLOCKING, 0));
  ASSERT_DONE(cuGreenCtxDestroy(green));
  EXPECT_RESULT(launch(stream, 1), CUDA_ERROR_CONTEXT_IS_DESTROYED);
  EXPECT_RESULT(cuStreamDestroy(stream), CUDA_ERROR_CONTEXT_IS_DESTROYED);
  EXPECT_RESULT(cuGreenCtxDestroy(green), CUDA_ERROR_CONTEXT_IS_DESTROYED);
  EXPECT_RESULT(cuCtxFromGreenCtx(&context, green), CUDA_ERROR_CONTEXT_IS_DESTROYED);
}

TEST_F(GreenContexts, WrongInputIsRefused) {
  CUdevResource whole = device_resource(), part{}, other = split(8, 1).groups[0], made{};
  unsigned count = 1;
  EXPECT_RESULT(cuDeviceGetDevResource(1, &made, sm_type), CUDA_ERROR_INVALID_DEVICE);
  EXPECT_RESULT(cuDeviceGetDevResource(0, nullptr, sm_type), CUDA_ERROR_INVALID_VALUE);
  EXPECT_RESULT(cuDeviceGetDevResource(0, &made, CU_DEV_RESOURCE_TYPE_INVALID),
                CUDA_ERROR_INVALID_RESOURCE_TYPE);
  const auto divide = [&](const CUdevResource& from, unsigned flags, unsigned least) {
    count = 1;
    return cuDevSmResourceSplitByCount(&part, &count, &from, nullptr, flags, least);
  };
  EXPECT_RESULT(divide(CUdevResource{}, 0, 8), CUDA_ERROR_INVALID_RESOURCE_TYPE);
  EXPECT_RESULT(divide(whole, 0, all_sms + 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_RESULT(divide(whole, 0, all_sms), CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION);
  EXPECT_RESULT(divide(whole, 64, 8), CUDA_ERROR_INVALID_VALUE);
  EXPECT_RESULT(divide(other, 0, 8), CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION)
      << "a part is divided only after a green context was made of it";
  made.type = sm_type;
  made.sm.smCount = 8;
  EXPECT_RESULT(divide(made, 0, 8), CUDA_ERROR_INVALID_VALUE) << "made up";
  ASSERT_DONE(divide(whole, 0, 8));
  CUdevResource mixed[] = {part, other}, twice[] = {part, part};
  CUdevResourceDesc description = nullptr;
  EXPECT_RESULT(cuDevResourceGenerateDesc(&description, mixed, 2),
                CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION);
  EXPECT_RESULT(cuDevResourceGenerateDesc(&description, twice, 2),
                CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION);
  EXPECT_RESULT(cuDevResourceGenerateDesc(&description, &part, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_RESULT(cuDevResourceGenerateDesc(nullptr, &part, 1), CUDA_ERROR_INVALID_VALUE);
  ASSERT_DONE(cuDevResourceGenerateDesc(&description, &part, 1));
  CUgreenCtx green = nullptr;
  EXPECT_RESULT(cuGreenCtxCreate(&green, description, 0, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_RESULT(cuGreenCtxCreate(&green, nullptr, 0, 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_RESULT(cuGreenCtxCreate(&green, description, 7, 1), CUDA_ERROR_INVALID_DEVICE);
  CUstream stream = nullptr;
  const CUgreenCtx good = create({part});
  EXPECT_RESULT(cuGreenCtxStreamCreate(&stream, good, CU_STREAM_DEFAULT, 0),
                CUDA_ERROR_INVALID_VALUE);
  EXPECT_RESULT(cuGreenCtxStreamCreate(&stream, nullptr, CU_STREAM_NON_BLOCKING, 0),
                CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_RESULT(cuGreenCtxGetDevResource(reinterpret_cast<CUgreenCtx>(context_), &made, sm_type),
                CUDA_ERROR_INVALID_CONTEXT);
}

}  // namespace
