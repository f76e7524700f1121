#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <thread>
#include <vector>

#include "lab/device/device.hpp"

namespace aisp::lab {
namespace {

TEST(HostDevice, SaysThatItIsTheHost) {
  const auto device = open_host_device();
  EXPECT_EQ(device->info().hardware, "host");
  EXPECT_EQ(device->info().major, 0) << "no rung for a GPU runs on it";
  EXPECT_FALSE(device->info().simulated);
  EXPECT_GE(device->info().multiprocessors, 1);
  EXPECT_GT(device->info().memory_bytes, 1 << 20);
  EXPECT_EQ(device->stream(), nullptr);
}

TEST(HostDevice, KeepsWhatIsUploaded) {
  const auto device = open_host_device();
  std::vector<std::uint8_t> there(1000), back(1000);
  for (std::size_t i = 0; i < there.size(); ++i) there[i] = static_cast<std::uint8_t>(i);
  const Buffer buffer(*device, there.size());
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(buffer.get()) % 256, 0u) << "as cudaMalloc aligns";
  device->upload(buffer.get(), there.data(), there.size());
  device->download(back.data(), buffer.get(), back.size());
  EXPECT_EQ(back, there);
  device->fill(buffer.get(), 0xff, 10);
  device->download(back.data(), buffer.get(), back.size());
  EXPECT_EQ(back[9], 0xff);
  EXPECT_EQ(back[10], 10);
}

TEST(HostDevice, MoreMemoryThanThereIsNamesTheBytes) {
  const auto device = open_host_device();
  try {
    device->allocate(std::size_t{1} << 60);
    FAIL() << "an exbibyte was found";
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "out of host memory: 1152921504606846976 bytes asked for");
  }
  const Buffer nothing(*device, 0);
  EXPECT_NE(nothing.get(), nullptr);
}

TEST(HostDevice, TimesTheWorkAndNotWhatHappensMeanwhile) {
  const auto device = open_host_device();
  const auto nap = [] { std::this_thread::sleep_for(std::chrono::milliseconds(20)); };
  int order = 0, worked = 0, watched = 0;
  const double ms = device
                        ->time({.work =
                                    [&] {
                                      worked = ++order;
                                      nap();
                                    },
                                .meanwhile = [&] { watched = ++order; }})
                        .ms;
  EXPECT_GE(ms, 20);
  EXPECT_EQ(worked, 1);
  EXPECT_EQ(watched, 2);
  // Only the empty work is timed, however long the other takes.
  EXPECT_LT(device->time({.work = [] {}, .meanwhile = nap}).ms, 20);
}

TEST(HostDevice, ARecordedWorkRunsEachTimeItIsReplayed) {
  const auto device = open_host_device();
  int runs = 0;
  const auto replay = device->record([&] { ++runs; });
  replay->enqueue();
  replay->enqueue();
  EXPECT_EQ(runs, 2);
}

// Counts what comes back.
class Counting : public Device {
 public:
  int held = 0;
  const DeviceRecord& info() const override { return info_; }
  cudaStream_t stream() const override { return nullptr; }
  void* allocate(std::size_t, Memory) override { return ++held, &held; }
  void release(void*, Memory) override { --held; }
  std::size_t free_bytes() const override { return 0; }
  void upload(void*, const void*, std::size_t) override {}
  void download(void*, const void*, std::size_t) override {}
  void fill(void*, int, std::size_t) override {}
  void synchronize() override {}
  void copy(void*, const void*, std::size_t) override {}
  Timed time(const Sample&) override { return {}; }
  std::unique_ptr<Replay> record(const std::function<void()>&) override { return nullptr; }

 private:
  DeviceRecord info_;
};

TEST(Buffer, GivesItsMemoryBackOnceAlsoAfterAMove) {
  Counting device;
  {
    std::vector<Buffer> buffers;
    for (std::size_t i = 0; i < 10; ++i) buffers.emplace_back(device, i);
    EXPECT_EQ(device.held, 10);
    const Buffer moved = std::move(buffers.front());
    EXPECT_EQ(device.held, 10);
    EXPECT_EQ(buffers.front().get(), nullptr);
  }
  EXPECT_EQ(device.held, 0);
}

}  // namespace
}  // namespace aisp::lab
