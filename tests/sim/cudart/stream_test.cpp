// Streams order what they must, and nothing else: host functions write down in which order they
// ran.
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace {

class Streams : public testing::Test {
 protected:
  void TearDown() override {
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    for (cudaStream_t stream : streams_) EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
    cudaGetLastError();
  }

  cudaStream_t make(unsigned flags, int priority = 0) {
    cudaStream_t stream{};
    EXPECT_EQ(cudaStreamCreateWithPriority(&stream, flags, priority), cudaSuccess);
    streams_.push_back(stream);
    return stream;
  }

  struct Note {
    Streams* test;
    int value;
  };
  static void write_down(void* data) {
    const auto* note = static_cast<Note*>(data);
    const std::lock_guard lock(note->test->mutex_);
    note->test->seen_.push_back(note->value);
  }
  void note(cudaStream_t stream, int value) {
    notes_.push_back(std::make_unique<Note>(Note{this, value}));
    ASSERT_EQ(cudaLaunchHostFunc(stream, write_down, notes_.back().get()), cudaSuccess);
  }
  std::vector<int> seen() {
    const std::lock_guard lock(mutex_);
    return seen_;
  }
  std::ptrdiff_t place(int value) {
    const auto all = seen();
    return std::find(all.begin(), all.end(), value) - all.begin();
  }

 private:
  std::vector<cudaStream_t> streams_;
  std::vector<std::unique_ptr<Note>> notes_;
  std::mutex mutex_;
  std::vector<int> seen_;
};

TEST_F(Streams, WorkOfOneStreamKeepsItsOrder) {
  const cudaStream_t stream = make(cudaStreamNonBlocking);
  std::vector<int> wanted;
  for (int i = 0; i < 200; ++i) {
    note(stream, i);
    wanted.push_back(i);
  }
  ASSERT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  EXPECT_EQ(seen(), wanted);
}

TEST_F(Streams, AnEventOrdersTwoStreams) {
  const cudaStream_t first = make(cudaStreamNonBlocking), second = make(cudaStreamNonBlocking);
  cudaEvent_t event{};
  ASSERT_EQ(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), cudaSuccess);
  for (int round = 0; round < 20; ++round) {
    note(first, 2 * round);
    ASSERT_EQ(cudaEventRecord(event, first), cudaSuccess);
    ASSERT_EQ(cudaStreamWaitEvent(second, event, 0), cudaSuccess);
    note(second, 2 * round + 1);
  }
  ASSERT_EQ(cudaEventDestroy(event), cudaSuccess);
  ASSERT_EQ(cudaStreamSynchronize(second), cudaSuccess);
  for (int round = 0; round < 20; ++round) EXPECT_LT(place(2 * round), place(2 * round + 1));
}

TEST_F(Streams, TheLegacyStreamWaitsForBlockingStreamsAndTheyForIt) {
  const cudaStream_t blocking = make(cudaStreamDefault), other = make(cudaStreamDefault);
  note(blocking, 1);
  note(nullptr, 2);
  note(other, 3);
  note(blocking, 4);
  note(cudaStreamPerThread, 5);
  note(cudaStreamLegacy, 6);
  ASSERT_EQ(cudaStreamSynchronize(nullptr), cudaSuccess);
  EXPECT_EQ(seen().size(), 6u);
  EXPECT_EQ(place(1), 0);
  EXPECT_EQ(place(2), 1);
  EXPECT_EQ(place(6), 5);
}

TEST_F(Streams, WorkOfADestroyedStreamIsStillWaitedFor) {
  cudaStream_t stream{};
  ASSERT_EQ(cudaStreamCreate(&stream), cudaSuccess);
  note(stream, 1);
  ASSERT_EQ(cudaStreamDestroy(stream), cudaSuccess);
  note(nullptr, 2);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(seen(), (std::vector{1, 2}));
}

TEST_F(Streams, AHostThatWatchesMemoryIsNotLeftAlone) {
  std::atomic<int> flag{0};
  const auto set = [](void* data) { *static_cast<std::atomic<int>*>(data) = 1; };
  ASSERT_EQ(cudaLaunchHostFunc(make(cudaStreamNonBlocking), set, &flag), cudaSuccess);
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (flag == 0 && std::chrono::steady_clock::now() < end) std::this_thread::yield();
  EXPECT_EQ(flag, 1);
}

TEST_F(Streams, QueriesSayWhenItIsOver) {
  const cudaStream_t stream = make(cudaStreamNonBlocking);
  EXPECT_EQ(cudaStreamQuery(stream), cudaSuccess);
  std::atomic<bool> go{false};
  const auto hold = [](void* data) {
    while (!*static_cast<std::atomic<bool>*>(data)) std::this_thread::yield();
  };
  ASSERT_EQ(cudaLaunchHostFunc(stream, hold, &go), cudaSuccess);
  EXPECT_EQ(cudaStreamQuery(stream), cudaErrorNotReady);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  go = true;
  while (cudaStreamQuery(stream) == cudaErrorNotReady) std::this_thread::yield();
  EXPECT_EQ(cudaStreamQuery(stream), cudaSuccess);
}

TEST_F(Streams, EveryThreadHasItsOwnStream) {
  unsigned long long here = 0, there = 0, again = 0;
  ASSERT_EQ(cudaStreamGetId(cudaStreamPerThread, &here), cudaSuccess);
  std::thread([&] { cudaStreamGetId(cudaStreamPerThread, &there); }).join();
  ASSERT_EQ(cudaStreamGetId(cudaStreamPerThread, &again), cudaSuccess);
  EXPECT_EQ(here, again);
  EXPECT_NE(here, there);
}

TEST_F(Streams, HostFunctionsMayNotCallBack) {
  cudaError_t inside = cudaSuccess;
  const auto call = [](void* data) { *static_cast<cudaError_t*>(data) = cudaDeviceSynchronize(); };
  const cudaStream_t stream = make(cudaStreamNonBlocking);
  ASSERT_EQ(cudaLaunchHostFunc(stream, call, &inside), cudaSuccess);
  ASSERT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  EXPECT_EQ(inside, cudaErrorNotPermitted);
}

TEST_F(Streams, CallbacksAreToldStreamAndStatus) {
  struct Told {
    cudaStream_t stream{};
    cudaError_t status = cudaErrorUnknown;
  } told;
  const cudaStream_t stream = make(cudaStreamNonBlocking);
  const auto callback = [](cudaStream_t from, cudaError_t status, void* data) {
    *static_cast<Told*>(data) = {from, status};
  };
  ASSERT_EQ(cudaStreamAddCallback(stream, callback, &told, 0), cudaSuccess);
  ASSERT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  EXPECT_EQ(told.stream, stream);
  EXPECT_EQ(told.status, cudaSuccess);
}

TEST_F(Streams, FlagsAndPrioritiesAreKept) {
  unsigned flags = 0;
  int priority = 0;
  const cudaStream_t stream = make(cudaStreamNonBlocking, -100);
  EXPECT_EQ(cudaStreamGetFlags(stream, &flags), cudaSuccess);
  EXPECT_EQ(flags, unsigned{cudaStreamNonBlocking});
  EXPECT_EQ(cudaStreamGetPriority(stream, &priority), cudaSuccess);
  EXPECT_EQ(priority, -5);
  EXPECT_EQ(cudaStreamGetPriority(make(0, 3), &priority), cudaSuccess);
  EXPECT_EQ(priority, 0);
  cudaStreamAttrValue value{};
  value.priority = -2;
  EXPECT_EQ(cudaStreamSetAttribute(stream, cudaStreamAttributePriority, &value), cudaSuccess);
  EXPECT_EQ(cudaStreamGetPriority(stream, &priority), cudaSuccess);
  EXPECT_EQ(priority, -2);
  EXPECT_EQ(cudaStreamGetAttribute(stream, cudaLaunchAttributeCooperative, &value),
            cudaErrorInvalidValue);
}

TEST_F(Streams, WrongHandlesAndArgumentsAreRefused) {
  cudaStream_t stream{};
  EXPECT_EQ(cudaStreamDestroy(nullptr), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaStreamDestroy(cudaStreamPerThread), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaStreamCreate(nullptr), cudaErrorInvalidValue);
  EXPECT_EQ(cudaStreamCreateWithFlags(&stream, 2), cudaErrorInvalidValue);
  EXPECT_EQ(cudaStreamGetFlags(nullptr, nullptr), cudaErrorInvalidValue);
  EXPECT_EQ(cudaLaunchHostFunc(nullptr, nullptr, nullptr), cudaErrorInvalidValue);
  EXPECT_EQ(cudaStreamAddCallback(nullptr, nullptr, nullptr, 0), cudaErrorInvalidValue);
}

}  // namespace
