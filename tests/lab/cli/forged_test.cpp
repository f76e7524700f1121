// A rung's host code can write to its worker's stream. What comes of it is a failed row of that
// rung; nothing of it is believed, and the run goes on.
#include "tests/lab/cli/program.hpp"

namespace aisp::lab {
namespace {

struct Forgery {
  std::string target, sent;
};

void PrintTo(const Forgery& forgery, std::ostream* out) { *out << forgery.target; }

class Forged : public FixtureTest, public testing::WithParamInterface<Forgery> {};

TEST_P(Forged, LinesEndTheRungAndNothingElse) {
  const auto& [target, sent] = GetParam();
  const auto outcome = run(bench("fxforged:" + target + ",fx:good") + briefly);
  EXPECT_EQ(outcome.exit, 3) << outcome.out << outcome.err;
  EXPECT_EQ(outcome.err, "");
  const RunFile run = recorded();
  const std::string entry = "fxforged:" + target + "/64";
  const RowRecord row = row_in(run, entry, "forge");
  EXPECT_EQ(name_of(row.status), "failed");
  EXPECT_EQ(row.reason, "worker sent " + sent +
                            " during check before; a rung must not write to the worker's stream");
  EXPECT_EQ(row.samples, 0);
  EXPECT_EQ(name_of(row_in(run, entry, "double").status), "measured") << "in a fresh worker";
  for (const auto* rung : {"double", "add"}) {
    const RowRecord good = row_in(run, "fx:good/64", rung);
    EXPECT_EQ(name_of(good.status), "measured");
    EXPECT_EQ(good.samples, 10);
    EXPECT_EQ(good.attempt, 1);
  }
  EXPECT_EQ(latest_rows(run).size(), 4u);
  ASSERT_TRUE(run.end.has_value());
  EXPECT_EQ(run.end->exit, 3);
}

INSTANTIATE_TEST_SUITE_P(
    Fixtures, Forged,
    testing::Values(
        Forgery{"garbage", "a line that is no record: 'progress: 50 %?'"},
        Forgery{"no_object", "a line that is no record: '[1, 2]'"},
        Forgery{"no_kind",
                "a line that is no record: a record must have a field \"kind\" that is a text"},
        Forgery{"bad_phase", "a line that is no record: '{\"kind\": \"phase\", \"rung\": 3}'"},
        Forgery{"bad_field",
                "a line that is no record: not a sample record of schema 1: field "
                "\"entry\" must be a text, got number"},
        Forgery{"other_entry", "a row of 'fx:good/64' 'add' in attempt 1, which it was not given"},
        Forgery{"other_rung", "a row of 'double' while forge is at work"},
        Forgery{"unchecked", "a measured row of forge without its check before timing"},
        Forgery{"unsampled", "a row of forge with 10 samples, of which 0 came"},
        Forgery{"own_row", "a check of forge after its row"},
        Forgery{"end", "a run's end, which only its parent writes"},
        Forgery{"endless", "a line of more than 16777216 bytes"},
        Forgery{"half", "a line of 21 bytes without an end"}),
    [](const auto& info) { return info.param.target; });

}  // namespace
}  // namespace aisp::lab
