// What cudaMemRangeGetAttribute says about advice and prefetches.
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

namespace {

constexpr cudaMemLocation device{cudaMemLocationTypeDevice, 0}, host{cudaMemLocationTypeHost, 0};
constexpr size_t page = 4096, bytes = 16 * page;

class RangeAttributes : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(cudaMallocManaged(reinterpret_cast<void**>(&data_), bytes, cudaMemAttachGlobal),
              cudaSuccess);
  }
  void TearDown() override {
    EXPECT_EQ(cudaFree(data_), cudaSuccess);
    cudaGetLastError();
  }
  void advise(cudaMemoryAdvise advice, cudaMemLocation where, size_t first, size_t count) {
    ASSERT_EQ(cudaMemAdvise(data_ + first, count, advice, where), cudaSuccess);
  }
  int ask(cudaMemRangeAttribute attribute, size_t first = 0, size_t count = bytes) {
    int answer = 77;
    EXPECT_EQ(cudaMemRangeGetAttribute(&answer, sizeof answer, attribute, data_ + first, count),
              cudaSuccess);
    return answer;
  }
  char* data_ = nullptr;
};

TEST_F(RangeAttributes, NothingWasSaid) {
  EXPECT_EQ(ask(cudaMemRangeAttributeReadMostly), 0);
  EXPECT_EQ(ask(cudaMemRangeAttributePreferredLocation), cudaInvalidDeviceId);
  EXPECT_EQ(ask(cudaMemRangeAttributeLastPrefetchLocation), cudaInvalidDeviceId);
  EXPECT_EQ(ask(cudaMemRangeAttributeAccessedBy), cudaInvalidDeviceId);
}

TEST_F(RangeAttributes, AreWhatAllPagesAgreeOn) {
  advise(cudaMemAdviseSetReadMostly, device, 4 * page, 4 * page);
  EXPECT_EQ(ask(cudaMemRangeAttributeReadMostly), 0);
  EXPECT_EQ(ask(cudaMemRangeAttributeReadMostly, 5 * page, 2 * page), 1);
  EXPECT_EQ(ask(cudaMemRangeAttributeReadMostly, 7 * page, 2 * page), 0);
  advise(cudaMemAdviseSetPreferredLocation, device, 0, bytes);
  EXPECT_EQ(ask(cudaMemRangeAttributePreferredLocation), 0);
  advise(cudaMemAdviseSetPreferredLocation, host, 8 * page, page);
  EXPECT_EQ(ask(cudaMemRangeAttributePreferredLocation), cudaInvalidDeviceId);
  EXPECT_EQ(ask(cudaMemRangeAttributePreferredLocation, 8 * page, page), cudaCpuDeviceId);
  EXPECT_EQ(ask(cudaMemRangeAttributePreferredLocationType, 0, page), cudaMemLocationTypeDevice);
  advise(cudaMemAdviseUnsetPreferredLocation, host, 0, bytes);
  EXPECT_EQ(ask(cudaMemRangeAttributePreferredLocation), cudaInvalidDeviceId);
}

TEST_F(RangeAttributes, AccessorsFillTheirPlaces) {
  advise(cudaMemAdviseSetAccessedBy, device, 0, bytes);
  advise(cudaMemAdviseSetAccessedBy, host, 0, bytes);
  int places[3] = {77, 77, 77};
  const auto attribute = cudaMemRangeAttributeAccessedBy;
  ASSERT_EQ(cudaMemRangeGetAttribute(places, sizeof places, attribute, data_, bytes), cudaSuccess);
  EXPECT_EQ(places[0], 0);
  EXPECT_EQ(places[1], cudaCpuDeviceId);
  EXPECT_EQ(places[2], cudaInvalidDeviceId);
  advise(cudaMemAdviseUnsetAccessedBy, device, 0, page);
  EXPECT_EQ(ask(attribute), cudaCpuDeviceId);
}

TEST_F(RangeAttributes, PrefetchesAreRemembered) {
  ASSERT_EQ(cudaMemPrefetchAsync(data_, bytes, device, 0, nullptr), cudaSuccess);
  EXPECT_EQ(ask(cudaMemRangeAttributeLastPrefetchLocation), 0);
  ASSERT_EQ(cudaMemPrefetchAsync(data_, page, host, 0, nullptr), cudaSuccess);
  EXPECT_EQ(ask(cudaMemRangeAttributeLastPrefetchLocation, 0, page), cudaCpuDeviceId);
  EXPECT_EQ(ask(cudaMemRangeAttributeLastPrefetchLocation), cudaInvalidDeviceId);
}

TEST_F(RangeAttributes, BatchesArePrefetchedAndDiscarded) {
  void* pointers[] = {data_, data_ + 4 * page, data_ + 8 * page};
  size_t sizes[] = {page, page, page}, first[] = {0, 1};
  cudaMemLocation places[] = {device, host};
  ASSERT_EQ(cudaMemPrefetchBatchAsync(pointers, sizes, 3, places, first, 2, 0, cudaStreamPerThread),
            cudaSuccess);
  EXPECT_EQ(ask(cudaMemRangeAttributeLastPrefetchLocation, 0, page), 0);
  EXPECT_EQ(ask(cudaMemRangeAttributeLastPrefetchLocation, 4 * page, page), cudaCpuDeviceId);
  EXPECT_EQ(ask(cudaMemRangeAttributeLastPrefetchLocation, 8 * page, page), cudaCpuDeviceId);
  EXPECT_EQ(ask(cudaMemRangeAttributeLastPrefetchLocation, page, page), cudaInvalidDeviceId);
  EXPECT_EQ(cudaMemPrefetchBatchAsync(pointers, sizes, 3, places, first, 2, 0, nullptr),
            cudaErrorInvalidValue)
      << "not in the default stream";
  first[0] = 1;
  EXPECT_EQ(cudaMemPrefetchBatchAsync(pointers, sizes, 3, places, first, 2, 0, cudaStreamPerThread),
            cudaErrorInvalidValue)
      << "the first range has no location";
  for (size_t i = 0; i < bytes; ++i) data_[i] = 3;
  ASSERT_EQ(cudaMemDiscardBatchAsync(pointers, sizes, 2, 0, cudaStreamPerThread), cudaSuccess);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_NE(data_[0], 3);
  EXPECT_NE(data_[5 * page - 1], 3);
  EXPECT_EQ(data_[page], 3);
  EXPECT_EQ(data_[8 * page], 3);
}

TEST_F(RangeAttributes, WrongQuestionsAreRefused) {
  int answer = 0;
  const auto attribute = cudaMemRangeAttributeReadMostly;
  EXPECT_EQ(cudaMemRangeGetAttribute(&answer, 2, attribute, data_, bytes), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemRangeGetAttribute(&answer, 4, attribute, data_, 2 * bytes),
            cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemRangeGetAttribute(&answer, 4, attribute, &answer, 4), cudaErrorInvalidValue);
}

}  // namespace
