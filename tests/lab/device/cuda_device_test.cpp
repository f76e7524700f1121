#include <gtest/gtest.h>

#include <chrono>
#include <numeric>
#include <thread>
#include <vector>

#include "lab/device/device.hpp"
#include "lab/device/simulator.hpp"

namespace aisp::lab {
namespace {

TEST(CudaDevice, IsThereOrSaysInOneLineWhyNot) {
  const std::string why = why_no_cuda_device();
  EXPECT_EQ(why.find('\n'), std::string::npos);
  if (why.empty()) {
    EXPECT_GT(cuda_device_info().multiprocessors, 0);
  } else {
    EXPECT_THROW(open_cuda_device(), std::exception);
    EXPECT_THROW(cuda_device_info(), std::exception);
  }
}

class OnTheGpu : public testing::Test {
 protected:
  void SetUp() override {
    if (const auto why = why_no_cuda_device(); !why.empty()) GTEST_SKIP() << why;
    device_ = open_cuda_device();
  }
  std::unique_ptr<Device> device_;
};

TEST_F(OnTheGpu, IsDescribedAlikeWithAndWithoutAContext) {
  EXPECT_EQ(device_->info(), cuda_device_info());
  EXPECT_TRUE(device_->info().uuid.starts_with("GPU-"));
  EXPECT_GT(device_->info().l2_bytes, 0);
  EXPECT_EQ(device_->info().simulated, on_simulator());
}

TEST_F(OnTheGpu, KeepsWhatIsUploaded) {
  std::vector<int> there(1 << 16), back(1 << 16);
  std::iota(there.begin(), there.end(), 0);
  const std::size_t bytes = there.size() * sizeof(int);
  const Buffer buffer(*device_, bytes);
  device_->upload(buffer.get(), there.data(), bytes);
  device_->download(back.data(), buffer.get(), bytes);
  EXPECT_EQ(back, there);
  device_->fill(buffer.get(), 0xff, bytes);
  device_->download(back.data(), buffer.get(), bytes);
  EXPECT_EQ(back, std::vector<int>(back.size(), -1));
}

TEST_F(OnTheGpu, RunningOutOfMemoryNamesTheBytesAndDoesNotSpoilTheDevice) {
  try {
    device_->allocate(std::size_t{1} << 50);
    FAIL() << "a pebibyte was found";
  } catch (const std::runtime_error& error) {
    EXPECT_TRUE(std::string(error.what()).starts_with("out of device memory: ")) << error.what();
  }
  EXPECT_NO_THROW(device_->synchronize());
  EXPECT_NO_THROW(Buffer(*device_, 1 << 20));
}

TEST_F(OnTheGpu, TimesMoreWorkAsLonger) {
  const std::size_t bytes = std::size_t{1} << (on_simulator() ? 24 : 30);
  const Buffer buffer(*device_, bytes);
  const auto fill = [&](int times) {
    return device_
        ->time({.work =
                    [&] {
                      for (int i = 0; i < times; ++i) device_->fill(buffer.get(), i, bytes);
                    }})
        .ms;
  };
  fill(1);
  EXPECT_GT(fill(16), 4 * fill(1));
}

// Eight launches take the host longer than the device: held back, that is no part of the time.
TEST_F(OnTheGpu, AHeldStartLeavesTheHostsTimeOut) {
  if (on_simulator()) GTEST_SKIP() << "its clock stands still while the host works";
  const Buffer buffer(*device_, 4);
  const auto slowly = [&] {
    for (int i = 0; i < 4; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
      device_->fill(buffer.get(), i, 4);
    }
  };
  EXPECT_GT(device_->time({.work = slowly}).ms, 6);
  EXPECT_LT(device_->time({.work = slowly, .start = Start::held}).ms, 1);
}

TEST_F(OnTheGpu, TellsTheClockOfTheWork) {
  if (on_simulator()) GTEST_SKIP() << "it counts instructions, not cycles";
  const std::size_t bytes = std::size_t{1} << 30;
  const Buffer buffer(*device_, bytes);
  const auto timed = device_->time({.work = [&] { device_->fill(buffer.get(), 0, bytes); }});
  ASSERT_TRUE(timed.sm_mhz.has_value());
  EXPECT_GT(*timed.sm_mhz, 300);
  EXPECT_LT(*timed.sm_mhz, 4000);
}

// More than a stream's queue holds: the gate gives way instead of waiting for ever.
TEST_F(OnTheGpu, AHeldStartOfThousandsOfLaunchesEnds) {
  const Buffer buffer(*device_, 4);
  const auto many = [&] {
    for (int i = 0; i < 5000; ++i) device_->fill(buffer.get(), i, 4);
  };
  EXPECT_GT(device_->time({.work = many, .start = Start::held}).ms, 0);
}

TEST_F(OnTheGpu, ReplaysARecordedWork) {
  const Buffer buffer(*device_, 4);
  const auto replay = device_->record([&] { device_->fill(buffer.get(), 1, 4); });
  device_->fill(buffer.get(), 0, 4);
  replay->enqueue();
  int value = 0;
  device_->download(&value, buffer.get(), 4);
  EXPECT_EQ(value, 0x01010101);
}

}  // namespace
}  // namespace aisp::lab
