// Kernels that fail on a real device: each is a row with its reason, and the rungs after it run.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <map>

#include "lab/device/device.hpp"
#include "lab/record/run_file.hpp"

namespace {

TEST(FaultsOnTheGpu, AreRowsWithTheirReasonAndTheOthersFinish) {
  if (!lab::why_no_cuda_device().empty()) GTEST_SKIP() << lab::why_no_cuda_device();
  const auto out = std::filesystem::temp_directory_path() / "aisp_gpu_faults";
  std::filesystem::remove_all(out);
  const std::string command = std::string(AISP_FIXTURE) +
                              " bench run --targets fxgpu:faults --time-limit 20 --iterations 5 " +
                              "--out " + out.string() + " > /dev/null";
  const int status = std::system(command.c_str());
  EXPECT_EQ(WEXITSTATUS(status), 3);
  std::map<std::string, lab::RowRecord> rows;
  for (const auto& folder : std::filesystem::directory_iterator(out))
    if (folder.is_directory())
      for (const auto& row : lab::latest_rows(lab::read_run(folder.path()))) rows[row.rung] = row;
  ASSERT_EQ(rows.size(), 6u);
  EXPECT_EQ(rows["double"].status, "measured") << rows["double"].reason;
  EXPECT_EQ(rows["double_again"].status, "measured") << rows["double_again"].reason;
  EXPECT_NE(rows["illegal_address"].reason.find("cudaErrorIllegalAddress"), std::string::npos);
  EXPECT_NE(rows["failed_assertion"].reason.find("cudaErrorAssert"), std::string::npos);
  EXPECT_NE(rows["endless"].reason.find("time limit of 20 s"), std::string::npos);
  EXPECT_NE(rows["out_of_memory"].reason.find("out of device memory"), std::string::npos);
}

}  // namespace
