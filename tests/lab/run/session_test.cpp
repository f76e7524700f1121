#include "lab/run/session.hpp"

#include <gtest/gtest.h>

#include "tests/lab/record/sample_records.hpp"

namespace aisp::lab {
namespace {

RunFile with_statuses(const std::vector<RowStatus>& statuses) {
  RunFile run;
  run.header.plan.push_back({"fx:good/64", "fx:good", "", {64}, {}});
  for (std::size_t i = 0; i < statuses.size(); ++i) {
    run.header.plan[0].rungs.push_back("rung" + std::to_string(i));
    run.rows.push_back(row_of("fx:good/64", "rung" + std::to_string(i), 1, statuses[i]));
  }
  return run;
}

TEST(ExitOfRows, IsGoodWhenSomethingRanAndNothingIsBad) {
  EXPECT_EQ(exit_of_rows(with_statuses({RowStatus::measured})), 0);
  EXPECT_EQ(exit_of_rows(with_statuses({RowStatus::checked, RowStatus::skipped})), 0);
}

TEST(ExitOfRows, IsThreeForAnythingBad) {
  for (const auto bad : {RowStatus::wrong, RowStatus::failed, RowStatus::refused}) {
    EXPECT_EQ(exit_of_rows(with_statuses({RowStatus::measured, bad})), 3) << name_of(bad);
    EXPECT_EQ(exit_of_rows(with_statuses({bad, RowStatus::skipped})), 3) << name_of(bad);
  }
}

TEST(ExitOfRows, IsFourWhenNothingCouldRun) {
  EXPECT_EQ(exit_of_rows(with_statuses({RowStatus::skipped, RowStatus::skipped})), 4);
  EXPECT_EQ(exit_of_rows(with_statuses({})), 4);
}

TEST(ExitOfRows, AnEarlierFailureThatWasRepeatedWellDoesNotCount) {
  RunFile run = with_statuses({RowStatus::failed});
  run.rows.push_back(row_of("fx:good/64", "rung0", 2, RowStatus::measured));
  EXPECT_EQ(exit_of_rows(run), 0);
}

TEST(FindRun, LooksAtThePathFirstAndThenInTheOutputFolder) {
  const TemporaryFolder folder;
  std::filesystem::create_directories(folder.path() / "id");
  const auto whole = folder.path() / "id";
  EXPECT_EQ(find_run(whole.string(), "elsewhere"), whole);
  EXPECT_EQ(find_run("id", folder.path()), whole);
  const auto refusal = refusal_of([&] { find_run("other", folder.path()); });
  EXPECT_EQ(refusal.exit(), base::Exit::usage);
  EXPECT_EQ(refusal.what(), "no run 'other' here or in " + folder.path().string() +
                                "; 'aisp history' lists the runs");
}

}  // namespace
}  // namespace aisp::lab
