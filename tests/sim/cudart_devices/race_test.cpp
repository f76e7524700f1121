// What orders the work of several devices, as the hazard checker sees it.
#include <functional>

#include "tests/sim/cudart/hazard_runs.hpp"
#include "tests/sim/cudart_devices/support.hpp"

using namespace aisp;

namespace {

using devices::event_on;
using devices::ints_on;
using devices::On;
using devices::stream_on;

class DevicesRaceDeathTest : public hazard_runs::Test {};

// One device after the other in the same memory.
void two_fills(const std::function<void(cudaStream_t, cudaStream_t)>& between) {
  const cudaStream_t first = stream_on(0), second = stream_on(1);
  int* memory = ints_on(0, 64);
  cudaMemsetAsync(memory, 1, 256, first);
  between(first, second);
  cudaMemsetAsync(memory, 2, 256, second);
  for (const cudaStream_t stream : {first, second}) cudaStreamSynchronize(stream);
}

TEST_F(DevicesRaceDeathTest, NothingOrdersTwoDevices) {
  expect({"stream-race"}, [&] { two_fills([](cudaStream_t, cudaStream_t) {}); });
}

TEST_F(DevicesRaceDeathTest, AnEventDoes) {
  expect({}, [&] {
    two_fills([](cudaStream_t first, cudaStream_t second) {
      const cudaEvent_t event = event_on(0);
      cudaEventRecord(event, first);
      cudaStreamWaitEvent(second, event, 0);
    });
  });
}

TEST_F(DevicesRaceDeathTest, TheHostWaitsForOneDeviceOnly) {
  const auto wait_for = [](int device) {
    two_fills([&](cudaStream_t, cudaStream_t) {
      const On there(device);
      cudaDeviceSynchronize();
    });
  };
  expect({}, [&] { wait_for(0); });
  expect({"stream-race"}, [&] { wait_for(1); });
}

// `copy` between devices 0 and 1, and default-stream work on the memory of its other end before or
// after it. One at a time: of two fills the second hides the first from a copy that runs last.
void default_streams(bool before, const std::function<void(int*, int*)>& copy) {
  int *own = ints_on(0, 64), *theirs = ints_on(1, 64);
  const auto fill = [&] {
    const On there(1);
    cudaMemsetAsync(theirs, 1, 256, nullptr);
  };
  if (before) fill();
  copy(own, theirs);
  if (!before) fill();
  for (const int device : {1, 0}) {
    const On there(device);
    cudaDeviceSynchronize();
  }
}

TEST_F(DevicesRaceDeathTest, DefaultStreamsAreApart) {
  for (const bool before : {true, false})
    expect({"stream-race"}, [&] {
      default_streams(before, [](int* own, int* theirs) {
        cudaDeviceEnablePeerAccess(1, 0);
        devices::launch_add(own, theirs, 64, nullptr);
      });
    });
}

TEST_F(DevicesRaceDeathTest, ACopyInADefaultStreamIsInThatOfBothEnds) {
  for (const bool before : {true, false})
    expect({}, [&] {
      default_streams(before, [](int* own, int* theirs) {
        cudaMemcpyPeerAsync(own, 0, theirs, 1, 256, nullptr);
      });
    });
}

TEST_F(DevicesRaceDeathTest, BothEndsOfSuchACopyAreWaitedFor) {
  expect({}, [&] {
    int *own = ints_on(0, 64), *theirs = ints_on(1, 64);
    cudaMemcpyPeerAsync(own, 0, theirs, 1, 256, nullptr);
    const On there(1);
    cudaDeviceSynchronize();
    cudaMemsetAsync(own, 1, 256, stream_on(1));
    cudaDeviceSynchronize();
  });
}

// A ring in which everybody takes its left neighbour's part; `ordered`: when that is complete.
void ring(bool ordered) {
  int *parts[devices::count] = {}, *taken[devices::count] = {};
  cudaStream_t streams[devices::count] = {};
  cudaEvent_t ready[devices::count] = {};
  for (int device = 0; device < devices::count; ++device) {
    const On there(device);
    parts[device] = ints_on(device, 256);
    taken[device] = ints_on(device, 256);
    streams[device] = stream_on(device);
    ready[device] = event_on(device);
    devices::launch_mark(parts[device], 256, streams[device]);
    cudaEventRecord(ready[device], streams[device]);
  }
  for (int device = 0; device < devices::count; ++device) {
    const int left = (device + devices::count - 1) % devices::count;
    if (ordered || device != 2) cudaStreamWaitEvent(streams[device], ready[left], 0);
    cudaMemcpyPeerAsync(taken[device], device, parts[left], left, 1024, streams[device]);
  }
  for (const cudaStream_t stream : streams) cudaStreamSynchronize(stream);
}

TEST_F(DevicesRaceDeathTest, ARingNeedsAllOfItsEvents) {
  expect({}, [&] { ring(true); });
  expect({"stream-race"}, [&] { ring(false); });
}

// The copy of device 1 is not over when device 0 is at rest.
TEST_F(DevicesRaceDeathTest, TheHostMayNotReadWhatAnotherDeviceStillWrites) {
  const auto run = [](int device) {
    char* pinned = hazard_runs::pinned_memory(1 << 20);
    int* memory = ints_on(1, 1 << 18);
    cudaMemcpyAsync(pinned, memory, 1 << 20, cudaMemcpyDefault, stream_on(1));
    {
      const On there(device);
      cudaDeviceSynchronize();
    }
    static_cast<void>(*static_cast<volatile char*>(pinned));
    const On there(1);
    cudaDeviceSynchronize();
  };
  expect({"host-race"}, [&] { run(0); });
  expect({}, [&] { run(1); });
}

}  // namespace
