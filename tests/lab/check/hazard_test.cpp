#include "lab/check/hazard.hpp"

#include <gtest/gtest.h>

#include "tests/lab/check/sample_hazards.hpp"
#include "tests/support/files.hpp"

namespace aisp::lab {
namespace {

TEST(Hazards, AreReadFromTheFilesOfAllProcesses) {
  const TemporaryFolder folder;
  write_text(folder.path() / "100.jsonl", line_of(sample_hazard("deadlock", 1, 2)));
  write_text(folder.path() / "99.jsonl", line_of(sample_hazard()));
  write_text(folder.path() / "101.jsonl", "");
  write_text(folder.path() / "101.jsonl.part", "half a li");
  const Schedule schedule{.order = ScheduleOrder::random, .seed = 7};
  const auto watched = read_hazards(folder.path(), schedule);
  EXPECT_EQ(watched.files, 3);
  ASSERT_EQ(watched.hazards.size(), 2u);
  const auto& first = watched.hazards[0];  // 99 started before 100
  EXPECT_EQ(first.rule, "shared-race");
  EXPECT_EQ(first.level, base::HazardLevel::error);
  EXPECT_EQ(first.kernel, "sum");
  EXPECT_EQ(first.count, 3u);
  ASSERT_EQ(first.places.size(), 2u);
  EXPECT_EQ(first.places[1].warp, 2);
  EXPECT_EQ(first.places[1].block, (std::array<int, 3>{1, 0, 0}));
  EXPECT_EQ(first.places[1].file, "/src/sum.cu");
  EXPECT_EQ(first.places[1].line, 120);
  EXPECT_EQ(first.seen, schedule);
  EXPECT_EQ(first.replay, schedule);
}

TEST(Hazards, AnEmptyFolderSaysThatNobodyWatched) {
  const TemporaryFolder folder;
  EXPECT_EQ(read_hazards(folder.path(), {}).files, 0);
}

TEST(Hazards, ALineThatIsNoFindingIsRefusedWithItsNumber) {
  const TemporaryFolder folder;
  for (const char* bad : {"{", "{\"rule\": \"shared-race\"}", "[1]"}) {
    write_text(folder.path() / "7.jsonl", line_of(sample_hazard()) + bad + "\n");
    const auto refusal = refusal_of([&] { read_hazards(folder.path(), {}); });
    EXPECT_EQ(refusal.exit(), base::Exit::environment);
    EXPECT_NE(std::string(refusal.what()).find("7.jsonl:2: not a finding"), std::string::npos)
        << refusal.what();
  }
}

TEST(Hazards, TheSameOnesOfTwoRunsAreOneWithBothCounts) {
  Hazard first = sample_hazard(), swapped = sample_hazard("shared-race", 20, 10);
  first.seen = {.order = ScheduleOrder::latest};
  swapped.seen = {.order = ScheduleOrder::random, .seed = 4};
  swapped.places[0].warp = 9;  // other threads, same instructions
  std::vector<Hazard> all{first};
  merge(all, {swapped});
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].count, 6u);
  EXPECT_EQ(name_of(all[0].seen.order), "latest");

  Hazard other_kernel = first;
  other_kernel.kernel = "product";
  merge(all, {sample_hazard("global-race"), sample_hazard("shared-race", 10, 21), other_kernel});
  EXPECT_EQ(all.size(), 4u);
}

TEST(Hazards, OfTheHostAreToldApartByWhatWasCalled) {
  Hazard copy{.rule = "host-race", .places = {{.what = "cudaMemcpyAsync", .on_device = false}}};
  Hazard fill{.rule = "host-race", .places = {{.what = "cudaMemsetAsync", .on_device = false}}};
  std::vector<Hazard> all;
  merge(all, {copy, fill, copy});
  EXPECT_EQ(all.size(), 2u);
}

TEST(Schedules, AreWrittenAsTheOptionsThatChooseThem) {
  EXPECT_EQ(as_options({}), "--order earliest");
  EXPECT_EQ(as_options({.order = ScheduleOrder::latest, .seed = 5}), "--order latest");
  EXPECT_EQ(as_options({.order = ScheduleOrder::random, .seed = 5, .device = "h200,sms=2"}),
            "--order random --seed 5 --device h200,sms=2");
  EXPECT_EQ(as_options({.order = ScheduleOrder::random}), "--order random --seed 1");
}

}  // namespace
}  // namespace aisp::lab
