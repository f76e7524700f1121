#include "lab/measure/nvml.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>

namespace aisp::lab {
namespace {

int starts = 0, stops = 0;  // the C interface has no object to count in

NvmlCalls made_up_calls() {
  starts = stops = 0;
  NvmlCalls calls;
  calls.init = [] { return ++starts, 0; };
  calls.shutdown = [] { return ++stops, 0; };
  calls.error_string = [](int error) { return error == 6 ? "Not Found" : "Unknown Error"; };
  calls.driver_version = [](char* text, unsigned length) {
    std::strncpy(text, "580.65.06", length);
    return 0;
  };
  calls.handle_by_uuid = [](const char* uuid, void** device) {
    *device = &starts;
    return std::string(uuid) == "GPU-1" ? 0 : 6;
  };
  calls.clock = [](void*, int kind, unsigned* mhz) { return *mhz = kind == 1 ? 1755 : 3201, 0; };
  calls.max_clock = [](void*, int kind, unsigned* mhz) {
    return *mhz = kind == 1 ? 1980 : 3201, 0;
  };
  calls.power = [](void*, unsigned* milliwatts) { return *milliwatts = 612500, 0; };
  calls.power_limit = [](void*, unsigned* milliwatts) { return *milliwatts = 700000, 0; };
  calls.temperature = [](void* device, int sensor, unsigned* celsius) {
    return *celsius = 54, device == &starts && sensor == 0 ? 0 : 2;
  };
  calls.reasons = [](void*, unsigned long long* bits) { return *bits = 0x4, 0; };
  return calls;
}

TEST(Nvml, ReadsInTheUnitsOfTheReading) {
  {
    const auto opened = open_nvml("GPU-1", made_up_calls());
    ASSERT_TRUE(opened.gauge) << opened.problem;
    EXPECT_EQ(opened.problem, "");
    const Reading now = opened.gauge->read();
    EXPECT_EQ(now.sm_mhz, 1755.0);
    EXPECT_EQ(now.mem_mhz, 3201.0);
    EXPECT_DOUBLE_EQ(now.watts.value(), 612.5);
    EXPECT_EQ(now.celsius, 54.0);
    EXPECT_EQ(reason_names(now.reasons), std::vector<std::string>{"sw power cap"});
    const GpuLimits limits = opened.gauge->limits();
    EXPECT_EQ(limits.driver, "580.65.06");
    EXPECT_EQ(limits.max_sm_mhz, 1980.0);
    EXPECT_EQ(limits.max_mem_mhz, 3201.0);
    EXPECT_DOUBLE_EQ(limits.power_limit_watts.value(), 700.0);
  }
  EXPECT_EQ(starts, 1);
  EXPECT_EQ(stops, 1);
}

TEST(Nvml, WhatTheDeviceDoesNotReportStaysEmpty) {
  auto calls = made_up_calls();
  calls.power = [](void*, unsigned*) { return 3; };  // not supported
  calls.temperature = nullptr;                       // an older library
  calls.reasons = nullptr;
  calls.driver_version = nullptr;
  const auto opened = open_nvml("GPU-1", calls);
  ASSERT_TRUE(opened.gauge);
  const Reading now = opened.gauge->read();
  EXPECT_TRUE(now.sm_mhz);
  EXPECT_FALSE(now.watts);
  EXPECT_FALSE(now.celsius);
  EXPECT_EQ(now.reasons, 0u);
  EXPECT_EQ(opened.gauge->limits().driver, "");
}

TEST(Nvml, AnUnknownDeviceIsOneLineAndEndsNvml) {
  const auto opened = open_nvml("GPU-2", made_up_calls());
  EXPECT_FALSE(opened.gauge);
  EXPECT_EQ(opened.problem, "NVML does not know device GPU-2: Not Found");
  EXPECT_EQ(stops, 1);
}

TEST(Nvml, AFailedStartIsOneLine) {
  auto calls = made_up_calls();
  calls.init = [] { return 9; };
  calls.error_string = nullptr;
  EXPECT_EQ(open_nvml("GPU-1", calls).problem, "NVML does not start: error 9");
  EXPECT_EQ(stops, 0);
}

void expect_one_line_about(const NvmlOpened& opened, const std::string& part) {
  EXPECT_FALSE(opened.gauge);
  EXPECT_NE(opened.problem.find(part), std::string::npos) << opened.problem;
  EXPECT_EQ(opened.problem.find('\n'), std::string::npos);
}

TEST(Nvml, AMissingLibraryIsNoError) {
  expect_one_line_about(open_nvml("GPU-1", "libaisp-has-no-such-library.so.1"),
                        "libaisp-has-no-such-library.so.1");
}

TEST(Nvml, ABrokenLibraryIsNoError) {
  const auto file = std::filesystem::temp_directory_path() /
                    ("aisp_broken_" + std::to_string(::getpid()) + ".so");
  std::ofstream(file) << "this is not a shared library";
  expect_one_line_about(open_nvml("GPU-1", file.string()), "aisp_broken_");
  std::filesystem::remove(file);
}

TEST(Nvml, ALibraryWithoutTheFunctionsIsNoError) {
  expect_one_line_about(open_nvml("GPU-1", "libm.so.6"), "libm.so.6 has no nvmlInit_v2");
}

}  // namespace
}  // namespace aisp::lab
