// How many blocks an SM of the pretended device holds at once, by hand-made sums.
#include "sim/launch/launch.hpp"

#include <gtest/gtest.h>

using namespace aisp;

namespace {

using sim::device_model;

sim::Routine kernel_with(int registers, std::uint32_t shared = 0) {
  sim::Routine kernel;
  kernel.is_entry = true;
  kernel.registers_32 = registers;
  kernel.static_shared = shared;
  return kernel;
}

int blocks(const char* device, const sim::Routine& kernel, std::uint32_t threads,
           std::uint32_t dynamic = 0) {
  return sim::occupancy(device_model(device), kernel, threads, dynamic).blocks_per_sm;
}

TEST(Occupancy, LimitsOfBlocksAndWarps) {
  EXPECT_EQ(blocks("h200", kernel_with(16), 32), 32);
  EXPECT_EQ(blocks("h200", kernel_with(16), 256), 8);
  EXPECT_EQ(blocks("h200", kernel_with(16), 1024), 2);
  EXPECT_EQ(blocks("h200", kernel_with(16), 1), 32);
}

TEST(Occupancy, Registers) {
  EXPECT_EQ(blocks("h200", kernel_with(64), 256), 4);  // 8 warps of 2048 registers
  EXPECT_EQ(blocks("h200", kernel_with(65), 256), 3);  // rounded to 72
  EXPECT_EQ(blocks("h200", kernel_with(128), 256), 2);
  EXPECT_EQ(blocks("h200", kernel_with(255), 128), 2);
  EXPECT_EQ(blocks("h200", kernel_with(500), 1024), 1);  // compiled to fit
  EXPECT_EQ(blocks("h200", kernel_with(200), 384), 1);   // 170 would fit, in units of 8: 168
}

TEST(Occupancy, SharedMemoryWithWhatTheSystemKeeps) {
  EXPECT_EQ(blocks("h200", kernel_with(16), 128, 232448), 1);
  EXPECT_EQ(blocks("h200", kernel_with(16), 128, 115712), 2);  // 2 x (113 + 1) KiB = 228 KiB
  EXPECT_EQ(blocks("h200", kernel_with(16), 128, 115713), 1);
  EXPECT_EQ(blocks("h200", kernel_with(16, 48 * 1024), 128), 4);
}

TEST(Occupancy, OfTheWholeDevice) {
  EXPECT_EQ(sim::occupancy(device_model("h200,sms=2"), kernel_with(16), 1024, 0).resident_blocks,
            4);
}

}  // namespace
