// The row sums of cluster_group and cluster_group_no_dsmem: their reference and tolerance, and
// which of their rungs run on a device without distributed shared memory.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "base/refuse.hpp"
#include "tests/chapters/reference_support.hpp"
#include "tests/support/files.hpp"

using namespace aisp;

namespace {

using namespace reference_support;

const std::string both[] = {"ch10:cluster_group", "ch10:cluster_group_no_dsmem"};

TEST(ClusterGroup, EveryRowHasItsOwnSum) {
  for (const auto& id : both) {
    const auto problem = target_named(id).problem({"", {3, 8}});
    std::vector<double> values(24);
    for (int i = 0; i < 24; ++i) values[i] = i / 64.0;
    EXPECT_EQ(answer(problem, {tensor_of(problem.inputs[0], values)}),
              (std::vector<double>{28 / 64.0, 92 / 64.0, 156 / 64.0}))
        << id;
  }
}

// The kernels' order of additions on the host: inside a vector, along a thread, in halves over the
// threads of a block, over the eight parts. It must pass, and one lost element must not.
TEST(ClusterGroup, ToleranceAdmitsATreeOfFloatsAndNoLostElement) {
  const int columns = 65536, parts = 8, threads = 256;
  const auto problem = target_named(both[0]).problem({"", {24, columns}});
  const auto inputs = random_inputs(problem, 17);
  const auto want = answer(problem, inputs);
  const auto x = inputs[0].as<float>();
  const auto& tolerance = problem.outputs[0].tolerance;
  int lost = 0;
  for (std::size_t row = 0; row < want.size(); ++row) {
    float sum = 0.0f;
    for (int part = 0; part < parts; ++part) {
      std::vector<float> of_thread(threads, 0.0f);
      const float* first = &x[row * columns + static_cast<std::size_t>(part) * (columns / parts)];
      for (int v = 0; v < columns / parts / 4; ++v) {
        const float* at = first + std::ptrdiff_t{4} * v;
        of_thread[v % threads] += (at[0] + at[1]) + (at[2] + at[3]);
      }
      for (int width = threads / 2; width > 0; width /= 2)
        for (int i = 0; i < width; ++i) of_thread[i] += of_thread[i + width];
      sum += of_thread[0];
    }
    const double allowed = tolerance.absolute + tolerance.relative * std::abs(want[row]);
    EXPECT_LE(std::abs(sum - want[row]), allowed) << row;
    lost += std::abs(sum - x[row * columns] - want[row]) > allowed ? 1 : 0;
  }
  EXPECT_GE(lost, 23) << "an element is smaller than the tolerance once in some thousand rows";
}

TEST(ClusterGroup, RefusesRowsThatSixteenByteLoadsCannotCut) {
  for (const auto& id : both) {
    const auto& target = target_named(id);
    for (const std::int64_t columns : {1, 2, 6, 65537})
      EXPECT_THROW(target.problem({"", {4, columns}}), base::Refusal) << columns;
    EXPECT_THROW(target.problem({"", {std::int64_t{1} << 28, 4}}), base::Refusal);
    try {
      target.problem({"", {4, 65537}});
      FAIL();
    } catch (const base::Refusal& refusal) {
      EXPECT_EQ(refusal.exit(), base::Exit::usage);
      EXPECT_EQ(refusal.what(), target.name +
                                    ": columns must be a multiple of 4 for 16-byte loads, at most "
                                    "1073741824: got 65537; use 65540");
    }
  }
}

// The rows of both targets at their quick sizes on a simulated device.
nlohmann::json rows_on(const std::string& device) {
  const lab::TemporaryFolder folder;
  const std::string command = std::string(AISP_BUILD_DIR) + "/bin/aisp bench run --quick" +
                              " --validate --targets " + both[0] + "," + both[1] + " --device " +
                              device + " --format json --out " + folder.path().string();
  std::FILE* program = popen(command.c_str(), "r");
  if (program == nullptr) throw std::runtime_error("cannot start " + command);
  std::string text;
  char part[4096];
  for (std::size_t got = 0; (got = std::fread(part, 1, sizeof part, program)) > 0;)
    text.append(part, got);
  EXPECT_EQ(pclose(program), 0) << command;
  return nlohmann::json::parse(text).at("rows");
}

TEST(ClusterGroup, WithoutSharedMemoryOfOthersTheRungsThatNeedItAreSkippedByName) {
  int skipped = 0, checked = 0;
  for (const auto& row : rows_on("sim:a100")) {
    const std::string rung = row.at("rung"), entry = row.at("entry");
    SCOPED_TRACE(entry + " " + rung);
    if (rung == "cluster_barrier" || rung == "cluster_message") {
      EXPECT_EQ(row.at("status"), "skipped");
      EXPECT_EQ(row.at("reason"), "needs sm_90; NVIDIA A100-SXM4-80GB (simulated) is sm_80");
      ++skipped;
    } else {
      EXPECT_EQ(row.at("status"), "checked");
      ++checked;
    }
  }
  EXPECT_EQ(skipped, 3 * 2) << "two rungs of cluster_group at three sizes";
  EXPECT_EQ(checked, 3 * (1 + 3)) << "its baseline, and all of cluster_group_no_dsmem";
}

TEST(ClusterGroup, WithClustersAllRungsRun) {
  const auto rows = rows_on("sim:h200,sms=8");
  EXPECT_EQ(rows.size(), 3u * (3 + 3));
  for (const auto& row : rows)
    EXPECT_EQ(row.at("status"), "checked") << row.at("entry") << ' ' << row.at("rung");
}

}  // namespace
