#include "lab/run/plan/plan.hpp"

#include <gtest/gtest.h>

#include <regex>

#include "lab/device/device.hpp"
#include "tests/fixtures/doubling.hpp"
#include "tests/support/files.hpp"

namespace aisp::lab {
namespace {

using Words = std::vector<std::string>;

// A ladder of four, a peer, and two variants of which one rung takes only the second.
Target ladder() {
  Target target = fixture::target("ladder", "four rungs and a peer");
  target.variants = {"a", "b"};
  target.full = {{"a", {4096}}, {"b", {8192}}};
  target.aliases = {{"first_ladder", "a"}};
  target.quick = {{"a", {64}}, {"b", {128}}};
  return target;
}

Rung step(const std::string& name, int number) {
  return fixture::rung(name, number, fixture::double_all);
}

const TargetEntry ladder_entry{ladder()};
const RungEntry first{"fx:ladder", step("double", 0)};
const RungEntry second{"fx:ladder", step("wide", 1)};
const RungEntry third{"fx:ladder", [] {
                        Rung rung = step("only_b", 2);
                        rung.variants = {"b"};
                        return rung;
                      }()};
const RungEntry last{"fx:ladder", step("pipelined", 3)};
const RungEntry peer{"fx:ladder", [] {
                       Rung rung = step("library", 4);
                       rung.peer = true;
                       return rung;
                     }()};
const TargetEntry device_entry{fixture::target("needs_gpu", "a rung for a device")};
const RungEntry device_rung{"fx:needs_gpu", [] {
                              Rung rung = step("double", 0);
                              rung.needs = Needs::sm_80;
                              return rung;
                            }()};

RunOptions asking(const std::string& targets) {
  RunOptions options;
  options.targets = targets;
  return options;
}

TEST(Plan, HasOneEntryPerSizeWithTheRungsOfItsVariant) {
  const RunHeader header = plan_run(asking("ladder"), {"bench", "run"});
  ASSERT_EQ(header.plan.size(), 2u);
  EXPECT_EQ(header.plan[0].entry, "fx:ladder/a 4096");
  EXPECT_EQ(header.plan[0].target, "fx:ladder");
  EXPECT_EQ(header.plan[0].variant, "a");
  EXPECT_EQ(header.plan[0].dims, std::vector<std::int64_t>{4096});
  EXPECT_EQ(header.plan[0].rungs, (Words{"double", "wide", "pipelined", "library"}));
  EXPECT_EQ(header.plan[1].rungs, (Words{"double", "wide", "only_b", "pipelined", "library"}));
}

TEST(Plan, WritesDownWhatWasAsked) {
  RunOptions options = asking("ladder");
  options.timer = Timer::graph;
  options.l2 = L2Mode::rotate;
  options.seed = 7;
  options.iterations = 3;
  options.warmup = 2;
  options.profile = Profile::minimal;
  options.validate = true;
  options.time_limit = 9.5;
  const RunHeader header = plan_run(options, {"bench", "run", "--seed", "7"});
  EXPECT_EQ(header.command, (Words{"bench", "run", "--seed", "7"}));
  EXPECT_EQ(name_of(header.timer), "graph");
  EXPECT_EQ(name_of(header.l2), "rotate");
  EXPECT_EQ(header.seed, 7u);
  EXPECT_EQ(header.iterations, 3);
  EXPECT_EQ(header.warmup, 2);
  EXPECT_EQ(name_of(header.profile), "minimal");
  EXPECT_TRUE(header.validate);
  EXPECT_EQ(header.time_limit, 9.5);
  const std::string id = R"(\d{8}-\d{6}-)" + std::to_string(getpid());
  EXPECT_TRUE(std::regex_match(header.id, std::regex(id))) << header.id;
  EXPECT_TRUE(std::regex_match(header.started, std::regex(R"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ)")));
}

TEST(Plan, RungsAreChosenByNameInLadderOrder) {
  RunOptions options = asking("ladder");
  options.rungs = {"pipelined", "double"};
  EXPECT_EQ(plan_run(options, {}).plan[0].rungs, (Words{"double", "pipelined"}));
  options.rungs = {"library"};
  EXPECT_EQ(plan_run(options, {}).plan[0].rungs, (Words{"library"}));
  options.rungs = {"only_b"};
  const auto plan = plan_run(options, {}).plan;
  ASSERT_EQ(plan.size(), 1u) << "the variant without that rung has nothing to run";
  EXPECT_EQ(plan[0].variant, "b");
}

TEST(Plan, ARungThatNoTargetHasIsATypo) {
  RunOptions options = asking("ladder");
  options.rungs = {"double", "piplined"};
  const auto refusal = refusal_of([&] { plan_run(options, {}); });
  EXPECT_EQ(refusal.exit(), base::Exit::usage);
  EXPECT_STREQ(refusal.what(),
               "unknown rung 'piplined' in --rungs; did you mean 'pipelined'? 'aisp bench "
               "list-targets' shows the rungs of each target");
}

TEST(Plan, ARungThatNoChosenSizeTakesLeavesNothingToRun) {
  RunOptions options = asking("first_ladder");
  options.rungs = {"only_b"};
  const auto refusal = refusal_of([&] { plan_run(options, {}); });
  EXPECT_EQ(refusal.exit(), base::Exit::usage);
  EXPECT_STREQ(refusal.what(), "nothing to run: no rung of first_ladder matches --rungs only_b");
}

TEST(Plan, EndsOnlyTakesTheFirstAndTheLastOfTheLadder) {
  RunOptions options = asking("ladder");
  options.ends_only = true;
  for (const auto& entry : plan_run(options, {}).plan)
    EXPECT_EQ(entry.rungs, (Words{"double", "pipelined"}));
}

TEST(Plan, ASelfCheckTakesTheBaselineUnlessARungIsNamed) {
  RunOptions options = asking("ladder");
  options.self_check = true;
  EXPECT_EQ(plan_run(options, {}).plan[0].rungs, (Words{"double"}));
  options.rungs = {"wide"};
  EXPECT_EQ(plan_run(options, {}).plan[0].rungs, (Words{"wide"}));
}

TEST(Plan, SizesReplaceTheTargetsOwnAndQuickTakesTheSmallOnes) {
  RunOptions options = asking("ladder");
  options.quick = true;
  const auto planned = [&] {
    Words entries;
    for (const auto& entry : plan_run(options, {}).plan) entries.push_back(entry.entry);
    return entries;
  };
  EXPECT_EQ(planned(), (Words{"fx:ladder/a 64", "fx:ladder/b 128"}));
  options.sizes = {"8,16"};
  EXPECT_EQ(planned(),
            (Words{"fx:ladder/a 8", "fx:ladder/a 16", "fx:ladder/b 8", "fx:ladder/b 16"}));
  options.sizes = {"12"};
  EXPECT_STREQ(refusal_of([&] { plan_run(options, {}); }).what(),
               "N must be a multiple of 8: got 12; use 16");
}

TEST(Plan, AnAliasMayStandForOneVariant) {
  const auto plan = plan_run(asking("first_ladder"), {}).plan;
  ASSERT_EQ(plan.size(), 1u);
  EXPECT_EQ(plan[0].entry, "fx:ladder/a 4096");
  EXPECT_EQ(plan_run(asking("first_ladder,fx:ladder"), {}).plan.size(), 2u);
}

TEST(Plan, HostTargetsNeedNoDeviceAndOthersSayWhyTheyCannotRun) {
  EXPECT_NO_THROW(require_device(plan_run(asking("ladder"), {}), {}));
  EXPECT_NO_THROW(require_device(plan_run(asking("ladder"), {}), {DeviceKind::simulator, ""}));
  const RunHeader header = plan_run(asking("needs_gpu"), {});
  // Without its library nothing starts again on the simulator, least of all this test.
  setenv("AISP_SIM_LIBRARY", "/nowhere/libcudart.so.13", 1);
  const auto refused_with = [&](const std::string& choice, const std::string& part) {
    const auto refusal = refusal_of([&] { require_device(header, *device_choice(choice)); });
    EXPECT_EQ(refusal.exit(), base::Exit::environment);
    EXPECT_NE(std::string(refusal.what()).find(part), std::string::npos) << refusal.what();
  };
  refused_with("sim:h200", "the simulator's library is not at /nowhere/");
  const auto why = why_no_cuda_device();
  if (why.empty()) {
    EXPECT_NO_THROW(require_device(header, {DeviceKind::gpu, ""}));
    EXPECT_NO_THROW(require_device(header, {}));
  } else {
    refused_with("gpu", "no GPU to run on: " + why);
    refused_with("auto", "the simulator's library is not at /nowhere/");
  }
  unsetenv("AISP_SIM_LIBRARY");
}

TEST(Plan, ASimulatorThatTheLoaderPassedOverIsNotTriedAgain) {
  const RunHeader header = plan_run(asking("needs_gpu"), {});
  setenv("AISP_SIM_LIBRARY", "/dev/null", 1);
  setenv("LD_PRELOAD", "/dev/null:libm.so.6", 1);
  const auto refusal = refusal_of([&] { require_device(header, {DeviceKind::simulator, ""}); });
  unsetenv("AISP_SIM_LIBRARY");
  unsetenv("LD_PRELOAD");
  EXPECT_EQ(refusal.exit(), base::Exit::environment);
  EXPECT_NE(std::string(refusal.what()).find("library at /dev/null cannot be loaded; "),
            std::string::npos)
      << refusal.what();
}

}  // namespace
}  // namespace aisp::lab
