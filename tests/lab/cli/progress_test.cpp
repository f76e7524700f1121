#include "lab/cli/progress.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/support/files.hpp"

namespace aisp::lab {
namespace {

TEST(TimeLeft, ScalesTheTimeSoFarWithTheShareThatIsLeft) {
  const TimeLeft left(4, 100);
  EXPECT_DOUBLE_EQ(left.seconds(1, 0, 110), 30);    // a quarter took 10 s
  EXPECT_DOUBLE_EQ(left.seconds(1, 0.5, 115), 25);  // 1.5 of 4 took 15 s
  EXPECT_DOUBLE_EQ(left.seconds(3, 1, 140), 0);
  EXPECT_DOUBLE_EQ(left.seconds(0, 0.5, 101), 7);
}

TEST(TimeLeft, SaysNothingWhileThereIsTooLittleToGoBy) {
  const TimeLeft left(4, 100);
  EXPECT_LT(left.seconds(0, 0, 200), 0);
  EXPECT_LT(left.seconds(0, 0.01, 200), 0);
  EXPECT_LT(left.seconds(2, 0, 100), 0) << "no time has passed";
  EXPECT_LT(left.seconds(2, 0, 99), 0) << "a clock that went backwards";
}

TEST(TimeLeft, FallsAsTheWorkGoesOnAtAnEvenPace) {
  const TimeLeft left(10, 0);
  double before = 1e9;
  for (int step = 1; step <= 100; ++step) {
    const double now = left.seconds(static_cast<std::size_t>(step / 10), step % 10 / 10.0, step);
    EXPECT_NEAR(now, 100 - step, 1e-9);
    EXPECT_LT(now, before);
    before = now;
  }
}

TEST(EstimatedTimeLeft, IsTheEstimateUntilAnEntryHasShownMore) {
  const EstimatedTimeLeft left({100, 1000, 10});
  EXPECT_DOUBLE_EQ(left.seconds(0, 0, 0, 0), 1110);
  EXPECT_DOUBLE_EQ(left.seconds(0, 0, 60, 60), 1050) << "whatever the phases of the first one are";
  EXPECT_DOUBLE_EQ(left.seconds(0, 1, 200, 0), 2020) << "the first took twice its estimate";
  EXPECT_DOUBLE_EQ(left.seconds(0, 1, 300, 100), 1920);
  EXPECT_DOUBLE_EQ(left.seconds(0, 1, 1e6, 0), 10100) << "no more than ten times";
  EXPECT_DOUBLE_EQ(left.seconds(1, 2, 500, 0), 5) << "a run that goes on at the second";
}

TEST(EstimatedTimeLeft, SaysNothingWhereTheEstimateDoesNotKnow) {
  const EstimatedTimeLeft left({100, 0});
  EXPECT_LT(left.seconds(0, 0, 101, 101), 0) << "it takes longer than was estimated";
  EXPECT_LT(left.seconds(0, 1, 100, 0), 0);
  EXPECT_LT(left.seconds(0, 2, 100, 0), 0);
}

TEST(Progress, ShowsTheEstimateAndNotTheShareOfPhases) {
  testing::internal::CaptureStderr();
  {
    Progress progress(true);
    progress.expects({7200, 90000});
    progress.phase({"fx:good/64", "fx:good", "", {64}, {"double"}}, 0, 2,
                   {"double", "timing", 0.5});
  }
  const std::string text = testing::internal::GetCapturedStderr();
  EXPECT_TRUE(text.starts_with("[1/2] fx:good/64 double: timing, about 27 h left")) << text;
}

std::string shown(bool terminal) {
  testing::internal::CaptureStderr();
  {
    Progress progress(terminal);
    const EntryPlan entry{"fx:good/64", "fx:good", "", {64}, {"double"}};
    progress.phase(entry, 1, 4, {"double", "timing", 0.5});
    progress.row({});
  }
  return testing::internal::GetCapturedStderr();
}

TEST(Progress, IsOneLineThatIsWipedAtTheEnd) {
  const std::string text = shown(true);
  EXPECT_TRUE(text.starts_with("[2/4] fx:good/64 double: timing")) << text;
  EXPECT_TRUE(text.ends_with("\r\033[K")) << text;
  EXPECT_EQ(text.find('\n'), std::string::npos);
}

TEST(Progress, WithoutATerminalItIsALineOnceSecondsHavePassed) {
  EXPECT_EQ(shown(false), "") << "it has only begun";
  setenv("AISP_PROGRESS_SECONDS", "1e-9", 1);
  const std::string text = shown(false);
  unsetenv("AISP_PROGRESS_SECONDS");
  EXPECT_TRUE(text.starts_with("[2/4] fx:good/64 double: timing")) << text;
  EXPECT_TRUE(text.ends_with("\n")) << text;
  EXPECT_EQ(text.find('\r'), std::string::npos) << text;
}

TEST(Progress, LinesInALogBecomeFewer) {
  EXPECT_EQ(seconds_between_lines(0), 5);
  EXPECT_EQ(seconds_between_lines(59), 5);
  EXPECT_EQ(seconds_between_lines(61), 30);
  setenv("AISP_PROGRESS_SECONDS", "soon", 1);
  const auto refusal = refusal_of([] { seconds_between_lines(0); });
  unsetenv("AISP_PROGRESS_SECONDS");
  EXPECT_EQ(refusal.exit(), base::Exit::environment);
}

TEST(Progress, AWarningIsALineOfItsOwn) {
  testing::internal::CaptureStderr();
  {
    Progress progress(true);
    progress.phase({}, 0, 1, {"", "start", 0});
    progress.warn("the log is full");
  }
  EXPECT_TRUE(testing::internal::GetCapturedStderr().ends_with("\r\033[Kaisp: the log is full\n"));
}

}  // namespace
}  // namespace aisp::lab
