// Whole modules: CUDA sources of tests/sim/oracle/modules, compiled by NVRTC for sm_80 and sm_90a,
// decode. A line `// arch: 90a` says that a source is for that one only.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "tests/sim/oracle/oracle_nvrtc.hpp"
#include "tests/sim/program/decode_only.hpp"
#include "tests/sim/support/experiment.hpp"

using namespace aisp;

namespace {

class OracleModules : public testing::TestWithParam<std::filesystem::path> {};

TEST_P(OracleModules, WhatNvrtcWritesDecodes) {
  if (!oracle::Nvrtc::get().available()) GTEST_SKIP() << "libnvrtc.so.13 is not installed";
  std::stringstream source;
  source << std::ifstream(GetParam()).rdbuf();
  const bool only_hopper = source.str().find("// arch: 90a") != std::string::npos;
  for (const std::string architecture : {"80", "90a"}) {
    if (only_hopper && architecture != "90a") continue;
    const auto compiled = oracle::Nvrtc::get().compile(source.str(), "compute_" + architecture);
    ASSERT_NE(compiled.ptx, "") << compiled.log;
    try {
      const sim::Program program = decode_only(compiled.ptx);
      EXPECT_EQ(program.target, "sm_" + architecture);
      EXPECT_GT(program.ops.size(), 20u);
    } catch (const sim::ptx::Refused& refused) {
      ADD_FAILURE() << "sm_" << architecture << ": " << refused.what();
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Sources, OracleModules,
                         testing::ValuesIn(experiments::files_under(
                             std::filesystem::path(AISP_SOURCE_DIR) / "tests/sim/oracle/modules",
                             ".cu")),
                         [](const auto& info) { return info.param.stem().string(); });

}  // namespace
