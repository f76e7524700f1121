#include "lab/device/hardware.hpp"

#include <gtest/gtest.h>

#include <set>

namespace aisp::lab {
namespace {

TEST(HardwareKey, IsShortAndFitForAFileName) {
  EXPECT_EQ(hardware_key("NVIDIA H200"), "h200");
  EXPECT_EQ(hardware_key("NVIDIA A100-SXM4-80GB"), "a100-sxm4-80gb");
  EXPECT_EQ(hardware_key("NVIDIA GeForce RTX 4090"), "geforce-rtx-4090");
  EXPECT_EQ(hardware_key("Tesla V100 (PCIe)"), "tesla-v100-pcie");
}

TEST(HardwareKey, NeverLeavesItsFolder) {
  EXPECT_EQ(hardware_key("../../etc/passwd"), "etc-passwd");
  EXPECT_EQ(hardware_key(""), "unknown");
  EXPECT_EQ(hardware_key("NVIDIA "), "unknown");
  EXPECT_EQ(hardware_key("***"), "unknown");
}

TEST(HardwareKey, OfItselfIsItself) {
  for (const char* name : {"NVIDIA H200", "NVIDIA A100-SXM4-80GB", "x__y  z"})
    EXPECT_EQ(hardware_key(hardware_key(name)), hardware_key(name));
}

}  // namespace
}  // namespace aisp::lab
