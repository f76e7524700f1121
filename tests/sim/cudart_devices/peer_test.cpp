// One device in the memory of another: access, copies, rings of them, and the time they take.
#include <cstring>
#include <numeric>

#include "tests/sim/cudart_devices/support.hpp"

using namespace aisp;

namespace {

using devices::event_on;
using devices::ints_on;
using devices::On;
using devices::stream_on;

class Peers : public testing::Test {
 protected:
  void TearDown() override { devices::close_all(); }
};

TEST_F(Peers, AccessIsAskedForAndGivenUp) {
  int can = 0, value = -1;
  EXPECT_EQ(cudaDeviceCanAccessPeer(&can, 0, 3), cudaSuccess);
  EXPECT_EQ(can, 1);
  EXPECT_EQ(cudaDeviceCanAccessPeer(&can, 2, 2), cudaSuccess);
  EXPECT_EQ(can, 0);
  EXPECT_EQ(cudaDeviceGetP2PAttribute(&value, cudaDevP2PAttrAccessSupported, 0, 1), cudaSuccess);
  EXPECT_EQ(value, 1);
  EXPECT_EQ(cudaDeviceGetP2PAttribute(&value, cudaDevP2PAttrAccessSupported, 1, 1),
            cudaErrorInvalidDevice);
  EXPECT_EQ(cudaDeviceDisablePeerAccess(1), cudaErrorPeerAccessNotEnabled);
  EXPECT_EQ(cudaDeviceEnablePeerAccess(1, 1), cudaErrorInvalidValue);
  EXPECT_EQ(cudaDeviceEnablePeerAccess(1, 0), cudaSuccess);
  EXPECT_EQ(cudaDeviceEnablePeerAccess(1, 0), cudaErrorPeerAccessAlreadyEnabled);
  {
    const On there(1);  // one direction is not the other
    EXPECT_EQ(cudaDeviceDisablePeerAccess(0), cudaErrorPeerAccessNotEnabled);
  }
  EXPECT_EQ(cudaDeviceDisablePeerAccess(1), cudaSuccess);
  EXPECT_EQ(cudaDeviceDisablePeerAccess(1), cudaErrorPeerAccessNotEnabled);
  cudaGetLastError();
}

TEST_F(Peers, KernelsReadAndWriteWhereTheyHaveAccess) {
  int *own = ints_on(0, 100), *theirs = ints_on(1, 100);
  ASSERT_EQ(cudaMemset(own, 0, 400), cudaSuccess);
  {
    const On there(1);
    ASSERT_EQ(devices::launch_mark(theirs, 100, nullptr), cudaSuccess);
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  }
  ASSERT_EQ(cudaDeviceEnablePeerAccess(1, 0), cudaSuccess);
  EXPECT_EQ(devices::launch_add(own, theirs, 100, nullptr), cudaSuccess);
  EXPECT_EQ(devices::launch_add(theirs, own, 100, nullptr), cudaSuccess);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(devices::read(own, 100), std::vector<int>(100, 7));
  EXPECT_EQ(devices::read(theirs, 100), std::vector<int>(100, 14));
  cudaFree(own);
  cudaFree(theirs);
}

TEST_F(Peers, CopiesNeedNoAccess) {
  std::vector<int> values(1000);
  std::iota(values.begin(), values.end(), 1);
  const size_t bytes = 4 * values.size();
  int *first = ints_on(1, 1000), *second = ints_on(2, 1000), *third = ints_on(3, 1000);
  ASSERT_EQ(cudaMemcpy(first, values.data(), bytes, cudaMemcpyDefault), cudaSuccess);
  EXPECT_EQ(cudaMemcpyPeer(second, 2, first, 1, bytes), cudaSuccess);
  EXPECT_EQ(cudaMemcpy(third, second, bytes, cudaMemcpyDefault), cudaSuccess);
  EXPECT_EQ(devices::read(third, 1000), values);
  EXPECT_EQ(cudaMemcpyPeer(second, 3, first, 1, bytes), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpyPeer(second, 2, first, 4, bytes), cudaErrorInvalidDevice);
  cudaGetLastError();
  for (int* memory : {first, second, third}) cudaFree(memory);
}

// Every device keeps adding to its own what its left neighbour sends on, until all have all.
TEST_F(Peers, ARingOfCopiesAddsUpEverywhere) {
  constexpr int size = 1000, steps = devices::count - 1;
  struct Rank {
    int *sum = nullptr, *passed_on[2] = {};
    cudaStream_t stream{};
    cudaEvent_t ready[steps + 1] = {}, taken[steps] = {};
  } ranks[devices::count];
  for (int device = 0; device < devices::count; ++device) {
    Rank& rank = ranks[device];
    rank.stream = stream_on(device);
    rank.sum = ints_on(device, size);
    for (int*& buffer : rank.passed_on) buffer = ints_on(device, size);
    for (cudaEvent_t& event : rank.ready) event = event_on(device);
    for (cudaEvent_t& event : rank.taken) event = event_on(device);
    std::vector<int> values(size);
    for (int i = 0; i < size; ++i) values[static_cast<size_t>(i)] = (device + 1) * 1000 + i;
    ASSERT_EQ(cudaMemcpyAsync(rank.sum, values.data(), 4 * size, cudaMemcpyDefault, rank.stream),
              cudaSuccess);
    ASSERT_EQ(
        cudaMemcpyAsync(rank.passed_on[0], rank.sum, 4 * size, cudaMemcpyDefault, rank.stream),
        cudaSuccess);
    ASSERT_EQ(cudaEventRecord(rank.ready[0], rank.stream), cudaSuccess);
  }
  for (int step = 0; step < steps; ++step)
    for (int device = 0; device < devices::count; ++device) {
      const On there(device);
      Rank& rank = ranks[device];
      const int left = (device + devices::count - 1) % devices::count;
      const int right = (device + 1) % devices::count;
      // What the left one has is complete; what is overwritten here, the right one has taken.
      ASSERT_EQ(cudaStreamWaitEvent(rank.stream, ranks[left].ready[step], 0), cudaSuccess);
      if (step > 0) {
        ASSERT_EQ(cudaStreamWaitEvent(rank.stream, ranks[right].taken[step - 1], 0), cudaSuccess);
      }
      ASSERT_EQ(cudaMemcpyPeerAsync(rank.passed_on[(step + 1) % 2], device,
                                    ranks[left].passed_on[step % 2], left, 4 * size, rank.stream),
                cudaSuccess);
      ASSERT_EQ(cudaEventRecord(rank.taken[step], rank.stream), cudaSuccess);
      ASSERT_EQ(devices::launch_add(rank.sum, rank.passed_on[(step + 1) % 2], size, rank.stream),
                cudaSuccess);
      ASSERT_EQ(cudaEventRecord(rank.ready[step + 1], rank.stream), cudaSuccess);
    }
  std::vector<int> expected(size);
  for (int i = 0; i < size; ++i) expected[static_cast<size_t>(i)] = 10000 + 4 * i;
  for (const Rank& rank : ranks) {
    ASSERT_EQ(cudaStreamSynchronize(rank.stream), cudaSuccess);
    EXPECT_EQ(devices::read(rank.sum, size), expected);
    cudaFree(rank.sum);
    for (int* buffer : rank.passed_on) cudaFree(buffer);
    cudaStreamDestroy(rank.stream);
  }
}

// A graph captured over the streams of two devices runs each kernel where it was captured.
TEST_F(Peers, AGraphHasNodesOnSeveralDevices) {
  const cudaStream_t stream = stream_on(0), other = stream_on(1);
  const cudaEvent_t forked = event_on(0), joined = event_on(1);
  int *first = ints_on(0, 64), *second = ints_on(1, 64), *sum = ints_on(0, 64);
  {
    const On there(1);
    const int value = 20;
    ASSERT_EQ(cudaMemcpyToSymbol(kernels::mark_variable(), &value, sizeof value, 0,
                                 cudaMemcpyHostToDevice),
              cudaSuccess);
  }
  ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), cudaSuccess);
  EXPECT_EQ(cudaEventRecord(forked, stream), cudaSuccess);
  EXPECT_EQ(cudaStreamWaitEvent(other, forked, 0), cudaSuccess);
  {
    const On there(1);
    EXPECT_EQ(devices::launch_mark(second, 64, other), cudaSuccess);
    EXPECT_EQ(cudaEventRecord(joined, other), cudaSuccess);
  }
  EXPECT_EQ(devices::launch_mark(first, 64, stream), cudaSuccess);
  EXPECT_EQ(cudaStreamWaitEvent(stream, joined, 0), cudaSuccess);
  EXPECT_EQ(cudaMemcpyPeerAsync(sum, 0, second, 1, 256, stream), cudaSuccess);
  EXPECT_EQ(devices::launch_add(sum, first, 64, stream), cudaSuccess);
  cudaGraph_t graph{};
  ASSERT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess);
  cudaGraphExec_t executable{};
  ASSERT_EQ(cudaGraphInstantiate(&executable, graph, 0), cudaSuccess);
  for (int turn = 0; turn < 2; ++turn) EXPECT_EQ(cudaGraphLaunch(executable, stream), cudaSuccess);
  EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  EXPECT_EQ(devices::read(sum, 64), std::vector<int>(64, 27));
  cudaGraphExecDestroy(executable);
  cudaGraphDestroy(graph);
  const On there(1);
  const int initial = 7;
  cudaMemcpyToSymbol(kernels::mark_variable(), &initial, sizeof initial, 0, cudaMemcpyHostToDevice);
}

// Milliseconds of a copy from device 1 to 0 in a stream of device 0, while `others` are under way.
template <class Others>
float time_of_copy(Others others) {
  constexpr int size = 1 << 20;
  int *to = ints_on(0, size), *from = ints_on(1, size);
  const cudaStream_t stream = stream_on(0);
  const cudaEvent_t start = event_on(0), end = event_on(0);
  others(to, from, size);
  EXPECT_EQ(cudaEventRecord(start, stream), cudaSuccess);
  EXPECT_EQ(cudaMemcpyPeerAsync(to, 0, from, 1, sizeof(int) * size, stream), cudaSuccess);
  EXPECT_EQ(cudaEventRecord(end, stream), cudaSuccess);
  EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  for (int device = 0; device < devices::count; ++device) {
    const On there(device);
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  }
  float milliseconds = 0;
  EXPECT_EQ(cudaEventElapsedTime(&milliseconds, start, end), cudaSuccess);
  cudaFree(to);
  cudaFree(from);
  cudaStreamDestroy(stream);
  return milliseconds;
}

TEST_F(Peers, ACopyTakesTheLinkOfBothEnds) {
  const auto nothing = [](int*, int*, int) {};
  const float through_host = time_of_copy(nothing);
  devices::open_all();
  const float alone = time_of_copy(nothing);
  EXPECT_GT(through_host, 4 * alone);
  const cudaStream_t second = stream_on(1), third = stream_on(2), fourth = stream_on(3);
  int* beside = ints_on(2, 1 << 20);
  int* apart = ints_on(3, 1 << 20);
  const float shared = time_of_copy([&](int*, int* from, int size) {
    cudaMemcpyPeerAsync(beside, 2, from, 1, sizeof(int) * static_cast<size_t>(size), second);
  });
  EXPECT_NEAR(shared, 2 * alone, 0.01 * alone);
  const float disjoint = time_of_copy([&](int*, int*, int size) {
    cudaMemcpyPeerAsync(apart, 3, beside, 2, sizeof(int) * static_cast<size_t>(size), third);
  });
  EXPECT_NEAR(disjoint, alone, 0.01 * alone);
  const float beside_kernel = time_of_copy([&](int*, int*, int) {
    const On there(3);
    devices::launch_mark(apart, 1 << 14, fourth);
  });
  EXPECT_NEAR(beside_kernel, alone, 0.01 * alone);
}

// The same kernel on two devices takes the time of one; twice on one device it takes twice that.
TEST_F(Peers, DevicesWorkAtTheSameSimulatedTime) {
  constexpr int size = 1 << 14;
  int* memory[2] = {ints_on(0, size), ints_on(1, size)};
  const cudaStream_t streams[2] = {stream_on(0), stream_on(1)};
  const cudaEvent_t start = event_on(0), end = event_on(0), other_end = event_on(1);
  const auto time = [&](bool both) {
    cudaDeviceSynchronize();
    cudaEventRecord(start, streams[0]);
    if (both) {
      const On there(1);
      cudaStreamWaitEvent(streams[1], start, 0);
      EXPECT_EQ(devices::launch_mark(memory[1], size, streams[1]), cudaSuccess);
      cudaEventRecord(other_end, streams[1]);
    }
    EXPECT_EQ(devices::launch_mark(memory[0], size, streams[0]), cudaSuccess);
    if (both) cudaStreamWaitEvent(streams[0], other_end, 0);
    cudaEventRecord(end, streams[0]);
    EXPECT_EQ(cudaStreamSynchronize(streams[0]), cudaSuccess);
    float milliseconds = 0;
    EXPECT_EQ(cudaEventElapsedTime(&milliseconds, start, end), cudaSuccess);
    return milliseconds;
  };
  const float alone = time(false), both = time(true);
  EXPECT_NEAR(both, alone, 0.01 * alone);
}

}  // namespace
