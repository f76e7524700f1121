// `aisp sim -- program`: what the program is given, and what comes back from it.
#include "tests/lab/cli/program.hpp"

namespace aisp::lab {
namespace {

class SimCommand : public FixtureTest {
 protected:
  // Runs a line of shell on the simulator.
  Outcome shell(const std::string& line, const Words& options = {}) {
    return run(Words{"sim", "--quiet"} + options + Words{"--", "sh", "-c", line});
  }
};

TEST_F(SimCommand, PassesTheProgramsOutputAndExitCodeThrough) {
  const auto outcome = shell("echo out; echo err >&2; exit 7");
  EXPECT_EQ(outcome.exit, 7);
  EXPECT_EQ(outcome.out, "out\n");
  EXPECT_EQ(outcome.err, "err\n");
  EXPECT_EQ(shell("kill -SEGV $$").signal, SIGSEGV);
}

TEST_F(SimCommand, NamesItsOrderInOneLineOnStandardError) {
  const auto note = [&](const Words& options, const char* variable = nullptr) {
    const auto outcome = run(Words{"sim"} + options + Words{"--", "sh", "-c", "echo out"}, [&] {
      if (variable != nullptr) setenv("AISP_SIM_ORDER", variable, 1);
    });
    EXPECT_EQ(outcome.out, "out\n");
    EXPECT_LE(lines_of(outcome.err).size(), 1u) << outcome.err;
    return outcome.err;
  };
  const auto says = [](const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
  };
  const std::string plain = note({});
  EXPECT_TRUE(plain.starts_with("aisp sim: simulated in order earliest, ")) << plain;
  EXPECT_TRUE(says(plain, "'--order latest' or 'aisp check' finds missing waits")) << plain;
  EXPECT_TRUE(says(note({"--order", "latest"}), "order latest; 'aisp check' finds"));
  EXPECT_TRUE(says(note({}, "latest"), "order latest;"));
  EXPECT_TRUE(says(note({"--order", "random", "--seed", "7"}), "order random with seed 7;"));
  EXPECT_EQ(note({"--quiet"}), "");
  EXPECT_EQ(note({}, "never"), "");  // the library refuses it
}

TEST_F(SimCommand, WhatCannotBeStartedIsReportedAlone) {
  expect_refused(run({"sim", "--", "/nowhere/program"}), 4, "cannot start /nowhere/program");
  expect_refused(run({"sim", "--", "no_such_program"}), 4, "cannot start no_such_program");
}

TEST_F(SimCommand, PutsTheSimulatorInFrontAndLeavesTheRestToIt) {
  const auto outcome =
      shell("echo $LD_PRELOAD | tr : '\\n'; echo $LD_LIBRARY_PATH; env | grep -c ^AISP_SIM_");
  const auto lines = lines_of(outcome.out);
  ASSERT_EQ(lines.size(), 4u) << outcome.err;
  EXPECT_TRUE(lines[0].ends_with("/lib/sim/libcudart.so.13")) << lines[0];
  EXPECT_TRUE(lines[1].ends_with("/lib/sim/libcuda.so.1")) << lines[1];
  EXPECT_TRUE((lines[2] + ":").find("/lib/sim:") != std::string::npos) << lines[2];
  EXPECT_EQ(lines[3], "0");
}

TEST_F(SimCommand, HandsItsOptionsOn) {
  const auto outcome = shell(
      "env | grep ^AISP_SIM_ | sort",
      {"--device", "a100,sms=4", "--seed", "3", "--order", "latest", "--threads", "2", "--stats"});
  EXPECT_EQ(outcome.out,
            "AISP_SIM_DEVICE=a100,sms=4\nAISP_SIM_ORDER=latest\nAISP_SIM_SEED=3\n"
            "AISP_SIM_STATS=1\nAISP_SIM_THREADS=2\n");
}

TEST_F(SimCommand, OneSeedIsOneScheduleSoRandomOrderRunsOnOneThread) {
  EXPECT_EQ(shell("echo $AISP_SIM_THREADS", {"--order", "random"}).out, "1\n");
  EXPECT_EQ(shell("echo $AISP_SIM_THREADS", {"--order", "random", "--threads", "2"}).out, "2\n");
  EXPECT_EQ(shell("echo $AISP_SIM_THREADS", {"--order", "latest"}).out, "\n");
}

TEST_F(SimCommand, WhatFollowsTheDashesIsTheProgramsOwn) {
  EXPECT_EQ(run({"sim", "--", "echo", "--help", "--order", "never", "--"}).out,
            "--help --order never --\n");
  EXPECT_TRUE(run({"sim", "--help", "--", "true"}).out.starts_with("## aisp sim\n"));
}

TEST_F(SimCommand, KeepsWhatWasPreloadedBefore) {
  const auto outcome = run({"sim", "--", "sh", "-c", "echo $LD_PRELOAD"},
                           [] { setenv("LD_PRELOAD", "libm.so.6", 1); });
  EXPECT_TRUE(outcome.out.ends_with("/libcuda.so.1:libm.so.6\n")) << outcome.out;
}

TEST_F(SimCommand, SaysWhereItsLibraryShouldBe) {
  const auto outcome =
      run({"sim", "--", "true"}, [] { setenv("AISP_SIM_LIBRARY", "/nowhere/x.so", 1); });
  expect_refused(outcome, 4, "the simulator's library is not at /nowhere/x.so");
}

// What only the library can judge is one line and exit 2 as well, at the first CUDA call.
TEST_F(SimCommand, SettingsThatTheLibraryRefusesEndTheProgram) {
  const Words program{"--quiet", "--", fixture_program(), "doctor"};
  const auto many = run(Words{"sim", "--device", "h200,sms=133"} + program);
  EXPECT_EQ(many.exit, 2);
  EXPECT_EQ(many.err, "aisp sim: AISP_SIM_DEVICE: sms=133: h200 has 1 to 132 SMs\n");
  const auto order = run(Words{"sim"} + program, [] { setenv("AISP_SIM_ORDER", "never", 1); });
  EXPECT_EQ(order.exit, 2);
  EXPECT_EQ(order.err, "aisp sim: AISP_SIM_ORDER=never is none of earliest, latest, random\n");
  const auto host = run(Words{"sim"} + program, [] { setenv("AISP_SIM_HOST", "avx9", 1); });
  EXPECT_EQ(host.exit, 2);
  EXPECT_TRUE(host.err.starts_with("aisp sim: AISP_SIM_HOST=avx9: this simulator has baseline"))
      << host.err;
  const auto space = run(Words{"sim"} + program, [] { setenv("AISP_SIM_ADDRESS_GIB", "no", 1); });
  EXPECT_EQ(space.exit, 2);
  EXPECT_EQ(space.err, "aisp sim: AISP_SIM_ADDRESS_GIB=no is not an integer of at least 1\n");
}

}  // namespace
}  // namespace aisp::lab
