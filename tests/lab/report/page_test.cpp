// The page's document and the server, without a browser; tests/system/report has one.
#include "lab/report/page/page.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <nlohmann/json.hpp>

#include "lab/report/page/document.hpp"
#include "lab/report/page/parts.hpp"
#include "lab/report/page/server.hpp"
#include "tests/lab/record/sample_records.hpp"
#include "tests/support/files.hpp"

namespace aisp::lab {
namespace {

using nlohmann::json;
using testing::HasSubstr;

TEST(ReportPage, NoNameCanEndTheElementItIsIn) {
  const std::string page = report_page(json{{"title", "</script><script>alert(1)</script><!--"}});
  EXPECT_THAT(page, HasSubstr("\\u003c/script>\\u003cscript>alert(1)"));
  EXPECT_EQ(page.find("alert(1)</script>"), std::string::npos);
  EXPECT_EQ(page.find("{{"), page.rfind("{{data}}")) << "every place is filled";
  EXPECT_LT(page.size(), 1'500'000U);
}

TEST(ReportPage, HoldsEverySample) {
  PageInput input;
  input.runs.push_back({small_run("a", 4, 1, 0.1, 8), "runs/a"});
  const json document = page_document(input);
  ASSERT_EQ(document["rows"].size(), 2U);
  for (const auto& row : document["rows"]) EXPECT_EQ(row["samples"].size(), 8U);
  EXPECT_FALSE(document.contains("compare"));
}

TEST(ReportPage, ComparesTwoRunsButNotACountedWithAMeasured) {
  PageInput input;
  input.runs.push_back({small_run("a", 4, 1, 0.01), "a"});
  input.runs.push_back({small_run("b", 4, 2, 0.01), "b"});
  json part = page_document(input)["compare"];
  ASSERT_EQ(part["rows"].size(), 2U);
  EXPECT_EQ(part["rows"][1]["verdict"], "slower");
  input.runs[1].run.device->simulated = true;
  part = page_document(input)["compare"];
  EXPECT_THAT(part["note"].get<std::string>(), HasSubstr("was simulated"));
  EXPECT_FALSE(part.contains("rows"));
}

HistoryRow past(const std::string& run, double ms, const std::string& l2 = "cold") {
  return {.run = run,
          .started = "2026-01-01T00:00:00Z",
          .hardware = "h200",
          .target = "ch09:x",
          .entry = "ch09:x/1",
          .rung = "r",
          .status = RowStatus::measured,
          .samples = 5,
          .median_ms = ms,
          .timer = "events",
          .l2 = l2};
}

TEST(ReportPage, MarksARegressionAgainstTheRunBeforeIt) {
  const json lines = page::history_part(
      {past("d", 1.0), past("c", 1.2), past("x", 9, "hot"), past("b", 1.04), past("a", 1)}, "");
  ASSERT_EQ(lines.size(), 2U) << "another L2 mode is another line";
  const json& points = lines[0]["points"];
  ASSERT_EQ(points.size(), 4U);
  EXPECT_FALSE(points[1].contains("regression")) << "4 % are none";
  EXPECT_NEAR(points[2]["regression"].get<double>(), 0.1538, 1e-3);
  EXPECT_FALSE(points[3].contains("regression"));
}

TEST(ReportPage, ATraceThatIsNoneIsAProblem) {
  RunFile run = small_run("a");
  run.traces.push_back({run.rows[0].entry, run.rows[0].rung, 1, false, "traces/none.json", {}, ""});
  const json part =
      page::trace_part({run, "/nowhere"}, {{{run.rows[0].entry, run.rows[0].rung}, 0}});
  ASSERT_EQ(part.size(), 1U);
  EXPECT_THAT(part[0]["problem"].get<std::string>(), HasSubstr("/nowhere/traces/none.json"));
}

// What a run file names is read below the run's folder and nowhere else.
TEST(ReportPage, ATraceOutsideOfTheRunIsNotRead) {
  const TemporaryFolder files;
  const auto run_folder = files.path() / "run";
  std::filesystem::create_directories(run_folder / "traces");
  const std::string trace = R"({"traceEvents": [{"ph": "X", "name": "secret", "pid": 2}]})";
  write_text(files.path() / "secret.json", trace);
  write_text(run_folder / "traces" / "own.json", trace);
  std::filesystem::create_symlink(files.path() / "secret.json",
                                  run_folder / "traces" / "link.json");
  std::filesystem::create_directory_symlink(files.path(), run_folder / "out");
  ASSERT_EQ(mkfifo((run_folder / "traces" / "fifo.json").c_str(), 0600), 0);
  const auto problem_of = [&](const std::string& name) {
    RunFile run = small_run("a");
    run.traces.push_back({run.rows[0].entry, run.rows[0].rung, 1, false, name, {}, ""});
    const json part =
        page::trace_part({run, run_folder}, {{{run.rows[0].entry, run.rows[0].rung}, 0}});
    const bool read = part.dump().find("secret\",") != std::string::npos;
    EXPECT_EQ(read, part[0]["problem"] == "") << part.dump();
    return part[0]["problem"].get<std::string>();
  };
  EXPECT_EQ(problem_of("traces/own.json"), "");
  const std::string absolute = (files.path() / "secret.json").string();
  EXPECT_THAT(problem_of(absolute), HasSubstr("it is not below " + run_folder.string()));
  EXPECT_THAT(problem_of("../secret.json"), HasSubstr("it is not below"));
  EXPECT_THAT(problem_of("traces/../../secret.json"), HasSubstr("it is not below"));
  EXPECT_THAT(problem_of("traces/link.json"), HasSubstr("it is a symbolic link"));
  EXPECT_THAT(problem_of("out/secret.json"), HasSubstr("it is a symbolic link"));
  EXPECT_THAT(problem_of("traces/fifo.json"), HasSubstr("it is a FIFO"));
  EXPECT_THAT(problem_of("traces"), HasSubstr("Is a directory"));
}

TEST(PageServer, AnswersForOnePageUnderOneName) {
  const PageServer server("the page");
  const std::string host = server.address().substr(7, server.address().size() - 8);
  const auto ask = [&](const std::string& line, const std::string& name) {
    const auto answer = server.answer(line + "\r\nHost: " + name + "\r\n\r\n");
    return answer.head + std::string(answer.body);
  };
  EXPECT_THAT(ask("GET / HTTP/1.1", host), testing::EndsWith("\r\n\r\nthe page"));
  EXPECT_THAT(ask("HEAD / HTTP/1.1", host), testing::EndsWith("\r\n\r\n"));
  EXPECT_THAT(ask("GET /.. HTTP/1.1", host), HasSubstr("404"));
  EXPECT_THAT(ask("POST / HTTP/1.1", host), HasSubstr("405"));
  EXPECT_THAT(ask("GET / HTTP/1.1", "evil.example"), HasSubstr("421"));
  EXPECT_THAT(server.answer("rubbish").head, HasSubstr("400"));
}

}  // namespace
}  // namespace aisp::lab
