#include "lab/check/report.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/lab/check/sample_hazards.hpp"
#include "tests/support/files.hpp"

namespace aisp::lab {
namespace {

Hazard seen_with(Hazard hazard, const Schedule& schedule) {
  hazard.seen = hazard.replay = schedule;
  return hazard;
}

Exploration one_run(std::vector<Hazard> hazards, CheckRun run = {}) {
  run.hazards = hazards;
  return {.runs = {run}, .hazards = std::move(hazards)};
}

CheckReport report_of(Exploration exploration, CheckOptions options = {},
                      const std::string& suppressions = "") {
  if (options.program.empty()) options.program = {"./program", "it's", "2"};
  options.suppressions = suppressions.empty() ? "" : "accepted.txt";
  return make_report(options, std::move(exploration), parse_suppressions(suppressions, "accepted"),
                     "/src");
}

Hazard some_advice() {
  Hazard hazard = sample_hazard("bank-conflict", 1, 1);
  hazard.level = base::HazardLevel::advice;
  hazard.places.resize(1);
  return hazard;
}

TEST(CheckExit, IsThreeForAFindingOrAFailedProgram) {
  EXPECT_EQ(exit_of(report_of(one_run({}))), 0);
  EXPECT_EQ(exit_of(report_of(one_run({some_advice()}))), 0);
  EXPECT_EQ(exit_of(report_of(one_run({sample_hazard()}))), 3);
  EXPECT_EQ(exit_of(report_of(one_run({}, {.exit = 1}))), 3);
  EXPECT_EQ(exit_of(report_of(one_run({}, {.signal = 11}))), 3);
  EXPECT_EQ(exit_of(report_of(one_run({}, {.timed_out = true}))), 3);
  const std::string accepted = "shared-race sum  # known\n";
  EXPECT_EQ(exit_of(report_of(one_run({sample_hazard()}), {}, accepted)), 0);
  EXPECT_EQ(exit_of(report_of(one_run({sample_hazard()}, {.exit = 1}), {}, accepted)), 3);
  auto stopped = one_run({sample_hazard()});
  stopped.interrupted = true;
  EXPECT_EQ(exit_of(report_of(stopped)), 130);
}

TEST(CheckReport, PutsErrorsBeforeAdviceAndSortsOutTheSuppressed) {
  const auto report =
      report_of(one_run({some_advice(), sample_hazard("deadlock"), sample_hazard()}), {},
                "deadlock *  # known\n\nmisuse \"a b\"  # gone\n");
  ASSERT_EQ(report.hazards.size(), 2u);
  EXPECT_EQ(report.hazards[0].rule, "shared-race");
  EXPECT_EQ(report.hazards[1].rule, "bank-conflict");
  EXPECT_EQ(report.errors(), 1);
  EXPECT_EQ(report.of_level(base::HazardLevel::advice), 1);
  ASSERT_EQ(report.suppressed.size(), 1u);
  EXPECT_EQ(report.suppressed[0].reason, "known");
  EXPECT_EQ(report.unused, std::vector<std::string>{"accepted.txt:3: misuse \"a b\""});
  EXPECT_EQ(summary_line(report), "1 finding, 1 of advice, 1 suppressed in 1 run");
}

TEST(CheckReport, ReplaysWithTheSameOptions) {
  const Schedule schedule{.order = ScheduleOrder::random, .seed = 7, .device = "h200,sms=1"};
  CheckOptions options{.program = {"./program", "it's", "", "a=b"}};
  EXPECT_EQ(
      replay_command(options, schedule),
      "aisp check --order random --seed 7 --device h200,sms=1 -- ./program 'it'\\''s' '' a=b");
  options = {
      .targets = "ch10:matmul", .suppressions = "my file", .uninitialised = true, .advice = true};
  EXPECT_EQ(replay_command(options, {}),
            "aisp check --order earliest --uninitialised --advice --suppressions 'my file' "
            "--targets ch10:matmul");
}

TEST(TextReport, ShowsBothPlacesReasonsAndTheReplay) {
  const TemporaryFolder folder;
  std::string source;
  for (int line = 1; line < 110; ++line) source += "\n";
  write_text(folder.path() / "sum.cu", source + "    partial[lane] = value;\n");
  Hazard hazard = seen_with(sample_hazard(), {.order = ScheduleOrder::random, .seed = 7});
  hazard.places[0].file = (folder.path() / "sum.cu").string();
  hazard.places[1].file = "";
  hazard.replay.seed = 2;
  auto report = report_of(one_run({hazard}));
  report.folder = folder.path();
  EXPECT_EQ(text_report(report, false),
            "error[shared-race] sum: write of 4 bytes and read of 4 bytes are not ordered\n"
            "  --> sum.cu:110\n"
            "      | partial[lane] = value;\n"
            "      write of 4 bytes; block (1,0,0), warp 0, lane 5; shared offset 128\n"
            "      PTX line 10: st.shared.f32 [%r10], %f1;\n"
            "  --> PTX line 20\n"
            "      read of 4 bytes; block (1,0,0), warp 2, lane 5; shared offset 128\n"
            "      st.shared.f32 [%r20], %f1;\n"
            "  why: no barrier between them\n"
            "  fix: __syncthreads() between them\n"
            "  seen 3 times, first with --order random --seed 7\n"
            "  replay: aisp check --order random --seed 2 -- ./program 'it'\\''s' 2\n"
            "\n"
            "'aisp check --explain shared-race' explains a rule, with an example\n"
            "1 finding in 1 run\n");
  EXPECT_EQ(text_report(report, true).find("\033[1;31merror[shared-race]\033[0m"), 0u);
}

TEST(TextReport, ShowsTheGraphOfADeadlockAndCallsOfTheHost) {
  Hazard hazard{.rule = "deadlock",
                .message = "2 warps wait",
                .places = {{.what = "cudaMemcpyAsync", .on_device = false}},
                .graph = {"warp 0 waits for warp 1", "warp 1 waits for warp 0"}};
  const auto text = text_report(report_of(one_run({hazard})), false);
  EXPECT_TRUE(
      text.starts_with("error[deadlock] host: 2 warps wait\n  --> cudaMemcpyAsync\n"
                       "      host\n  : warp 0 waits for warp 1\n"
                       "  : warp 1 waits for warp 0\n  seen 1 time, "))
      << text;
}

TEST(TextReport, CountsWhatItDoesNotShow) {
  std::vector<Hazard> many;
  for (int i = 0; i < 5; ++i) many.push_back(sample_hazard("shared-race", i + 1, 50));
  const auto text = text_report(report_of(one_run(many), {.max = 2}), false);
  EXPECT_NE(text.find("\n3 more not shown; --max 5 shows all\n"), std::string::npos) << text;
  EXPECT_TRUE(text.ends_with("\n5 findings in 1 run\n")) << text;
}

TEST(TextReport, SaysHowAProgramEndedAndUnderWhichSchedule) {
  Exploration exploration{
      .runs = {{}, {.schedule = {.order = ScheduleOrder::random, .seed = 5}, .exit = 3}},
      .tried = 2};
  exploration.runs[1].replay = {.order = ScheduleOrder::random, .seed = 1};
  const auto text = text_report(report_of(exploration), false);
  EXPECT_EQ(text,
            "error: the program ended with exit code 3 under --order random --seed 5\n"
            "  replay: aisp check --order random --seed 1 -- ./program 'it'\\''s' 2\n\n"
            "nothing found in 2 runs, 1 of which ended badly; 2 more runs to find a simpler "
            "schedule\n");
  EXPECT_EQ(end_of({.signal = 11}, 1), "SIGSEGV (Segmentation fault)");
  EXPECT_EQ(end_of({.timed_out = true}, 0.5), "no end within 0.5 s");
}

TEST(TextReport, NamesUnusedSuppressionsAndNothingElse) {
  const auto report = report_of(one_run({}), {}, "misuse *  # gone\n");
  EXPECT_EQ(text_report(report, false),
            "unused suppression: accepted.txt:1: misuse *\nnothing found in 1 run\n");
}

TEST(JsonReport, HoldsRunsFindingsAndSummary) {
  Exploration exploration =
      one_run({seen_with(sample_hazard(), {.order = ScheduleOrder::random, .seed = 7}),
               sample_hazard("deadlock", 3, 4)},
              {.schedule = {.order = ScheduleOrder::random, .seed = 7}, .exit = 1});
  const auto json =
      nlohmann::json::parse(json_report(report_of(exploration, {}, "deadlock *  # known\n")));
  EXPECT_EQ(json.at("version"), 1);
  EXPECT_EQ(json.at("command"), (std::vector<std::string>{"./program", "it's", "2"}));
  ASSERT_EQ(json.at("runs").size(), 1u);
  EXPECT_EQ(json["runs"][0].at("order"), "random");
  EXPECT_EQ(json["runs"][0].at("seed"), 7);
  EXPECT_EQ(json["runs"][0].at("exit"), 1);
  ASSERT_EQ(json.at("findings").size(), 1u);
  const auto& finding = json["findings"][0];
  EXPECT_EQ(finding.at("rule"), "shared-race");
  EXPECT_EQ(finding.at("severity"), "error");
  EXPECT_EQ(finding.at("count"), 3);
  EXPECT_EQ(finding.at("places").size(), 2u);
  EXPECT_EQ(finding["places"][1].at("line"), 120);
  EXPECT_EQ(finding.at("seen").at("seed"), 7);
  EXPECT_EQ(finding.at("replay"),
            "aisp check --order random --seed 7 --suppressions accepted.txt "
            "-- ./program 'it'\\''s' 2");
  ASSERT_EQ(json.at("suppressed").size(), 1u);
  EXPECT_EQ(json["suppressed"][0].at("reason"), "known");
  EXPECT_EQ(json.at("summary").at("exit"), 3);
  EXPECT_EQ(json["summary"].at("errors"), 1);
  EXPECT_EQ(json["summary"].at("suppressed"), 1);
}

TEST(ShownPath, IsRelativeBelowTheFolderOnly) {
  EXPECT_EQ(shown_path("/src/a/b.cu", "/src"), "a/b.cu");
  EXPECT_EQ(shown_path("/srcs/b.cu", "/src"), "/srcs/b.cu");
  EXPECT_EQ(shown_path("/src/../x/b.cu", "/src"), "/x/b.cu");
  EXPECT_EQ(shown_path("./b.cu", "/src"), "b.cu");
}

}  // namespace
}  // namespace aisp::lab
