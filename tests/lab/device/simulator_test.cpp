#include "lab/device/simulator.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "lab/device/device.hpp"

namespace aisp::lab {
namespace {

// The lab refuses a name before it starts anything; the data files say what the names are.
TEST(SimulatedDevices, AreThoseWithADataFile) {
  std::set<std::string> files;
  const std::filesystem::path folder = std::filesystem::path(AISP_SOURCE_DIR) / "sim/devices";
  for (const auto& file : std::filesystem::directory_iterator(folder))
    files.insert(file.path().stem().string());
  const auto& names = simulated_devices();
  EXPECT_EQ(std::set<std::string>(names.begin(), names.end()), files);
}

TEST(SimulatedDevices, MayHaveFewerMultiprocessorsAndBeSeveral) {
  for (const char* good : {"h200", "a100", "b200", "gb200", "h200,sms=8", "a100,sms=1"})
    EXPECT_EQ(problem_with_device(good), "") << good;
  for (const char* bad : {"", "h20", "H200", "h200 ", "h200,", "h200,sms", "h200,sms=",
                          "h200,sms=0", "h200,sms=-1", "h200,sms=8x", "h200,warps=8", ",sms=8"})
    EXPECT_NE(problem_with_device(bad), "") << bad;
  for (const char* good : {"h200,gpus=1", "h200,gpus=16", "h200,sms=8,gpus=4", "a100,gpus=2,sms=8"})
    EXPECT_EQ(problem_with_device(good), "") << good;
  for (const char* bad : {"h200,gpus", "h200,gpus=", "h200,gpus=0", "h200,gpus=2=2", "gpus=4"})
    EXPECT_NE(problem_with_device(bad), "") << bad;
  EXPECT_EQ(problem_with_device("h200,gpus=17"), "'gpus=17': 1 to 16 devices can be simulated");
  EXPECT_EQ(problem_with_device("h2000"),
            "the simulator knows no device 'h2000'; it knows h200, a100, b200, gb200; did you mean "
            "h200?");
}

TEST(SimulatedDevices, FollowTheColon) {
  EXPECT_EQ(device_choice("sim").value().simulated, "");
  EXPECT_EQ(device_choice("sim:a100").value().simulated, "a100");
  EXPECT_EQ(device_choice("sim:h200,sms=8").value().simulated, "h200,sms=8");
}

TEST(DeviceChoice, IsOneOfThreeAndOnlyTheSimulatorSaysMore) {
  EXPECT_EQ(device_choice("auto").value().kind, DeviceKind::automatic);
  EXPECT_EQ(device_choice("gpu").value().kind, DeviceKind::gpu);
  EXPECT_EQ(device_choice("sim:a100").value().kind, DeviceKind::simulator);
  for (const char* bad : {"", "GPU", "simulator", "gpu:0", "auto:", ":h200"})
    EXPECT_FALSE(device_choice(bad)) << bad;
}

TEST(SimulatorReport, BecomesOneLineForARow) {
  EXPECT_EQ(one_line(""), "");
  EXPECT_EQ(one_line("refused: line 41"), "refused: line 41");
  EXPECT_EQ(one_line("deadlock:\n  warp 0 waits\n\n  block (0,0,0)\n"),
            "deadlock:; warp 0 waits; block (0,0,0)");
  EXPECT_EQ(one_line("a\nb\nc\nd\ne"), "a; b; c; d; e");
  EXPECT_EQ(one_line("a\nb\nc\nd\ne\nf\ng"), "a; b; c; …; g");
}

TEST(Simulator, IsKnownByItsLibrary) {
  EXPECT_EQ(on_simulator(), why_no_cuda_device().empty() && cuda_device_info().simulated);
  EXPECT_EQ(take_simulator_note(), "") << "nothing went wrong";
}

}  // namespace
}  // namespace aisp::lab
