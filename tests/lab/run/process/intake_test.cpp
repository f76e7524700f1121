#include "lab/run/process/intake.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/refuse.hpp"

namespace aisp::lab {
namespace {

const std::string entry = "fx:good/64";

Job some_job() {
  Job job;
  job.entry = {entry, "fx:good", "", {64}, {"double", "add"}};
  job.attempt = 2;
  job.rungs = {"double", "add"};
  return job;
}

CheckRecord check(CheckTime when, bool right = true, const std::string& rung = "add") {
  CheckRecord record;
  record.entry = entry;
  record.rung = rung;
  record.when = when;
  record.attempt = 2;
  record.right = right;
  return record;
}

SampleRecord sample(int index, double ms, const std::string& rung = "add") {
  SampleRecord record;
  record.entry = entry;
  record.rung = rung;
  record.attempt = 2;
  record.index = index;
  record.ms = ms;
  return record;
}

RowRecord measured(int samples, double median, const std::string& rung = "add") {
  RowRecord row;
  row.entry = entry;
  row.rung = rung;
  row.attempt = 2;
  row.status = RowStatus::measured;
  row.samples = samples;
  row.median_ms = row.low_ms = row.high_ms = median;
  return row;
}

class IntakeTest : public testing::Test {
 protected:
  void take(const Record& record) { intake.take(to_line(record)); }
  void phase(const std::string& rung) {
    intake.take(to_json(Phase{.rung = rung, .what = "timing", .share = 0.5}).dump());
  }
  void begin() {
    take(DeviceRecord{});
    take(AttemptRecord{.entry = entry,
                       .attempt = 2,
                       .rungs = {"double", "add"},
                       .flops = 0,
                       .bytes = 0,
                       .unit = ""});
  }
  void checked_and_sampled() {
    begin();
    take(check(CheckTime::before));
    for (int i = 0; i < 3; ++i) take(sample(i, 1 + i));
    take(check(CheckTime::after));
  }
  // What is said of a line, with the rung that it ends in front.
  std::string refused(const Record& record) {
    try {
      take(record);
    } catch (const ForeignLine& foreign) {
      return foreign.rung() + ": " + foreign.what();
    }
    return "taken";
  }

  Intake intake{some_job()};
};

TEST_F(IntakeTest, AWholeRungIsTaken) {
  checked_and_sampled();
  EXPECT_EQ(refused(measured(3, 2)), "taken");
}

TEST_F(IntakeTest, TheAttemptComesFirstAndOnce) {
  EXPECT_EQ(refused(sample(0, 1)), "add: a sample before its attempt record");
  begin();
  AttemptRecord again{
      .entry = entry, .attempt = 2, .rungs = {"double", "add"}, .flops = 0, .bytes = 0, .unit = ""};
  EXPECT_EQ(refused(again), ": a second attempt record");
  again.attempt = 3;
  EXPECT_EQ(refused(again), ": attempt 3 at 'fx:good/64', which it was not given");
  EXPECT_EQ(refused(DeviceRecord{}), ": a second device record");
}

TEST_F(IntakeTest, RecordsOfOthersAreForeign) {
  begin();
  RowRecord row = measured(0, 0);
  row.status = RowStatus::skipped;
  row.attempt = 1;
  EXPECT_EQ(refused(row), ": a row of 'fx:good/64' 'add' in attempt 1, which it was not given");
  row.attempt = 2;
  row.rung = "peer\x1b[31m";
  EXPECT_EQ(refused(row),
            ": a row of 'fx:good/64' 'peer?[31m' in attempt 2, which it was not given");
  row.rung = "double";
  phase("add");
  EXPECT_EQ(refused(row), "add: a row of 'double' while add is at work");
  EXPECT_EQ(refused(EndRecord{}), "add: a run's end, which only its parent writes");
  EXPECT_EQ(refused(RunHeader{}), "add: a run header, which only its parent writes");
  phase("");
  EXPECT_EQ(refused(row), "taken");
  EXPECT_EQ(refused(row), "double: a second row of double");
}

TEST_F(IntakeTest, AGoodRowNeedsBothChecksAndNoWrongOne) {
  begin();
  for (int i = 0; i < 3; ++i) take(sample(i, 1 + i));
  EXPECT_EQ(refused(measured(3, 2)), "add: a measured row of add without its check before timing");
  take(check(CheckTime::before));
  EXPECT_EQ(refused(measured(3, 2)), "add: a measured row of add without its check after timing");
  take(check(CheckTime::after));
  take(check(CheckTime::after, false));
  EXPECT_EQ(refused(measured(3, 2)), "add: a measured row of add, which a check found wrong");
  RowRecord row = measured(0, 0);
  row.status = RowStatus::checked;
  EXPECT_EQ(refused(row), "add: a row of add that is checked, in a run that times its rungs");
}

TEST_F(IntakeTest, NumbersAgreeWithTheSamples) {
  checked_and_sampled();
  EXPECT_EQ(refused(measured(4, 2)), "add: a row of add with 4 samples, of which 3 came");
  EXPECT_EQ(refused(measured(3, 1)),
            "add: a row of add with a median of 1 ms, but that of its samples is 2 ms");
  RowRecord row = measured(3, 2);
  row.low_ms = 0.5;
  EXPECT_EQ(refused(row),
            "add: a row of add with the interval 0.5 to 2 ms, but its samples go "
            "from 1 to 3 ms");
  // Whatever the row is called, its time is that of its samples.
  row = measured(0, 1e-9);
  row.status = RowStatus::skipped;
  EXPECT_EQ(refused(row), "add: a row of add with 0 samples, of which 3 came");
  row = measured(0, 0, "double");
  EXPECT_EQ(refused(row), "double: a measured row of double without its check before timing");
}

TEST_F(IntakeTest, SamplesComeInOrderAndAreTimes) {
  begin();
  EXPECT_EQ(refused(sample(1, 1)), "add: sample 1 of add where sample 0 comes next");
  EXPECT_EQ(refused(sample(0, -1)), "add: a sample of add of -1 ms");
  EXPECT_EQ(refused(sample(0, std::numeric_limits<double>::quiet_NaN())),
            "add: a sample of add of nan ms");
  Job job = some_job();
  job.iterations = 2;
  intake = Intake(job);
  begin();
  take(sample(0, 1));
  take(sample(1, 1));
  EXPECT_EQ(refused(sample(2, 1)), "add: more than the 2 samples of add that were asked for");
}

TEST_F(IntakeTest, NothingButItsProfileAndTraceComesAfterARow) {
  Job job = some_job();
  job.profile = Profile::minimal;
  job.trace = "runs/x";
  intake = Intake(job);
  ProfileRecord profile{.entry = entry, .rung = "add", .attempt = 2, .kernels = {}};
  TraceRecord trace{.entry = entry, .rung = "add", .attempt = 2, .file = "traces/a.json"};
  checked_and_sampled();
  EXPECT_EQ(refused(profile), "add: a profile of add, which has no good row");
  EXPECT_EQ(refused(trace), "add: a trace of add, which has no good row");
  take(measured(3, 2));
  EXPECT_EQ(refused(check(CheckTime::after)), "add: a check of add after its row");
  EXPECT_EQ(refused(sample(3, 1)), "add: a sample of add after its row");
  EXPECT_EQ(refused(profile), "taken");
  EXPECT_EQ(refused(profile), "add: a profile of add that was not asked for");
  for (const std::string file :
       {"/etc/passwd", "../other/trace.json", "traces/../../x", "traces/"}) {
    trace.file = file;
    EXPECT_EQ(refused(trace), "add: a trace in '" + file + "', outside the run's folder");
  }
  trace.file = "traces/a.json";
  EXPECT_EQ(refused(trace), "taken");
  EXPECT_EQ(refused(trace), "add: a trace of add that was not asked for");
}

TEST_F(IntakeTest, ASelfCheckCountsItsRepetitionsAsAttempts) {
  Job job = some_job();
  job.attempt = 1;
  job.rungs = {"add"};
  job.self_check = 2;
  intake = Intake(job);
  const auto of_first = [](auto record) {
    record.attempt = 1;
    return record;
  };
  take(AttemptRecord{
      .entry = entry, .attempt = 1, .rungs = {"add"}, .flops = 0, .bytes = 0, .unit = ""});
  take(of_first(check(CheckTime::before)));
  for (int repetition = 1; repetition <= 2; ++repetition)
    for (const std::string rung : {"add", "add again"})
      for (int i = 0; i < 2; ++i) {
        phase(rung);
        SampleRecord one = sample(i, repetition, rung);
        one.attempt = repetition;
        take(one);
      }
  take(of_first(check(CheckTime::after)));
  EXPECT_EQ(refused(of_first(measured(2, 2))), "taken") << "of the last repetition";
}

TEST_F(IntakeTest, PhasesAreOfTheJobsRungs) {
  EXPECT_THROW(phase("other"), ForeignLine);
  EXPECT_THROW(intake.take(R"({"kind":"phase","rung":"add","what":"timing","share":"x"})"),
               ForeignLine);
  EXPECT_THROW(intake.take(R"({"kind":"phase","rung":"add","what":"\u001b[2J","share":0})"),
               ForeignLine);
  EXPECT_EQ(intake.phase().what, "start");
  phase("add");
  EXPECT_EQ(intake.rung_at_work(), "add");
}

}  // namespace
}  // namespace aisp::lab
