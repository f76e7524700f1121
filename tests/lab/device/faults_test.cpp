// Kernels that fail on a device, real or simulated: each is a row with its reason, and the rungs
// after it run.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <map>

#include "base/refuse.hpp"
#include "lab/device/device.hpp"
#include "lab/record/run_file.hpp"

using namespace aisp;

namespace {

class Faults : public testing::Test {
 protected:
  void run_on(const std::string& device, int time_limit) {
    const auto out = std::filesystem::temp_directory_path() / ("aisp_faults_" + device);
    std::filesystem::remove_all(out);
    const std::string command =
        base::say(AISP_FIXTURE, " bench run --targets fxgpu:faults --iterations 5 --device ",
                  device, " --time-limit ", time_limit, " --out ", out.string(), " > /dev/null");
    const int status = std::system(command.c_str());
    EXPECT_EQ(WEXITSTATUS(status), 3);
    for (const auto& folder : std::filesystem::directory_iterator(out))
      if (folder.is_directory())
        for (const auto& row : lab::latest_rows(lab::read_run(folder.path())))
          rows_[row.rung] = row;
    ASSERT_EQ(rows_.size(), 8u);
  }
  void expect_measured(const std::string& rung) {
    EXPECT_EQ(name_of(rows_[rung].status), "measured") << rung << ": " << rows_[rung].reason;
  }
  void expect(const std::string& rung, const std::string& status, const std::string& part) {
    EXPECT_EQ(name_of(rows_[rung].status), status) << rung << ": " << rows_[rung].reason;
    EXPECT_NE(rows_[rung].reason.find(part), std::string::npos)
        << rung << ": " << rows_[rung].reason;
  }

  std::map<std::string, lab::RowRecord> rows_;
};

TEST_F(Faults, OnTheGpuAreRowsWithTheirReasonAndTheOthersFinish) {
  if (!lab::why_no_cuda_device().empty()) GTEST_SKIP() << lab::why_no_cuda_device();
  run_on("gpu", 20);
  expect_measured("double");
  expect_measured("double_again");
  expect("wrong_index", "wrong", "wrong");
  expect("illegal_address", "failed", "cudaErrorIllegalAddress");
  expect("failed_assertion", "failed", "cudaErrorAssert");
  expect("deadlock", "failed", "time limit of 20 s");
  expect("endless", "failed", "time limit of 20 s");
  expect("out_of_memory", "failed", "out of device memory");
}

// What is only an error's name on a GPU comes with kernel, block, thread, address and lines here.
TEST_F(Faults, OnTheSimulatorAreRowsWithTheWholeReport) {
  run_on("sim", 5);
  expect_measured("double");
  expect_measured("double_again");
  expect("wrong_index", "wrong", "wrong");
  expect("illegal_address", "failed", "cudaErrorIllegalAddress");
  for (const char* part :
       {"double_all", "block (0,0,0)", "thread (0,0,0)", "PTX line", "rungs.cu:"})
    expect("illegal_address", "failed", part);
  expect("failed_assertion", "failed", "cudaErrorAssert");
  expect("deadlock", "failed", "256 of 288 threads have arrived");
  expect("endless", "failed", "time limit of 5 s");
  expect("out_of_memory", "failed", "out of device memory");
}

}  // namespace
