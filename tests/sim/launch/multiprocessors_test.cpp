// Who holds a device's multiprocessors in simulated time.
#include "sim/launch/multiprocessors.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "sim/machine/device_model.hpp"

using namespace aisp;

namespace {

using sim::Multiprocessors;

TEST(Multiprocessors, SmallKernelsRunBesideEachOther) {
  Multiprocessors device(4);
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(device.free_at(1, 10), 10);
    device.take(1, 10, 110);
  }
  EXPECT_EQ(device.free_at(1, 10), 110);  // the fifth waits
  EXPECT_EQ(device.free_at(1, 500), 500);
}

TEST(Multiprocessors, ALargeKernelWaitsForAllThatItNeeds) {
  Multiprocessors device(4);
  device.take(1, 0, 30);
  device.take(2, 0, 50);
  EXPECT_EQ(device.free_at(1, 0), 0);
  EXPECT_EQ(device.free_at(2, 0), 30);
  EXPECT_EQ(device.free_at(3, 0), 50);
  EXPECT_EQ(device.free_at(4, 0), 50);
  device.take(4, 50, 60);
  EXPECT_EQ(device.free_at(1, 0), 60);
}

TEST(Multiprocessors, MoreThanThereAreIsAllOfThem) {
  Multiprocessors device(2);
  device.take(100, 0, 20);
  EXPECT_EQ(device.free_at(1, 0), 20);
  EXPECT_EQ(device.free_at(100, 0), 20);
  EXPECT_EQ(device.free_at(0, 30), 30);
}

TEST(Multiprocessors, APartIsTakenAlone) {
  const std::vector<int> low{0, 1}, high{2, 3}, middle{1, 2};
  Multiprocessors device(4);
  device.take(2, 0, 100, low);
  EXPECT_EQ(device.free_at(1, 0, low), 100);
  EXPECT_EQ(device.free_at(2, 0, high), 0) << "nothing of it is taken";
  EXPECT_EQ(device.free_at(1, 0, middle), 0);
  EXPECT_EQ(device.free_at(2, 0, middle), 100);
  EXPECT_EQ(device.free_at(9, 0, middle), 100) << "more than the part has";
  EXPECT_EQ(device.free_at(2, 0), 0);
  EXPECT_EQ(device.free_at(3, 0), 100);
  device.take(1, 0, 50);  // anywhere: on one of the two that are free
  EXPECT_EQ(device.free_at(2, 0, high), 50);
  EXPECT_EQ(device.free_at(1, 0, high), 0);
}

TEST(Multiprocessors, ThoseIdleForLongestAreLeftToOthers) {
  Multiprocessors device(3);
  device.take(1, 0, 40);
  device.take(1, 50, 90);  // on the one that was free from 40 on
  EXPECT_EQ(device.free_at(2, 0), 0);
  EXPECT_EQ(device.free_at(3, 0), 90);
}

TEST(Multiprocessors, AKernelHoldsThoseThatItsBlocksFill) {
  const sim::DeviceModel model = sim::device_model("h200");
  sim::Routine kernel;
  kernel.registers_32 = 32;
  sim::LaunchConfig config;
  config.block = {1024, 1, 1};  // two blocks on each
  config.grid = {1, 1, 1};
  EXPECT_EQ(sim::multiprocessors_of(model, kernel, config), 1);
  config.grid = {5, 1, 1};
  EXPECT_EQ(sim::multiprocessors_of(model, kernel, config), 3);
  config.grid = {1000, 7, 1};
  EXPECT_EQ(sim::multiprocessors_of(model, kernel, config), 132);
  config.grid = {5, 1, 1};
  config.dynamic_shared = 200 << 10;  // one on each
  EXPECT_EQ(sim::multiprocessors_of(model, kernel, config), 5);
}

TEST(Multiprocessors, ACopyHoldsMoreTheMoreItMoves) {
  const sim::DeviceModel model = sim::device_model("h200");
  EXPECT_EQ(sim::multiprocessors_of(model, 4), 1);
  EXPECT_EQ(sim::multiprocessors_of(model, 100 << 10), 4);
  EXPECT_EQ(sim::multiprocessors_of(model, std::uint64_t{1} << 30), 132);
}

}  // namespace
