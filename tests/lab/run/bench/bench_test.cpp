// One entry in this process, on the host: what is recorded, and in which order.
#include "lab/run/bench/bench.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "tests/fixtures/doubling.hpp"
#include "tests/support/files.hpp"

namespace aisp::lab {
namespace {

using Words = std::vector<std::string>;

void no_such_shape(const Launch&) { base::refuse(base::Exit::usage, "takes only N of a million"); }

void throws(const Launch&) { throw std::runtime_error("the launch failed"); }

const fixture::WithRung steady("steady", "both rungs are right", "again", fixture::double_all);
const fixture::WithRung picky("picky", "a rung that refuses the shape", "picky", no_such_shape);
const fixture::WithRung thrower("thrower", "a rung that throws", "throws", throws);
const RungEntry newer{"fx:steady", [] {
                        Rung rung = fixture::rung("newer_device", 2, fixture::double_all);
                        rung.needs = Needs::sm_90a;
                        return rung;
                      }()};

struct Recorded {
  std::vector<Record> records;
  std::vector<Phase> phases;

  template <class Kind>
  std::vector<Kind> of() const {
    std::vector<Kind> found;
    for (const auto& record : records)
      if (const auto* kind = std::get_if<Kind>(&record)) found.push_back(*kind);
    return found;
  }
};

Job job_for(const std::string& target, const Words& rungs) {
  Job job;
  job.entry = {"fx:" + target + "/64", "fx:" + target, "", {64}, rungs};
  job.rungs = rungs;
  job.l2 = L2Mode::hot;
  job.iterations = 6;
  job.warmup = 2;
  return job;
}

Recorded run_job(const Job& job) {
  Recorded recorded;
  const auto device = open_host_device();
  run_entry(*device, job,
            {[&](const Record& record) { recorded.records.push_back(record); },
             [&](const Phase& phase) { recorded.phases.push_back(phase); }});
  return recorded;
}

TEST(Bench, RecordsDeviceAttemptChecksSamplesRows) {
  const auto recorded = run_job(job_for("steady", {"double", "again"}));
  ASSERT_GE(recorded.records.size(), 2u);
  EXPECT_TRUE(std::holds_alternative<DeviceRecord>(recorded.records[0]));
  EXPECT_TRUE(std::holds_alternative<AttemptRecord>(recorded.records[1]));
  EXPECT_EQ(recorded.of<AttemptRecord>()[0].bytes, 512);
  EXPECT_EQ(recorded.of<SampleRecord>().size(), 12u);
  EXPECT_EQ(recorded.of<CheckRecord>().size(), 6u);
  const auto rows = recorded.of<RowRecord>();
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].rung, "double");
  EXPECT_EQ(rows[0].speedup, 1);
  EXPECT_EQ(rows[1].samples, 6);
  EXPECT_NE(name_of(rows[1].verdict), "");
}

TEST(Bench, InterleavesTheRungs) {
  const auto samples = run_job(job_for("steady", {"double", "again"})).of<SampleRecord>();
  std::map<std::string, int> taken;
  for (const auto& sample : samples) {
    EXPECT_EQ(sample.index, taken[sample.rung]++);
    EXPECT_LE(std::abs(taken["double"] - taken["again"]), 1) << "no rung runs ahead";
  }
}

TEST(Bench, ChecksBeforeAndAfterUseDifferentInputs) {
  std::set<std::uint64_t> before, after;
  for (const auto& check : run_job(job_for("steady", {"double", "again"})).of<CheckRecord>()) {
    EXPECT_TRUE(check.right) << check.report;
    EXPECT_EQ(check.elements, 64);
    (check.when == CheckTime::before ? before : after).insert(check.seed);
  }
  EXPECT_EQ(before.size(), 1u);
  EXPECT_EQ(after.size(), 1u);
  EXPECT_NE(before, after);
}

TEST(Bench, ARungForAnotherDeviceIsSkipped) {
  const auto rows = run_job(job_for("steady", {"double", "newer_device"})).of<RowRecord>();
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].rung, "newer_device");
  EXPECT_EQ(name_of(rows[0].status), "skipped");
  EXPECT_TRUE(rows[0].reason.starts_with("needs sm_90a; host processor is sm_")) << rows[0].reason;
  EXPECT_EQ(name_of(rows[1].status), "measured");
}

TEST(Bench, ARungThatRefusesIsSkippedAndOneThatThrowsHasFailed) {
  const auto skipped = run_job(job_for("picky", {"double", "picky"})).of<RowRecord>();
  ASSERT_EQ(skipped.size(), 2u);
  EXPECT_EQ(name_of(skipped[0].status), "skipped");
  EXPECT_EQ(skipped[0].reason, "takes only N of a million");
  EXPECT_EQ(name_of(skipped[1].status), "measured");
  const auto failed = run_job(job_for("thrower", {"double", "throws"})).of<RowRecord>();
  ASSERT_EQ(failed.size(), 2u);
  EXPECT_EQ(name_of(failed[0].status), "failed");
  EXPECT_EQ(failed[0].reason, "the launch failed during check before");
}

TEST(Bench, WithoutTheBaselineThereIsNoSpeedUp) {
  Job job = job_for("steady", {"double", "again"});
  job.rungs = {"again"};  // what is left after the baseline failed
  const auto rows = run_job(job).of<RowRecord>();
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(name_of(rows[0].status), "measured");
  EXPECT_EQ(rows[0].speedup, 0);
  EXPECT_EQ(name_of(rows[0].verdict), "");
}

TEST(Bench, ValidateTimesNothing) {
  Job job = job_for("steady", {"double", "again"});
  job.validate = true;
  const auto recorded = run_job(job);
  EXPECT_TRUE(recorded.of<SampleRecord>().empty());
  for (const auto& row : recorded.of<RowRecord>()) EXPECT_EQ(name_of(row.status), "checked");
}

TEST(Bench, ASelfCheckNumbersItsRepetitions) {
  Job job = job_for("steady", {"double"});
  job.self_check = 3;
  std::map<std::pair<std::string, int>, int> counts;
  for (const auto& sample : run_job(job).of<SampleRecord>())
    EXPECT_EQ(sample.index, (counts[{sample.rung, sample.attempt}]++));
  EXPECT_EQ(counts.size(), 6u);
  for (int repetition = 1; repetition <= 3; ++repetition)
    for (const char* rung : {"double", "double again"})
      EXPECT_EQ((counts[{rung, repetition}]), 6) << rung << repetition;
}

TEST(Bench, PhasesNameTheRungAndNeverGoBack) {
  const auto phases = run_job(job_for("steady", {"double", "again"})).phases;
  ASSERT_FALSE(phases.empty());
  double share = 0;
  std::set<std::string> seen;
  for (const auto& phase : phases) {
    EXPECT_GE(phase.share, share - 0.1) << phase.what;
    EXPECT_LE(phase.share, 1);
    share = std::max(share, phase.share);
    seen.insert(phase.what + (phase.rung.empty() ? "" : " of a rung"));
  }
  for (const char* what : {"reference before", "check before of a rung", "warm-up of a rung",
                           "timing of a rung", "check after of a rung", "summary"})
    EXPECT_TRUE(seen.contains(what)) << what;
}

TEST(Bench, AnUnknownTargetOrRungIsRefused) {
  EXPECT_EQ(refusal_of([] { run_job(job_for("nobody", {"double"})); }).exit(), base::Exit::usage);
  EXPECT_EQ(refusal_of([] { run_job(job_for("steady", {"none"})); }).exit(), base::Exit::usage);
}

}  // namespace
}  // namespace aisp::lab
