// The host as a device: rungs that need no GPU run here, timed by the steady clock. The lab's own
// tests use it to plant crashes, hangs and wrong numbers.
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>

#include "base/refuse.hpp"
#include "lab/device/device.hpp"

namespace aisp::lab {
namespace {

class HostReplay : public Replay {
 public:
  explicit HostReplay(std::function<void()> work) : work_(std::move(work)) {}
  void enqueue() override { work_(); }

 private:
  std::function<void()> work_;
};

class HostDevice : public Device {
 public:
  explicit HostDevice(HostClock clock) : clock_(std::move(clock)) {
    info_ = {
        .hardware = "host",
        .name = "host processor",
        .driver = "none",
        .runtime = "none",
        .uuid = "host",
        .multiprocessors = static_cast<int>(std::max(1u, std::thread::hardware_concurrency())),
        .major = 0,
        .minor = 0,
        .l2_bytes = 1 << 20,
        .memory_bytes = static_cast<std::int64_t>(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGE_SIZE),
        .simulated = false};
  }

  const DeviceRecord& info() const override { return info_; }
  cudaStream_t stream() const override { return nullptr; }

  void* allocate(std::size_t bytes, Memory) override {
    void* memory = std::aligned_alloc(256, (bytes + 256) / 256 * 256);
    if (memory == nullptr)
      throw std::runtime_error(base::say("out of host memory: ", bytes, " bytes asked for"));
    return memory;
  }
  void release(void* memory, Memory) override { std::free(memory); }
  std::size_t free_bytes() const override {
    return static_cast<std::size_t>(sysconf(_SC_AVPHYS_PAGES)) *
           static_cast<std::size_t>(sysconf(_SC_PAGE_SIZE));
  }

  void upload(void* to, const void* from, std::size_t bytes) override {
    std::memcpy(to, from, bytes);
  }
  void download(void* to, const void* from, std::size_t bytes) override {
    std::memcpy(to, from, bytes);
  }
  void fill(void* memory, int byte, std::size_t bytes) override {
    std::memset(memory, byte, bytes);
  }
  void copy(void* to, const void* from, std::size_t bytes) override {
    std::memcpy(to, from, bytes);
  }
  void synchronize() override {}

  Timed time(const Sample& sample) override {
    sample.first();
    const double start = clock_();
    sample.work();
    const double stop = clock_();
    sample.last();
    sample.meanwhile();
    return {.ms = stop - start};
  }

  std::unique_ptr<Replay> record(const std::function<void()>& work) override {
    return std::make_unique<HostReplay>(work);
  }

 private:
  HostClock clock_;
  DeviceRecord info_;
};

}  // namespace

double steady_milliseconds() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double, std::milli>(now).count();
}

std::unique_ptr<Device> open_host_device(HostClock clock) {
  return std::make_unique<HostDevice>(std::move(clock));
}

}  // namespace aisp::lab
