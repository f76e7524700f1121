// `aisp tune program` as the user meets it, with a rung whose choices are made up.
#include <gmock/gmock.h>

#include <cstdlib>

#include "tests/lab/cli/program.hpp"

namespace aisp::lab {
namespace {

using testing::HasSubstr;
using testing::MatchesRegex;
using testing::Not;

class TuneProgram : public FixtureTest {
 protected:
  Outcome tune(const Words& words) {
    return run(Words{"tune", "program"} + words + Words{"--device", "sim:h200,sms=4"});
  }
};

TEST_F(TuneProgram, TimesTheChoicesAndJudgesWhatItTakes) {
  const auto outcome = tune({"fxgpu:tunable", "--variant", "sound", "--size", "quick"});
  ASSERT_EQ(outcome.exit, 0) << outcome.err << outcome.out;
  EXPECT_EQ(outcome.err, "");
  EXPECT_THAT(
      outcome.out,
      MatchesRegex("fxgpu:tunable/sound 64 tunable\n"
                   "  rule  [0-9.]+ [mu]s\n"
                   "  times=1  [0-9.]+ [mu]s\n"
                   "  times=0  refused: at least 1: got 0\n"
                   "  5 of 7 candidates tried; the next time goes on there\n"
                   "  taken from now on: times=1 \\(by counted times\\), kept in kept.txt\n"));
}

// What tuning does at a full size: candidates, samples, the check, and the time that was given.
TEST_F(TuneProgram, EstimatesWhatItDoes) {
  const auto estimated = [&](const std::string& seconds) {
    const auto outcome =
        tune({"fxgpu:tunable", "--variant", "sound", "--full", "--seconds", seconds});
    EXPECT_EQ(outcome.exit, 0) << outcome.err;
    return outcome.err;
  };
  const std::string hours = estimated("7200");
  EXPECT_THAT(hours, HasSubstr("aisp: estimate for fxgpu:tunable/sound 4096: one run about "));
  EXPECT_THAT(hours, HasSubstr("; a group of up to 8 candidates with 5 samples each about "));
  EXPECT_THAT(hours, HasSubstr("; the check of the choice against float64 about "));
  EXPECT_THAT(hours, HasSubstr("aisp: estimate: at most about 2.0 h in all; after --seconds 7200"));
  EXPECT_THAT(estimated("1"), Not(HasSubstr(" h in all")));
}

TEST_F(TuneProgram, ShowsItsProgressInAPipe) {
  const auto outcome =
      run({"tune", "program", "fxgpu:tunable", "--variant", "sound", "--device", "sim:h200,sms=4"},
          [] { setenv("AISP_PROGRESS_SECONDS", "0.000001", 1); });
  EXPECT_EQ(outcome.exit, 0) << outcome.err;
  EXPECT_TRUE(outcome.err.starts_with("[1/1] fxgpu:tunable/sound 64 tunable: ")) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr(" tunable: timing rule, sample 1 of 10"));
  EXPECT_THAT(outcome.err, HasSubstr(" tunable: float64 reference"));
  EXPECT_THAT(outcome.out, Not(HasSubstr("[1/1]")));
}

TEST_F(TuneProgram, AWrongChoiceIsNamed) {
  const auto outcome = tune({"tunable/tunable", "--variant", "broken", "--size", "96"});
  EXPECT_EQ(outcome.exit, 3) << outcome.err << outcome.out;
  EXPECT_THAT(outcome.out, HasSubstr("fxgpu:tunable/broken 96 tunable\n"));
  EXPECT_THAT(outcome.out, HasSubstr("\n  wrong: "));
}

TEST_F(TuneProgram, RefusesWhatItDoesNotKnow) {
  expect_refused(tune({}), 2, "tune program needs a target");
  expect_refused(tune({"fxgpu:inspected/one_kernel"}), 2,
                 "tune program: fxgpu:inspected has no rung with choices to time");
  expect_refused(tune({"fxgpu:tunable", "--seconds", "0"}), 2,
                 "--seconds is a number above 0 and up to 86400, not '0'");
  expect_refused(tune({"fxgpu:tunable", "--seconds", "ten"}), 2, "not 'ten'");
  expect_refused(tune({"fxgpu:tunable", "--second", "10"}), 2, "did you mean --seconds?");
  expect_refused(tune({"fxgpu:tunable/tunible"}), 2, "did you mean tunable?");
}

}  // namespace
}  // namespace aisp::lab
