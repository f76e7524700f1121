#include "lab/cli/command_line.hpp"

#include <gtest/gtest.h>

#include "base/text.hpp"
#include "tests/lab/cli/program.hpp"

namespace aisp::lab {
namespace {

TEST(CommandLine, PeersWithoutAValueAreAllOfThem) {
  const auto peers = [](const Words& options) {
    return parse_command_line(Words{"bench", "run"} + options).run.peers;
  };
  EXPECT_EQ(peers({}), "auto");
  EXPECT_EQ(peers({"--peers"}), "all");
  EXPECT_EQ(peers({"--peers", "--quick"}), "all");
  EXPECT_EQ(peers({"--peers", "none"}), "none");
  EXPECT_EQ(peers({"--peers=sdpa,triton", "--quick"}), "sdpa,triton");
  EXPECT_EQ(peers({"--peers", "sdpa,triton", "--quick"}), "sdpa,triton");
  EXPECT_EQ(refusal_of([&] { peers({"--peers="}); }).exit(), base::Exit::usage);
}

TEST(CommandLine, ReadsEveryOptionOfARun) {
  const auto line = parse_command_line({"bench",
                                        "run",
                                        "--targets",
                                        "ch09",
                                        "--rungs",
                                        "a,b",
                                        "--profile",
                                        "minimal",
                                        "--iterations",
                                        "7",
                                        "--warmup",
                                        "2",
                                        "--sizes",
                                        "4096",
                                        "4096",
                                        "8192",
                                        "--seed",
                                        "18446744073709551615",
                                        "--timer",
                                        "graph",
                                        "--l2",
                                        "rotate",
                                        "--summaries",
                                        "--quick",
                                        "--trace",
                                        "--update-expectations",
                                        "--accept-regressions",
                                        "--out",
                                        "elsewhere",
                                        "--time-limit",
                                        "0.5",
                                        "--format",
                                        "csv",
                                        "--device",
                                        "gpu",
                                        "--self-check"});
  EXPECT_EQ(line.command, "bench run");
  EXPECT_EQ(line.run.targets, "ch09");
  EXPECT_EQ(line.run.rungs, (Words{"a", "b"}));
  EXPECT_EQ(name_of(line.run.profile), "minimal");
  EXPECT_EQ(line.run.iterations, 7);
  EXPECT_EQ(line.run.warmup, 2);
  EXPECT_EQ(line.run.sizes, (Words{"4096", "4096", "8192"}));
  EXPECT_EQ(line.run.seed, 18446744073709551615u);
  EXPECT_EQ(name_of(line.run.timer), "graph");
  EXPECT_EQ(name_of(line.run.l2), "rotate");
  EXPECT_TRUE(line.summaries && line.run.quick && line.run.trace && line.run.self_check);
  EXPECT_TRUE(line.update_expectations && line.accept_regressions);
  EXPECT_EQ(line.run.out, "elsewhere");
  EXPECT_EQ(line.run.time_limit, 0.5);
  EXPECT_EQ(name_of(line.format), "csv");
  EXPECT_EQ(name_of(line.run.device.kind), "gpu");
  EXPECT_EQ(line.as_typed.size(), 36u);
}

TEST(CommandLine, HasTheDocumentedDefaults) {
  const auto line = parse_command_line({"bench", "run"});
  EXPECT_EQ(line.run.targets, "all");
  EXPECT_EQ(name_of(line.run.timer), "events");
  EXPECT_EQ(name_of(line.run.l2), "cold");
  EXPECT_EQ(name_of(line.run.profile), "none");
  EXPECT_EQ(line.run.time_limit, 600);
  EXPECT_EQ(line.run.out, "runs");
  EXPECT_EQ(name_of(line.format), "table");
  EXPECT_EQ(line.limit, 20);
  EXPECT_TRUE(line.run.sizes.empty() && line.run.rungs.empty());
}

TEST(CommandLine, WhatTheSimulatorRunsIsNotParsed) {
  const auto line =
      parse_command_line({"sim", "--stats", "--seed", "7", "--order", "random", "--device",
                          "a100,sms=4", "--", "./program", "--seed", "x"});
  EXPECT_EQ(line.words, (Words{"./program", "--seed", "x"}));
  EXPECT_TRUE(line.simulator.stats);
  EXPECT_EQ(line.simulator.seed, "7");
  EXPECT_EQ(name_of(line.simulator.order), "random");
  EXPECT_EQ(line.simulator.device, "a100,sms=4");
  EXPECT_EQ(line.simulator.threads, "");
}

TEST(CommandLine, WhatIsCheckedBeginsAtTheFirstWordThatIsNoOption) {
  const Words options{"check", "--advice", "--explore", "5", "--out=a",
                      "--max", "3",        "--seed",    "9"};
  for (const Words& mark : {Words{}, Words{"--"}}) {
    const auto line =
        parse_command_line(options + mark + Words{"./program", "--advice", "--", "x"});
    EXPECT_EQ(line.check.program, (Words{"./program", "--advice", "--", "x"}));
    EXPECT_TRUE(line.check.advice);
    EXPECT_EQ(line.check.explore, 5);
    EXPECT_EQ(line.check.out, "a");
    EXPECT_EQ(line.check.max, 3);
    EXPECT_EQ(line.check.seed, 9u);
  }
  EXPECT_EQ(parse_command_line({"check", "--", "--odd"}).check.program, Words{"--odd"});
  const auto plain = parse_command_line({"check", "p"}).check;
  EXPECT_EQ(name_of(plain.format), "text");
  EXPECT_EQ(plain.timeout, 600);
  EXPECT_EQ(plain.max, 20);
  EXPECT_FALSE(plain.seed || plain.keep_going || plain.uninitialised || plain.advice);
}

TEST(CommandLine, OptionsThatNeedAGpuDoNotLeaveTheDeviceOpen) {
  const auto device_of = [](const Words& more) {
    Words words{"bench", "run"};
    words.insert(words.end(), more.begin(), more.end());
    const DeviceChoice device = parse_command_line(words).run.device;
    return base::say(name_of(device.kind), device.simulated.empty() ? "" : ":", device.simulated);
  };
  EXPECT_EQ(device_of({}), "auto");
  EXPECT_EQ(device_of({"--device", "sim:b200"}), "sim:b200");
  EXPECT_EQ(device_of({"--update-expectations"}), "gpu");
  EXPECT_EQ(device_of({"--profile", "minimal"}), "gpu");
  EXPECT_EQ(device_of({"--self-check"}), "gpu");
}

TEST(CommandLine, SizesEndAtTheNextOptionAndMayLookNegative) {
  EXPECT_EQ(join_sizes({"--sizes", "1", "-4", "8x8", "--quick"}),
            (Words{"--sizes=1 -4 8x8", "--quick"}));
  EXPECT_EQ(join_sizes({"--quick", "--sizes"}), (Words{"--quick", "--sizes="}));
  EXPECT_EQ(join_sizes({"--sizes=64", "x"}), (Words{"--sizes=64", "x"}));
}

TEST(CommandLine, AxesOfASweepMayStandOnBothSidesOfTheTarget) {
  const auto line =
      parse_command_line({"sweep", "--axis", "S=1:8:x2", "ch10:x", "--axis", "D=64,128",
                          "--variant", "bf16", "--rungs", "a,b", "--quick"});
  EXPECT_EQ(line.sweep.axes, (Words{"S=1:8:x2", "D=64,128"}));
  EXPECT_EQ(line.words, (Words{"ch10:x"}));
  EXPECT_EQ(line.run.rungs, (Words{"a", "b"}));
  EXPECT_EQ(line.sweep.variant, "bf16");
  EXPECT_TRUE(line.run.quick);
}

TEST(CommandLine, TakesTheWordsOfTheOtherCommands) {
  EXPECT_EQ(parse_command_line({"compare", "a", "b"}).words, (Words{"a", "b"}));
  EXPECT_EQ(parse_command_line({"compare", "ch09", "--examples", "x,y"}).examples, "x,y");
  EXPECT_EQ(parse_command_line({"expectations", "show", "ch09"}).words, (Words{"ch09"}));
  EXPECT_EQ(parse_command_line({"history", "x", "--limit", "3"}).limit, 3);
  EXPECT_TRUE(parse_command_line({"doctor", "--measure"}).measure);
  EXPECT_EQ(parse_command_line({"bench", "list-targets", "--chapter", "ch09"}).chapter, "ch09");
  for (const Words& bad : {Words{"compare", "a", "b", "c"}, Words{"doctor", "x"},
                           Words{"history", "--json"}, Words{"expectations"}, Words{"worker", "x"}})
    EXPECT_EQ(refusal_of([&] { parse_command_line(bad); }).exit(), base::Exit::usage)
        << base::join(bad, " ");
}

}  // namespace
}  // namespace aisp::lab
