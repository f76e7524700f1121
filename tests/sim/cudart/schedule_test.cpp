// Simulated time across streams: what overlaps, what goes first, as events measure it.
#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <vector>

#include "tests/sim/cudart/kernels.hpp"

namespace {

class Schedule : public testing::Test {
 protected:
  void SetUp() override {
    if (dlsym(RTLD_DEFAULT, "aispSimulated") == nullptr) GTEST_SKIP() << "hardware has its own";
    origin_ = make_stream(0);
    ASSERT_EQ(cudaMalloc(&memory_, bytes), cudaSuccess);
    ASSERT_EQ(cudaDeviceGetAttribute(&multiprocessors_, cudaDevAttrMultiProcessorCount, 0),
              cudaSuccess);
  }
  void TearDown() override {
    if (memory_ == nullptr) return;
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    for (cudaEvent_t event : events_) EXPECT_EQ(cudaEventDestroy(event), cudaSuccess);
    for (cudaStream_t stream : streams_) EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
    EXPECT_EQ(cudaFree(memory_), cudaSuccess);
  }

  cudaStream_t make_stream(int priority) {
    cudaStream_t stream{};
    EXPECT_EQ(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, priority), cudaSuccess);
    streams_.push_back(stream);
    return stream;
  }
  cudaEvent_t record(cudaStream_t stream) {
    cudaEvent_t event{};
    EXPECT_EQ(cudaEventCreate(&event), cudaSuccess);
    EXPECT_EQ(cudaEventRecord(event, stream), cudaSuccess);
    events_.push_back(event);
    return event;
  }
  static void wait(cudaStream_t stream, cudaEvent_t event) {
    ASSERT_EQ(cudaStreamWaitEvent(stream, event, 0), cudaSuccess);
  }
  static float microseconds(cudaEvent_t from, cudaEvent_t to) {
    float milliseconds = -1;
    EXPECT_EQ(cudaEventSynchronize(to), cudaSuccess);
    EXPECT_EQ(cudaEventElapsedTime(&milliseconds, from, to), cudaSuccess);
    return milliseconds * 1000;
  }

  // A chain of `rounds` in every thread, writing to a place of its own.
  void spin(cudaStream_t stream, int rounds, int blocks, int threads, bool programmatic = false) {
    int* out = static_cast<int*>(memory_) + kernels_++ % 1024;
    void* arguments[] = {&rounds, &out};
    cudaLaunchAttribute attribute{};
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config{};
    config.gridDim = dim3(static_cast<unsigned>(blocks));
    config.blockDim = dim3(static_cast<unsigned>(threads));
    config.stream = stream;
    config.attrs = &attribute;
    config.numAttrs = programmatic ? 1 : 0;
    const void* kernel = programmatic ? kernels::spin_early() : kernels::spin();
    ASSERT_EQ(cudaLaunchKernelExC(&config, kernel, arguments), cudaSuccess);
  }
  void small(cudaStream_t stream) { spin(stream, 4000, 1, 32); }
  void large(cudaStream_t stream) { spin(stream, 30, 2 * multiprocessors_, 1024); }

  // Time of one kernel in each of `count` streams between a fork and a join.
  template <class Launch>
  float side_by_side(int count, Launch launch) {
    const cudaEvent_t begin = record(origin_);
    for (int i = 0; i < count; ++i) {
      const cudaStream_t stream = make_stream(0);
      wait(stream, begin);
      launch(stream);
      wait(origin_, record(stream));
    }
    return microseconds(begin, record(origin_));
  }

  static constexpr size_t bytes = 16 << 20;
  void* memory_ = nullptr;
  int multiprocessors_ = 0, kernels_ = 0;
  cudaStream_t origin_{};
  std::vector<cudaStream_t> streams_;
  std::vector<cudaEvent_t> events_;
};

TEST_F(Schedule, SmallKernelsOfSeveralStreamsOverlap) {
  const auto launch = [&](cudaStream_t stream) { small(stream); };
  const float one = side_by_side(1, launch);
  EXPECT_NEAR(side_by_side(8, launch), one, 0.01F * one);
  const cudaEvent_t begin = record(origin_);
  for (int i = 0; i < 8; ++i) small(origin_);
  EXPECT_NEAR(microseconds(begin, record(origin_)), 8 * one, 0.01F * one);
}

TEST_F(Schedule, LargeKernelsFollowEachOther) {
  const auto launch = [&](cudaStream_t stream) { large(stream); };
  const float latency = 2, one = side_by_side(1, launch) - latency;
  ASSERT_GT(one, latency / 4);
  EXPECT_NEAR(side_by_side(3, launch), latency + 3 * one, 0.01F * one);
}

TEST_F(Schedule, ASmallKernelRunsWhereALargeOneLeavesRoom) {
  const float one = side_by_side(1, [&](cudaStream_t stream) { small(stream); });
  const cudaEvent_t begin = record(origin_);
  const cudaStream_t busy = make_stream(0), other = make_stream(0);
  wait(busy, begin);
  wait(other, begin);
  spin(busy, 100, multiprocessors_, 1024);  // half of the device: two would fit on each
  small(other);
  EXPECT_NEAR(microseconds(begin, record(other)), one, 0.01F * one);
  wait(origin_, record(busy));
}

TEST_F(Schedule, KernelsOverlapWithCopies) {
  std::vector<float> times;
  void* host = nullptr;
  ASSERT_EQ(cudaMallocHost(&host, bytes), cudaSuccess);
  const auto copy = [&](cudaStream_t stream) {
    ASSERT_EQ(cudaMemcpyAsync(host, static_cast<char*>(memory_) + (1 << 20), 8 << 20,
                              cudaMemcpyDeviceToHost, stream),
              cudaSuccess);
  };
  const float copying = side_by_side(1, copy);
  const float both = side_by_side(2, [&, first = true](cudaStream_t stream) mutable {
    first ? copy(stream) : large(stream);
    first = false;
  });
  EXPECT_NEAR(both, copying, 0.01F * copying);
  EXPECT_NEAR(side_by_side(2, copy), 2 * copying, 0.01F * copying);  // one engine each way
  EXPECT_EQ(cudaFreeHost(host), cudaSuccess);
}

TEST_F(Schedule, AHigherPriorityIsServedFirst) {
  const auto end_of_small = [&](int priority) {
    const cudaEvent_t begin = record(origin_);
    for (int i = 0; i < 6; ++i) {
      const cudaStream_t bulk = make_stream(0);
      wait(bulk, begin);
      large(bulk);
      wait(origin_, record(bulk));
    }
    const cudaStream_t urgent = make_stream(priority);
    wait(urgent, begin);
    spin(urgent, 10, 1, 32);
    const float end = microseconds(begin, record(urgent));
    EXPECT_EQ(cudaStreamSynchronize(origin_), cudaSuccess);
    return end;
  };
  const float behind = end_of_small(0), first = end_of_small(-5);
  EXPECT_LT(first, 0.5F * behind);
}

TEST_F(Schedule, AProgrammaticLaunchHidesItsLatency) {
  constexpr int chain = 8;
  const auto time = [&](bool programmatic) {
    const cudaEvent_t begin = record(origin_);
    for (int i = 0; i < chain; ++i) spin(origin_, 2000, 1, 32, programmatic);
    return microseconds(begin, record(origin_));
  };
  EXPECT_NEAR(time(false) - time(true), (chain - 1) * 2.0F, 0.2F);  // 2 us each
}

TEST_F(Schedule, EqualWorkTakesEqualTime) {
  const auto run = [&] {
    return side_by_side(5, [&, count = 0](cudaStream_t stream) mutable {
      ++count % 2 == 0 ? large(stream) : small(stream);
    });
  };
  const float once = run();
  EXPECT_NEAR(run(), once, 0.001F * once);
}

}  // namespace
