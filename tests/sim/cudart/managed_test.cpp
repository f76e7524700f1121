// Hints about managed memory, and what is kept of them.
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <vector>

namespace {

constexpr std::size_t managed_bytes = 1 << 16;

class ManagedHints : public testing::Test {
 protected:
  void SetUp() override {
    void* memory = nullptr;
    ASSERT_EQ(cudaMallocManaged(&memory, managed_bytes, cudaMemAttachGlobal), cudaSuccess);
    memory_ = static_cast<char*>(memory);
  }
  void TearDown() override { EXPECT_EQ(cudaFree(memory_), cudaSuccess); }

  int attribute(cudaMemRangeAttribute which, std::size_t offset = 0,
                std::size_t bytes = managed_bytes) const {
    int value = -77;
    EXPECT_EQ(cudaMemRangeGetAttribute(&value, sizeof value, which, memory_ + offset, bytes),
              cudaSuccess);
    return value;
  }
  char* memory_ = nullptr;
};

const cudaMemLocation gpu{cudaMemLocationTypeDevice, {0}};
const cudaMemLocation host{cudaMemLocationTypeHost, {0}};

TEST_F(ManagedHints, HoldForTheRangeThatTheyWereGivenFor) {
  EXPECT_EQ(attribute(cudaMemRangeAttributeReadMostly), 0);
  EXPECT_EQ(attribute(cudaMemRangeAttributePreferredLocation), cudaInvalidDeviceId);
  ASSERT_EQ(cudaMemAdvise(memory_, managed_bytes / 2, cudaMemAdviseSetReadMostly, gpu),
            cudaSuccess);
  EXPECT_EQ(attribute(cudaMemRangeAttributeReadMostly, 0, managed_bytes / 2), 1);
  EXPECT_EQ(attribute(cudaMemRangeAttributeReadMostly, 0, managed_bytes / 2 + 1), 0);
  ASSERT_EQ(cudaMemAdvise(memory_, managed_bytes, cudaMemAdviseSetPreferredLocation, host),
            cudaSuccess);
  EXPECT_EQ(attribute(cudaMemRangeAttributePreferredLocation), cudaCpuDeviceId);
  EXPECT_EQ(attribute(cudaMemRangeAttributePreferredLocationType), cudaMemLocationTypeHost);
  ASSERT_EQ(cudaMemAdvise(memory_, managed_bytes, cudaMemAdviseUnsetPreferredLocation, host),
            cudaSuccess);
  EXPECT_EQ(attribute(cudaMemRangeAttributePreferredLocation), cudaInvalidDeviceId);
}

TEST_F(ManagedHints, NameAllWhoAccess) {
  ASSERT_EQ(cudaMemAdvise(memory_, managed_bytes, cudaMemAdviseSetAccessedBy, gpu), cudaSuccess);
  ASSERT_EQ(cudaMemAdvise(memory_, managed_bytes, cudaMemAdviseSetAccessedBy, host), cudaSuccess);
  int who[3] = {};
  ASSERT_EQ(cudaMemRangeGetAttribute(who, sizeof who, cudaMemRangeAttributeAccessedBy, memory_,
                                     managed_bytes),
            cudaSuccess);
  EXPECT_EQ(who[0], 0);
  EXPECT_EQ(who[1], cudaCpuDeviceId);
  EXPECT_EQ(who[2], cudaInvalidDeviceId);
}

TEST_F(ManagedHints, PrefetchesAreRememberedOneByOneAndInBatches) {
  ASSERT_EQ(cudaMemPrefetchAsync(memory_, managed_bytes, gpu, 0, nullptr), cudaSuccess);
  EXPECT_EQ(attribute(cudaMemRangeAttributeLastPrefetchLocation), 0);
  void* ranges[] = {memory_, memory_ + 4096, memory_ + 8192};
  std::size_t sizes[] = {4096, 4096, 4096};
  cudaMemLocation places[] = {host, gpu};
  std::size_t firsts[] = {0, 2};
  ASSERT_EQ(cudaMemPrefetchBatchAsync(ranges, sizes, 3, places, firsts, 2, 0, cudaStreamPerThread),
            cudaSuccess);
  EXPECT_EQ(attribute(cudaMemRangeAttributeLastPrefetchLocation, 0, 8192), cudaCpuDeviceId);
  EXPECT_EQ(attribute(cudaMemRangeAttributeLastPrefetchLocation, 8192, 4096), 0);
  EXPECT_EQ(attribute(cudaMemRangeAttributeLastPrefetchLocation), cudaInvalidDeviceId);
  firsts[0] = 1;
  EXPECT_EQ(cudaMemPrefetchBatchAsync(ranges, sizes, 3, places, firsts, 2, 0, cudaStreamPerThread),
            cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemDiscardBatchAsync(ranges, sizes, 3, 0, cudaStreamPerThread), cudaSuccess);
  int local = 0;
  void* pageable[] = {&local};
  EXPECT_EQ(cudaMemDiscardBatchAsync(pageable, sizes, 1, 0, cudaStreamPerThread),
            cudaErrorInvalidValue);
  cudaGetLastError();
}

TEST_F(ManagedHints, AreForgottenWithTheMemory) {
  void* memory = nullptr;
  ASSERT_EQ(cudaMallocManaged(&memory, 4096, cudaMemAttachGlobal), cudaSuccess);
  ASSERT_EQ(cudaMemAdvise(memory, 4096, cudaMemAdviseSetReadMostly, gpu), cudaSuccess);
  ASSERT_EQ(cudaFree(memory), cudaSuccess);
  int value = 0;
  EXPECT_EQ(cudaMemRangeGetAttribute(&value, 4, cudaMemRangeAttributeReadMostly, memory, 4096),
            cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemRangeGetAttribute(&value, 8, cudaMemRangeAttributeReadMostly, memory_, 4096),
            cudaErrorInvalidValue);  // the room of an int
  cudaGetLastError();
}

TEST(CopyBatch, BoxesAreCopiedInTheStream) {
  std::vector<unsigned char> from(64), to(64, 0);
  for (std::size_t i = 0; i < 64; ++i) from[i] = static_cast<unsigned char>(i + 1);
  void* memory = nullptr;
  ASSERT_EQ(cudaMalloc(&memory, 64), cudaSuccess);
  cudaStream_t stream = nullptr;
  ASSERT_EQ(cudaStreamCreate(&stream), cudaSuccess);
  cudaMemcpy3DBatchOp operations[2] = {};
  for (cudaMemcpy3DBatchOp& one : operations) {
    one.src.type = one.dst.type = cudaMemcpyOperandTypePointer;
    one.extent = {64, 1, 1};
    one.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
  }
  operations[0].src.op.ptr.ptr = from.data();
  operations[0].dst.op.ptr.ptr = memory;
  operations[1].src.op.ptr.ptr = memory;
  operations[1].src.op.ptr.rowLength = 16;
  operations[1].dst.op.ptr.ptr = to.data();
  operations[1].extent = {8, 4, 1};
  ASSERT_EQ(cudaMemcpy3DBatchAsync(2, operations, 0, stream), cudaSuccess);
  ASSERT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  for (std::size_t i = 0; i < 32; ++i) EXPECT_EQ(to[i], i / 8 * 16 + i % 8 + 1) << i;
  EXPECT_EQ(to[32], 0);
  EXPECT_EQ(cudaMemcpy3DBatchAsync(0, operations, 0, stream), cudaErrorInvalidValue);
  operations[1].extent.height = 0;
  EXPECT_EQ(cudaMemcpy3DBatchAsync(2, operations, 0, stream), cudaErrorInvalidValue);
  cudaGetLastError();
  EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
  EXPECT_EQ(cudaFree(memory), cudaSuccess);
}

}  // namespace
