// `aisp check` from end to end, with shell lines that write what the checker would.
#include <fcntl.h>

#include <nlohmann/json.hpp>

#include "tests/lab/check/sample_hazards.hpp"
#include "tests/lab/cli/program.hpp"

namespace aisp::lab {
namespace {

class CheckCommand : public FixtureTest {
 protected:
  CheckCommand() {
    write_text(folder() / "race.jsonl", line_of(sample_hazard()));
    Hazard advice = sample_hazard("bank-conflict", 5, 6);
    advice.level = base::HazardLevel::advice;
    write_text(folder() / "advice.jsonl", line_of(advice));
  }

  Outcome shell(const std::string& line, const Words& options = {}) {
    return run(Words{"check"} + options + Words{"--", "sh", "-c", line});
  }
};

const std::string clean = ": > $AISP_SIM_HAZARDS/$$.jsonl; ";
const std::string race = "cp race.jsonl $AISP_SIM_HAZARDS/$$.jsonl; ";
const std::string race_at_7 = "if [ $AISP_SIM_ORDER = random ] && [ $AISP_SIM_SEED = 7 ]; then " +
                              race + "else " + clean + "fi; ";

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST_F(CheckCommand, SaysThatNothingWasFound) {
  const auto outcome = shell(clean + "echo out; echo err >&2");
  EXPECT_EQ(outcome.exit, 0);
  EXPECT_EQ(outcome.out, "nothing found in 1 run\n");
  EXPECT_EQ(outcome.err, "out\nerr\n");
}

TEST_F(CheckCommand, ShowsWhatWasFoundAndExitsWithThree) {
  const auto outcome = shell(race);
  EXPECT_EQ(outcome.exit, 3);
  EXPECT_TRUE(outcome.out.starts_with("error[shared-race] sum: write of 4 bytes")) << outcome.out;
  EXPECT_TRUE(contains(outcome.out, "\n  replay: aisp check --order earliest -- sh -c '"))
      << outcome.out;
  EXPECT_EQ(outcome.last_line(), "1 finding in 1 run");
  EXPECT_EQ(outcome.out.find('\033'), std::string::npos);
}

TEST_F(CheckCommand, AdviceDoesNotFail) {
  const auto outcome = shell("cp advice.jsonl $AISP_SIM_HAZARDS/1.jsonl", {"--advice"});
  EXPECT_EQ(outcome.exit, 0);
  EXPECT_TRUE(outcome.out.starts_with("advice[bank-conflict] sum: ")) << outcome.out;
  EXPECT_EQ(outcome.last_line(), "nothing found, 1 of advice in 1 run");
}

TEST_F(CheckCommand, GivesTheProgramItsSettings) {
  const std::string show = clean +
                           "env | grep ^AISP_SIM_ | grep -v HAZARDS= | sort; "
                           "echo $LD_PRELOAD | grep -c libcudart; test -d $AISP_SIM_HAZARDS";
  EXPECT_EQ(shell(show, {"--device", "a100,sms=4", "--order", "random", "--seed", "3",
                         "--uninitialised", "--advice"})
                .err,
            "AISP_SIM_DEVICE=a100,sms=4\nAISP_SIM_HAZARDS_ADVICE=1\n"
            "AISP_SIM_HAZARDS_UNINITIALISED=1\nAISP_SIM_ORDER=random\nAISP_SIM_SEED=3\n"
            "1\n");
  const auto outcome = run({"check", "--", "sh", "-c", show}, [] {
    setenv("AISP_SIM_ORDER", "latest", 1);
    setenv("AISP_SIM_DEVICE", "b200", 1);
  });
  EXPECT_EQ(outcome.err, "AISP_SIM_DEVICE=b200\nAISP_SIM_ORDER=latest\nAISP_SIM_SEED=1\n1\n");
}

TEST_F(CheckCommand, TakesAProgramWithoutTheMarkToo) {
  const auto outcome = run({"check", "--order", "latest", "sh", "-c", race, "--help"});
  EXPECT_EQ(outcome.exit, 3);
  EXPECT_TRUE(contains(outcome.out, "replay: aisp check --order latest -- sh -c "));
  EXPECT_TRUE(run({"check", "--help", "sh"}).out.starts_with("## aisp check\n"));
}

TEST_F(CheckCommand, AProgramThatFailsIsAFinding) {
  const auto failed = shell(clean + "exit 9");
  EXPECT_EQ(failed.exit, 3);
  EXPECT_TRUE(failed.out.starts_with(
      "error: the program ended with exit code 9 under --order earliest\n  replay: aisp check"))
      << failed.out;
  const auto killed = shell(clean + "kill -SEGV $$");
  EXPECT_EQ(killed.exit, 3);
  EXPECT_TRUE(contains(killed.out, "ended with SIGSEGV (Segmentation fault) under"));
}

TEST_F(CheckCommand, AProgramThatDoesNotEndIsStopped) {
  const auto outcome = shell(race + "sleep 1000 & wait", {"--timeout", "0.3"});
  EXPECT_EQ(outcome.exit, 3);
  EXPECT_TRUE(contains(outcome.out, "error[shared-race]")) << outcome.out;
  EXPECT_TRUE(contains(outcome.out, "ended with no end within 0.3 s under")) << outcome.out;
}

TEST_F(CheckCommand, AProgramThatNeverMeetsTheSimulatorCannotBeChecked) {
  const auto outcome = shell("exit 5");
  EXPECT_EQ(outcome.exit, 4);
  expect_refused(outcome, 4, "no CUDA call of sh reached the simulator, it ended with exit code 5");
  EXPECT_TRUE(contains(outcome.err, "-cudart shared"));
  expect_refused(run({"check", "--targets", "fx:good"}), 4, "no kernel of fx:good ran");
  EXPECT_TRUE(run_folders().empty());
}

TEST_F(CheckCommand, ChecksTargetsWithoutATraceInTheHistory) {
  const Words racy{"check", "--targets", "fx:racy"};
  write_text(folder() / "findings.jsonl", "");
  const auto good = run(racy);
  EXPECT_EQ(good.exit, 0) << good.err;
  EXPECT_EQ(good.out, "nothing found in 1 run\n");
  EXPECT_EQ(good.err, "");
  write_text(folder() / "findings.jsonl", line_of(sample_hazard()));
  const auto found = run(racy);
  EXPECT_EQ(found.exit, 3);
  EXPECT_TRUE(contains(found.out, "replay: aisp check --order earliest --targets fx:racy\n"));
  EXPECT_EQ(found.err, "");
  EXPECT_FALSE(std::filesystem::exists(runs()));
}

TEST_F(CheckCommand, WrongNumbersOfATargetAreAFailureOfTheirOwn) {
  write_text(folder() / "findings.jsonl", "");
  const auto outcome = run({"check", "--targets", "fx:racy", "--explore", "3"});
  EXPECT_EQ(outcome.exit, 3);
  EXPECT_TRUE(contains(outcome.err, "wrong")) << outcome.err;  // the table of that run
  EXPECT_TRUE(contains(outcome.out, "ended with exit code 3 under --order latest\n"));
}

TEST_F(CheckCommand, ExploresSchedulesAndStopsAtTheFirstFailure) {
  const auto outcome = shell(race_at_7 + "echo $AISP_SIM_ORDER $AISP_SIM_SEED $AISP_SIM_DEVICE",
                             {"--explore", "20"});
  EXPECT_EQ(outcome.exit, 3);
  EXPECT_EQ(outcome.err, "earliest 1\n");  // of the first run only
  EXPECT_TRUE(contains(outcome.out, "seen 3 times, first with --order random --seed 7\n"));
  EXPECT_TRUE(contains(outcome.out,
                       "replay: aisp check --order random --seed 7 --device "
                       "h200,sms=1 -- sh -c"))
      << outcome.out;
  EXPECT_EQ(outcome.last_line(), "1 finding in 9 runs; 1 more run to find a simpler schedule");
}

TEST_F(CheckCommand, ShowsWhatAFailingScheduleSaid) {
  const auto outcome =
      shell(clean + "echo run $AISP_SIM_ORDER; [ $AISP_SIM_ORDER = earliest ]", {"--explore", "3"});
  EXPECT_EQ(outcome.exit, 3);
  EXPECT_EQ(outcome.err, "run earliest\nrun latest\n");
  EXPECT_TRUE(contains(outcome.out, "exit code 1 under --order latest\n"));
}

TEST_F(CheckCommand, GoesOnWhenAskedToAndAddsUp) {
  const auto outcome = shell(race, {"--explore", "3", "--keep-going"});
  EXPECT_EQ(outcome.exit, 3);
  EXPECT_TRUE(contains(outcome.out, "seen 15 times, first with --order earliest\n"));
  EXPECT_EQ(outcome.last_line(), "1 finding in 5 runs");
}

TEST_F(CheckCommand, EachScheduleReadsAFileOnStandardInputFromItsStart) {
  write_text(folder() / "input", "42\n");
  const auto outcome = run({"check", "--explore", "2", "sh", "-c", clean + "[ $(cat) = 42 ]"},
                           [] { dup2(open("input", O_RDONLY), 0); });
  EXPECT_EQ(outcome.exit, 0) << outcome.out;
}

TEST_F(CheckCommand, SuppressionsAreCountedAndUnusedOnesNamed) {
  write_text(folder() / "accepted", "shared-race sum  # known\ndeadlock *  # long gone\n");
  const auto outcome = shell(race, {"--suppressions", "accepted"});
  EXPECT_EQ(outcome.exit, 0);
  EXPECT_EQ(outcome.out,
            "unused suppression: accepted:2: deadlock *\nnothing found, 1 suppressed in 1 run\n");
  write_text(folder() / "accepted", "shared-race sum\n");
  expect_refused(shell(race, {"--suppressions", "accepted"}), 2, "accepted:1: no reason");
}

TEST_F(CheckCommand, WritesJsonAndSarifForPrograms) {
  const auto printed = shell(race + "echo noise", {"--format", "json"});
  EXPECT_EQ(printed.exit, 3);
  EXPECT_EQ(nlohmann::json::parse(printed.out).at("findings").size(), 1u);
  EXPECT_EQ(printed.err, "noise\n1 finding in 1 run\n");
  const auto filed = shell(race, {"--format", "sarif", "--out", "found.sarif"});
  EXPECT_EQ(filed.exit, 3);
  EXPECT_EQ(filed.out, "");
  EXPECT_EQ(filed.err, "1 finding in 1 run\n");
  const auto sarif = nlohmann::json::parse(text_of(folder() / "found.sarif"));
  EXPECT_EQ(sarif.at("runs").at(0).at("results").size(), 1u);
}

TEST_F(CheckCommand, CtrlCKeepsWhatWasFound) {
  const auto program =
      start({"check", "--explore", "5", "--keep-going", "--", "sh", "-c",
             race + "[ $AISP_SIM_ORDER = earliest ] || { touch there; sleep 1000; }"});
  ASSERT_TRUE(eventually([&] { return std::filesystem::exists(folder() / "there"); }));
  program->send(SIGINT);
  const auto outcome = program->wait();
  EXPECT_EQ(outcome.exit, 130);
  EXPECT_TRUE(contains(outcome.out, "error[shared-race]")) << outcome.out;
  EXPECT_EQ(outcome.last_line(), "interrupted; 1 finding in 2 runs");
}

TEST_F(CheckCommand, LeavesNothingBehind) {
  const auto temporary = folder() / "temporary";
  std::filesystem::create_directory(temporary);
  run({"check", "--explore", "2", "sh", "-c", race},
      [&] { setenv("TMPDIR", temporary.c_str(), 1); });
  EXPECT_TRUE(std::filesystem::is_empty(temporary));
}

TEST_F(CheckCommand, ListsItsRules) {
  const auto explained = run({"check", "--explain", "copy-wait"});
  EXPECT_EQ(explained.exit, 0);
  EXPECT_TRUE(explained.out.starts_with("copy-wait: ")) << explained.out;
  EXPECT_EQ(explained.err, "");
  expect_refused(run({"check", "--explain", "copy-wiat"}), 2, "did you mean copy-wait?");
  const auto outcome = run({"check", "--rules"});
  EXPECT_EQ(outcome.last_line(), "aisp check --explain RULE explains one of them, with an example");
  EXPECT_EQ(outcome.exit, 0);
  EXPECT_TRUE(outcome.out.starts_with("shared-race: unordered accesses to shared memory\n  why: "));
  EXPECT_TRUE(contains(outcome.out, "\nbank-conflict (advice): "));
}

}  // namespace
}  // namespace aisp::lab
