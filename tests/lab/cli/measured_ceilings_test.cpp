// The ceilings that a run of the roof chapter gives.
#include "lab/cli/measured_ceilings.hpp"

#include <gtest/gtest.h>

namespace aisp::lab {
namespace {

// A roof run with one entry whose samples are `times` milliseconds for `flops` and `bytes`.
RunFile roof_run(const std::string& target, const std::string& variant, double flops, double bytes,
                 const std::vector<double>& times, RowStatus status = RowStatus::measured) {
  RunFile run;
  const std::string entry = target + "/" + variant;
  run.header.plan = {{entry, target, variant, {1}, {"only"}}};
  run.device = DeviceRecord{.hardware = "h200", .name = "NVIDIA H200", .uuid = "GPU-1"};
  run.attempts = {
      {.entry = entry, .attempt = 1, .rungs = {"only"}, .flops = flops, .bytes = bytes}};
  for (std::size_t i = 0; i < times.size(); ++i)
    run.samples.push_back({.entry = entry,
                           .rung = "only",
                           .attempt = 1,
                           .index = static_cast<int>(i),
                           .ms = times[i]});
  run.rows = {{.entry = entry, .rung = "only", .attempt = 1, .status = status, .median_ms = 9}};
  return run;
}

TEST(MeasuredCeilings, CountBytesForTheCopyAndOperationsElsewhere) {
  const std::vector<double> times(20, 2.0);
  const auto at = "2026-01-31T12:00:00Z";
  EXPECT_DOUBLE_EQ(ceilings_from(roof_run("roof:copy", "", 0, 8e6, times), at).copy_bytes_per_s,
                   4e9);
  EXPECT_DOUBLE_EQ(ceilings_from(roof_run("roof:fma", "f32", 6e6, 1, times), at).fma_f32, 3e9);
  EXPECT_DOUBLE_EQ(ceilings_from(roof_run("roof:fma", "f16", 6e6, 1, times), at).fma_f16, 3e9);
  EXPECT_DOUBLE_EQ(ceilings_from(roof_run("roof:matrix", "bf16", 6e6, 1, times), at).matrix_bf16,
                   3e9);
  EXPECT_DOUBLE_EQ(ceilings_from(roof_run("roof:matrix", "fp8", 6e6, 1, times), at).matrix_fp8,
                   3e9);
  EXPECT_DOUBLE_EQ(ceilings_from(roof_run("roof:matrix", "tf32", 6e6, 1, times), at).matrix_tf32,
                   3e9);
}

TEST(MeasuredCeilings, AreWhatTheDeviceReachedBeforeItsPowerWasCapped) {
  std::vector<double> times(100, 1.25);  // capped
  for (int i = 0; i < 10; ++i) times[static_cast<std::size_t>(i)] = 1.0;
  const auto capped = ceilings_from(roof_run("roof:matrix", "tf32", 1e9, 1, times), "");
  EXPECT_DOUBLE_EQ(capped.matrix_tf32, 1e12);
  std::vector<double> lucky(100, 1.0);
  lucky[50] = 0.1;  // one sample that cannot be
  EXPECT_DOUBLE_EQ(ceilings_from(roof_run("roof:matrix", "tf32", 1e9, 1, lucky), "").matrix_tf32,
                   1e12);
}

TEST(MeasuredCeilings, StayUnknownWithoutAMeasuredRow) {
  const auto run =
      roof_run("roof:copy", "", 0, 8e6, std::vector<double>(20, 2.0), RowStatus::failed);
  const auto ceilings = ceilings_from(run, "2026-01-31T12:00:00Z");
  EXPECT_EQ(ceilings.copy_bytes_per_s, 0);
  EXPECT_EQ(ceilings.uuid, "GPU-1");
  EXPECT_EQ(ceilings.measured_at, "2026-01-31T12:00:00Z");
}

}  // namespace
}  // namespace aisp::lab
