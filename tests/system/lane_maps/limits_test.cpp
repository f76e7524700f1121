// The tile library and the simulator each state what an SM and its blocks have. Here the two
// statements meet.
#include "tile/arch/limits.hpp"

#include <gtest/gtest.h>

#include "sim/machine/device_model.hpp"

using namespace aisp;

namespace {

void expect_limits(const char* name) {
  const sim::DeviceModel device = sim::device_model(name);
  const tile::arch::Limits limits = tile::arch::limits_of(10 * device.major + device.minor);
  EXPECT_EQ(limits.architecture, 10 * device.major + device.minor) << name;
  EXPECT_EQ(limits.multiprocessors, device.multiprocessors) << name;
  EXPECT_EQ(limits.shared_per_sm, device.shared_per_sm) << name;
  EXPECT_EQ(limits.shared_per_block, device.shared_per_block_optin) << name;
  EXPECT_EQ(limits.shared_reserved, device.shared_reserved) << name;
  EXPECT_EQ(limits.tensor_columns, device.tensor_columns) << name;
  EXPECT_EQ(limits.cluster_blocks, device.max_cluster) << name;
  EXPECT_EQ(limits.registers_per_block, device.registers_per_block) << name;
  EXPECT_EQ(limits.registers_per_block, device.registers_per_sm) << name;
}

TEST(Limits, AreThoseOfTheSimulatorsDevices) {
  expect_limits("a100");
  expect_limits("h200");
  expect_limits("b200");
  expect_limits("gb200");
}

// sm_86, sm_103: what the newest architecture before them has.
TEST(Limits, OfOtherArchitecturesAreThoseBeforeThem) {
  EXPECT_EQ(tile::arch::limits_of(89).architecture, 80);
  EXPECT_EQ(tile::arch::limits_of(99).architecture, 90);
  EXPECT_EQ(tile::arch::limits_of(103).architecture, 100);
}

}  // namespace
