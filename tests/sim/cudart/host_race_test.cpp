// The host in memory of a copy under way, as the hazard checker sees it.
#include <sys/mman.h>
#include <sys/wait.h>

#include <condition_variable>
#include <csignal>
#include <mutex>

#include "tests/sim/cudart/hazard_runs.hpp"
#include "tests/sim/cudart/kernels.hpp"

using namespace aisp;

namespace {

using hazard_runs::device_memory;
using hazard_runs::pinned_memory;
using hazard_runs::Streams;

constexpr std::size_t bytes = 3 << 12;
constexpr auto to_device = cudaMemcpyHostToDevice, to_host = cudaMemcpyDeviceToHost;

volatile char sink;

class HostRaceDeathTest : public hazard_runs::Test {};

TEST_F(HostRaceDeathTest, AReadBeforeTheCopyToTheHostIsDone) {
  expect({"host-race"}, [&] {
    Streams streams;
    char* host = pinned_memory(bytes);
    cudaMemcpyAsync(host, device_memory(bytes), bytes, to_host, streams.first);
    sink = host[bytes - 1];
    cudaDeviceSynchronize();
  });
}

TEST_F(HostRaceDeathTest, AReadWhenTheCopyHappensToBeDone) {
  expect({"host-race"}, [&] {
    Streams streams;
    char* host = pinned_memory(bytes);
    cudaMemcpyAsync(host, device_memory(bytes), bytes, to_host, streams.first);
    usleep(50000);
    sink = host[0];
    cudaDeviceSynchronize();
  });
}

TEST_F(HostRaceDeathTest, AReadAfterTheHostHasWaited) {
  expect({}, [&] {
    Streams streams;
    char *host = pinned_memory(bytes), *device = device_memory(bytes);
    cudaEvent_t event{};
    cudaEventCreate(&event);
    cudaMemset(device, 5, bytes);
    cudaDeviceSynchronize();
    cudaMemcpyAsync(host, device, bytes, to_host, streams.first);
    cudaEventRecord(event, streams.first);
    cudaEventSynchronize(event);
    if (host[0] != 5 || host[bytes - 1] != 5) std::exit(1);
    cudaMemcpyAsync(host, device, bytes, to_host, streams.first);
    cudaDeviceSynchronize();
    host[0] = 1;
  });
}

TEST_F(HostRaceDeathTest, AWaitEndsOnlyWhatItWaitedFor) {
  expect({"host-race"}, [&] {
    Streams streams;
    char *one = pinned_memory(bytes), *other = pinned_memory(bytes);
    cudaMemcpyAsync(one, device_memory(bytes), bytes, to_host, streams.first);
    cudaMemcpyAsync(other, device_memory(bytes), bytes, to_host, streams.second);
    cudaStreamSynchronize(streams.first);
    sink = one[0];
    sink = other[0];
    cudaDeviceSynchronize();
  });
}

TEST_F(HostRaceDeathTest, TheSourceMayBeReadNotWritten) {
  expect({}, [&] {
    Streams streams;
    char* host = pinned_memory(bytes);
    cudaMemcpyAsync(device_memory(bytes), host, bytes, to_device, streams.first);
    sink = host[7];
    cudaDeviceSynchronize();
    host[7] = 1;
  });
  expect({"host-race"}, [&] {
    Streams streams;
    char* host = pinned_memory(bytes);
    cudaMemcpyAsync(device_memory(bytes), host, bytes, to_device, streams.first);
    host[7] = 1;
    cudaDeviceSynchronize();
  });
}

TEST_F(HostRaceDeathTest, OtherPartsOfTheBufferAreTheHosts) {
  expect({}, [&] {
    Streams streams;
    char* host = pinned_memory(4 * bytes);
    cudaMemcpyAsync(host + 100, device_memory(bytes), bytes, to_host, streams.first);
    host[99] = 1;
    host[100 + bytes] = 1;
    cudaDeviceSynchronize();
  });
}

TEST_F(HostRaceDeathTest, RegisteredMemoryCountsAndItsNeighboursDoNot) {
  expect({"host-race"}, [&] {
    Streams streams;
    void* pages =
        mmap(nullptr, 8 << 12, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    char* host = static_cast<char*>(pages) + 100;
    cudaHostRegister(host, bytes, cudaHostRegisterDefault);
    cudaMemcpyAsync(host, device_memory(bytes), bytes, to_host, streams.first);
    host[-1] = 1;
    host[bytes] = 1;
    sink = host[bytes / 2];
    cudaHostUnregister(host);
  });
}

TEST_F(HostRaceDeathTest, KernelsAndHostFunctionsMayTouchIt) {
  expect({}, [&] {
    Streams streams;
    char* host = pinned_memory(bytes);
    cudaMemcpyAsync(host, device_memory(bytes), bytes, to_host, streams.first);
    void* out = host;
    int count = 64;
    void* args[] = {&out, &count};
    cudaLaunchKernel(kernels::store_index(), dim3(1), dim3(64), args, 0, streams.first);
    cudaLaunchHostFunc(
        streams.first, [](void* data) { sink = *static_cast<char*>(data); }, host);
    cudaDeviceSynchronize();
    if (reinterpret_cast<int*>(host)[1] != 4) std::exit(1);
  });
}

TEST_F(HostRaceDeathTest, AHostFunctionMayTellTheHost) {
  struct Signal {
    std::mutex mutex;
    std::condition_variable changed;
    bool done = false;
  };
  expect({}, [&] {
    static Signal signal;
    Streams streams;
    char* host = pinned_memory(bytes);
    cudaMemcpyAsync(host, device_memory(bytes), bytes, to_host, streams.first);
    cudaLaunchHostFunc(
        streams.first,
        [](void*) {
          const std::lock_guard lock(signal.mutex);
          signal.done = true;
          signal.changed.notify_one();
        },
        nullptr);
    std::unique_lock lock(signal.mutex);
    signal.changed.wait(lock, [] { return signal.done; });
    sink = host[0];
  });
}

TEST_F(HostRaceDeathTest, ManyCopiesIntoOneBuffer) {
  expect({}, [&] {
    Streams streams;
    char *host = pinned_memory(bytes), *device = device_memory(bytes);
    for (int i = 0; i < 6000; ++i) cudaMemcpyAsync(host, device, bytes, to_host, streams.first);
    cudaStreamSynchronize(streams.first);
    sink = host[0];
  });
}

TEST_F(HostRaceDeathTest, OtherFaultsGoWhereTheyWent) {
  EXPECT_EXIT(
      {
        signal(SIGSEGV, [](int) { _exit(7); });
        cudaMemcpyAsync(pinned_memory(bytes), device_memory(bytes), bytes, to_host, nullptr);
        *reinterpret_cast<volatile char*>(64) = 1;  // no allocation of anybody's
      },
      testing::ExitedWithCode(7), "");
  EXPECT_EXIT(
      {
        cudaMemcpyAsync(pinned_memory(bytes), device_memory(bytes), bytes, to_host, nullptr);
        raise(SIGSEGV);
      },
      testing::KilledBySignal(SIGSEGV), "");
}

TEST_F(HostRaceDeathTest, AForkedChildHasItsOwnMemory) {
  expect({}, [&] {
    char* host = pinned_memory(bytes);
    cudaMemcpyAsync(host, device_memory(bytes), bytes, to_host, nullptr);
    if (const pid_t child = fork(); child == 0) {
      host[0] = 1;
      std::exit(0);
    } else {
      int status = 1;
      waitpid(child, &status, 0);
      if (status != 0) std::exit(1);
    }
    cudaDeviceSynchronize();
  });
}

}  // namespace
