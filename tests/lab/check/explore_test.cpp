#include "lab/check/explore.hpp"

#include <gtest/gtest.h>

#include "tests/lab/check/sample_hazards.hpp"

namespace aisp::lab {
namespace {

using Schedules = std::vector<std::string>;

// A program that does what `behave` says, and remembers how it was run.
struct FakeProgram {
  std::function<void(CheckRun&)> behave = [](CheckRun&) {};
  Schedules asked;
  std::vector<ProgramOutput> outputs;

  Exploration explored(ExploreOptions options) {
    return explore(
        options,
        [&](const Schedule& schedule, ProgramOutput output) {
          asked.push_back(as_options(schedule));
          outputs.push_back(output);
          CheckRun run{.schedule = schedule};
          behave(run);
          for (auto& hazard : run.hazards) hazard.seen = hazard.replay = schedule;
          return run;
        },
        [](const Hazard& hazard) {
          return hazard.level == base::HazardLevel::error && hazard.rule != "copy-wait";
        });
  }
};

bool is_random(const CheckRun& run) { return run.schedule.order == ScheduleOrder::random; }

TEST(Explore, RunsOnceWhereNothingElseIsAskedFor) {
  FakeProgram program;
  const auto found = program.explored({.base = {.order = ScheduleOrder::random, .seed = 9}});
  EXPECT_EQ(program.asked, Schedules{"--order random --seed 9"});
  EXPECT_EQ(program.outputs, std::vector<ProgramOutput>{ProgramOutput::live});
  EXPECT_EQ(found.runs.size(), 1u);
}

TEST(Explore, RunsBothOrdersThenTheSeedsOnOneThread) {
  FakeProgram program;
  const auto found = program.explored({.base = {.seed = 4, .device = "a100"}, .seeds = 2});
  EXPECT_EQ(program.asked,
            (Schedules{"--order earliest --device a100", "--order latest --device a100",
                       "--order random --seed 4 --device a100",
                       "--order random --seed 5 --device a100"}));
  EXPECT_EQ(program.outputs,
            (std::vector<ProgramOutput>{ProgramOutput::live, ProgramOutput::when_failing,
                                        ProgramOutput::when_failing, ProgramOutput::when_failing}));
  EXPECT_TRUE(found.hazards.empty());
  EXPECT_EQ(found.tried, 0);
}

TEST(Explore, EndsAtTheFirstFailureUnlessItIsToGoOn) {
  FakeProgram program;
  program.behave = [](CheckRun& run) {
    if (run.schedule.order != ScheduleOrder::earliest) run.hazards = {sample_hazard()};
  };
  auto found = program.explored({.seeds = 3});
  EXPECT_EQ(program.asked.size(), 2u);  // latest is simple enough: nothing to search for
  EXPECT_EQ(found.tried, 0);
  program.asked.clear();
  found = program.explored({.seeds = 3, .keep_going = true});
  EXPECT_EQ(program.asked.size(), 5u);
  ASSERT_EQ(found.hazards.size(), 1u);
  EXPECT_EQ(found.hazards[0].count, 12u);
  EXPECT_EQ(name_of(found.hazards[0].seen.order), "latest");
}

TEST(Explore, AdviceAndWhatIsSuppressedAreNoFailures) {
  FakeProgram program;
  program.behave = [](CheckRun& run) {
    Hazard advice = sample_hazard("bank-conflict");
    advice.level = base::HazardLevel::advice;
    run.hazards = {advice, sample_hazard("copy-wait")};
  };
  const auto found = program.explored({.seeds = 2});
  EXPECT_EQ(found.runs.size(), 4u);
  EXPECT_EQ(found.hazards.size(), 2u);
}

TEST(Explore, FindsASmallerSeedThatShowsTheSame) {
  FakeProgram program;
  program.behave = [](CheckRun& run) {
    if (!is_random(run) || run.schedule.seed < 3) return;
    if (run.schedule.seed == 3) run.hazards = {sample_hazard("deadlock")};  // another one
    if (run.schedule.seed >= 5) run.hazards = {sample_hazard("global-race"), sample_hazard()};
  };
  const auto found = program.explored({.base = {.seed = 40}, .seeds = 5});
  EXPECT_EQ(found.runs.size(), 3u);  // earliest, latest, 40
  EXPECT_EQ(found.tried, 5);         // seeds 1 to 5
  EXPECT_EQ(program.outputs.back(), ProgramOutput::never);
  ASSERT_EQ(found.hazards.size(), 2u);  // what the search finds besides is not counted
  for (const auto& hazard : found.hazards) {
    EXPECT_EQ(hazard.seen.seed, 40u);
    EXPECT_EQ(hazard.replay.seed, 5u);
    EXPECT_EQ(hazard.count, 3u);
  }
}

TEST(Explore, FindsFewerMultiprocessorsWhereNoSeedIsSmaller) {
  FakeProgram program;
  program.behave = [](CheckRun& run) {
    const bool small = run.schedule.device == "h200,sms=1";
    if (is_random(run) && run.schedule.seed == 2 && !small)
      run.hazards = {sample_hazard(), sample_hazard("global-race")};
    if (run.schedule.device == "h200,sms=2") run.hazards.resize(1);
  };
  const auto found = program.explored({.seeds = 9});
  EXPECT_EQ(program.asked.back(), "--order random --seed 2 --device h200,sms=2");
  EXPECT_EQ(found.tried, 2);
  ASSERT_EQ(found.hazards.size(), 2u);
  EXPECT_EQ(found.hazards[0].replay.device, "h200,sms=2");
  EXPECT_EQ(found.hazards[1].replay.device, "");  // not shown by the smaller device
}

TEST(Explore, LooksForTheSameEndOfTheProgramWhereNothingWasFound) {
  FakeProgram program;
  program.behave = [](CheckRun& run) {
    if (!is_random(run)) return;
    run.exit = run.schedule.seed == 1 ? 1 : 0;
    run.signal = run.schedule.seed >= 2 ? 11 : 0;
  };
  const auto found = program.explored({.base = {.seed = 8}, .seeds = 1});
  EXPECT_EQ(found.runs.back().replay.seed, 2u);  // seed 1 fails in another way
  EXPECT_EQ(found.runs.back().schedule.seed, 8u);
}

TEST(Explore, KeepsTheFailingScheduleWhereNothingSimplerShowsIt) {
  FakeProgram program;
  program.behave = [](CheckRun& run) {
    if (run.schedule.seed == 100 && run.schedule.device.empty()) run.hazards = {sample_hazard()};
  };
  const auto found = program.explored({.base = {.seed = 100}, .seeds = 1});
  EXPECT_EQ(found.tried, 16 + 3);  // seeds are tried within reason
  EXPECT_EQ(found.hazards[0].replay, found.hazards[0].seen);
}

TEST(Explore, AnInterruptKeepsWhatWasFound) {
  FakeProgram program;
  program.behave = [](CheckRun& run) {
    run.interrupted = is_random(run);
    if (run.interrupted) run.hazards = {sample_hazard()};
  };
  auto found = program.explored({.seeds = 5, .keep_going = true});
  EXPECT_TRUE(found.interrupted);
  EXPECT_EQ(found.runs.size(), 3u);
  EXPECT_EQ(found.hazards.size(), 1u);
  EXPECT_EQ(found.tried, 0);

  program.behave = [](CheckRun& run) {  // during the search
    run.interrupted = !run.schedule.device.empty();
    if (is_random(run)) run.hazards = {sample_hazard()};
  };
  found = program.explored({.seeds = 1});
  EXPECT_TRUE(found.interrupted);
  EXPECT_EQ(found.hazards[0].replay, found.hazards[0].seen);
}

TEST(SimplerSchedules, AreOtherOrdersSmallerSeedsAndFewerMultiprocessors) {
  const Schedule failing{.order = ScheduleOrder::random, .seed = 3, .device = "b200,sms=4"};
  Schedules all;
  for (const auto& one : simpler_schedules(failing, {})) all.push_back(as_options(one));
  EXPECT_EQ(all,
            (Schedules{"--order earliest --device b200,sms=4", "--order latest --device b200,sms=4",
                       "--order random --seed 1 --device b200,sms=4",
                       "--order random --seed 2 --device b200,sms=4",
                       "--order random --seed 3 --device b200,sms=1",
                       "--order random --seed 3 --device b200,sms=2"}));
}

TEST(SimplerSchedules, KeepAsManyDevices) {
  const Schedule failing{.order = ScheduleOrder::earliest, .seed = 1, .device = "h200,gpus=4"};
  Schedules all;
  for (const auto& one : simpler_schedules(failing, {failing})) all.push_back(as_options(one));
  EXPECT_EQ(all, (Schedules{"--order latest --device h200,gpus=4",
                            "--order earliest --device h200,sms=1,gpus=4",
                            "--order earliest --device h200,sms=2,gpus=4",
                            "--order earliest --device h200,sms=4,gpus=4"}));
}

}  // namespace
}  // namespace aisp::lab
