// `aisp tune program` as the user meets it, with a rung whose choices are made up.
#include <gmock/gmock.h>

#include "tests/lab/cli/program.hpp"

namespace aisp::lab {
namespace {

using testing::HasSubstr;
using testing::MatchesRegex;

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
