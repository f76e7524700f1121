// Events: what they answer before, while and after they are recorded, and the time between them.
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace {

class Events : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), cudaSuccess);
    ASSERT_EQ(cudaEventCreate(&first_), cudaSuccess);
    ASSERT_EQ(cudaEventCreate(&second_), cudaSuccess);
    ASSERT_EQ(cudaMalloc(&memory_, bytes), cudaSuccess);
  }
  void TearDown() override {
    EXPECT_EQ(cudaStreamSynchronize(stream_), cudaSuccess);
    EXPECT_EQ(cudaFree(memory_), cudaSuccess);
    EXPECT_EQ(cudaEventDestroy(first_), cudaSuccess);
    EXPECT_EQ(cudaEventDestroy(second_), cudaSuccess);
    EXPECT_EQ(cudaStreamDestroy(stream_), cudaSuccess);
    cudaGetLastError();
  }

  static constexpr size_t bytes = 64 << 20;
  cudaStream_t stream_{};
  cudaEvent_t first_{}, second_{};
  void* memory_ = nullptr;
};

TEST_F(Events, NeverRecordedIsReached) {
  EXPECT_EQ(cudaEventQuery(first_), cudaSuccess);
  EXPECT_EQ(cudaEventSynchronize(first_), cudaSuccess);
  EXPECT_EQ(cudaStreamWaitEvent(stream_, first_, 0), cudaSuccess);
}

TEST_F(Events, TimeBetweenTwoIsThatOfTheWork) {
  float nothing = -1, once = -1, twice = -1;
  const auto measure = [&](int fills, float* milliseconds) {
    ASSERT_EQ(cudaEventRecord(first_, stream_), cudaSuccess);
    for (int i = 0; i < fills; ++i)
      ASSERT_EQ(cudaMemsetAsync(memory_, i, bytes, stream_), cudaSuccess);
    ASSERT_EQ(cudaEventRecord(second_, stream_), cudaSuccess);
    ASSERT_EQ(cudaEventSynchronize(second_), cudaSuccess);
    ASSERT_EQ(cudaEventElapsedTime(milliseconds, first_, second_), cudaSuccess);
  };
  measure(1, &once);  // warm
  measure(0, &nothing);
  measure(4, &once);
  measure(16, &twice);
  EXPECT_GE(nothing, 0);
  EXPECT_GT(once, nothing);
  EXPECT_GT(twice, 2 * once);
}

TEST_F(Events, AnEventIsReachedAfterWhatIsBeforeIt) {
  std::atomic<bool> go{false};
  const auto hold = [](void* data) {
    while (!*static_cast<std::atomic<bool>*>(data)) std::this_thread::yield();
  };
  ASSERT_EQ(cudaEventRecord(first_, stream_), cudaSuccess);
  ASSERT_EQ(cudaLaunchHostFunc(stream_, hold, &go), cudaSuccess);
  ASSERT_EQ(cudaEventRecord(second_, stream_), cudaSuccess);
  EXPECT_EQ(cudaEventSynchronize(first_), cudaSuccess);
  EXPECT_EQ(cudaEventQuery(second_), cudaErrorNotReady);
  float milliseconds = 0;
  EXPECT_EQ(cudaEventElapsedTime(&milliseconds, first_, second_), cudaErrorNotReady);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  go = true;
  EXPECT_EQ(cudaEventSynchronize(second_), cudaSuccess);
  EXPECT_EQ(cudaEventElapsedTime(&milliseconds, first_, second_), cudaSuccess);
}

TEST_F(Events, WithoutTimeThereIsNoTime) {
  cudaEvent_t untimed{};
  float milliseconds = 0;
  ASSERT_EQ(cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming), cudaSuccess);
  EXPECT_EQ(cudaEventElapsedTime(&milliseconds, first_, second_), cudaErrorInvalidResourceHandle);
  ASSERT_EQ(cudaEventRecord(first_, stream_), cudaSuccess);
  EXPECT_EQ(cudaEventElapsedTime(&milliseconds, first_, second_), cudaErrorInvalidResourceHandle);
  ASSERT_EQ(cudaEventRecord(untimed, stream_), cudaSuccess);
  ASSERT_EQ(cudaStreamSynchronize(stream_), cudaSuccess);
  EXPECT_EQ(cudaEventElapsedTime(&milliseconds, first_, untimed), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaEventElapsedTime(nullptr, first_, first_), cudaErrorInvalidValue);
  EXPECT_EQ(cudaEventElapsedTime(&milliseconds, first_, first_), cudaSuccess);
  EXPECT_EQ(milliseconds, 0);
  EXPECT_EQ(cudaEventDestroy(untimed), cudaSuccess);
}

TEST_F(Events, WrongArgumentsAreRefused) {
  cudaEvent_t event{};
  EXPECT_EQ(cudaEventCreate(nullptr), cudaErrorInvalidValue);
  EXPECT_EQ(cudaEventCreateWithFlags(&event, 8), cudaErrorInvalidValue);
  EXPECT_EQ(cudaEventCreateWithFlags(&event, cudaEventInterprocess), cudaErrorInvalidValue);
  EXPECT_EQ(cudaEventDestroy(nullptr), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaEventQuery(nullptr), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaEventRecord(nullptr, stream_), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaEventRecordWithFlags(first_, stream_, 2), cudaErrorInvalidValue);
  EXPECT_EQ(cudaEventRecordWithFlags(first_, stream_, cudaEventRecordExternal),
            cudaErrorIllegalState);
  EXPECT_EQ(cudaStreamWaitEvent(stream_, first_, cudaEventWaitExternal), cudaErrorIllegalState);
  EXPECT_EQ(cudaStreamWaitEvent(stream_, nullptr, 0), cudaErrorInvalidResourceHandle);
}

}  // namespace
