// --peers as a user sees it: who runs, who is left out and why.
#include "tests/lab/cli/program.hpp"

namespace aisp::lab {
namespace {

class Peers : public FixtureTest {};

const std::string left_out =
    "aisp: peer absent_peer is left out: there is no libquad.so.4; double twice\n";

TEST_F(Peers, ThoseOnRequestRunOnlyWhenAskedFor) {
  const auto outcome = run(bench("fx:absent_peer") + briefly);
  EXPECT_EQ(outcome.exit, 0) << outcome.err;
  EXPECT_EQ(outcome.out.find("present_peer"), std::string::npos) << outcome.out;
  EXPECT_EQ(outcome.err, "");
}

TEST_F(Peers, AnAbsentOneIsNamedOnceAndTheOthersRun) {
  const auto outcome =
      run(bench("fx:absent_peer") + briefly + Words{"--sizes", "64,128", "--peers"});
  EXPECT_EQ(outcome.exit, 0) << outcome.err;
  EXPECT_EQ(outcome.err, left_out);
  EXPECT_NE(outcome.out.find("present_peer (peer)"), std::string::npos) << outcome.out;
  EXPECT_EQ(outcome.out.find("absent_peer (peer)"), std::string::npos) << outcome.out;
}

TEST_F(Peers, AloneAnAbsentOneIsRefused) {
  expect_refused(run(bench("fx:absent_peer") + briefly + Words{"--rungs", "absent_peer"}), 4,
                 "nothing to run: peer absent_peer is left out: there is no libquad.so.4");
}

TEST_F(Peers, ATypoIsRefusedBeforeAnythingRuns) {
  expect_refused(run(bench("fx:absent_peer") + Words{"--peers", "presnt_peer"}), 2,
                 "unknown peer 'presnt_peer' in --peers; did you mean 'present_peer'?");
}

}  // namespace
}  // namespace aisp::lab
