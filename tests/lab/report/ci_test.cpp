// What a CI gets: escaped, counted, and failing where the run does.
#include "lab/report/ci/ci.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/lab/record/sample_records.hpp"

namespace aisp::lab {
namespace {

using testing::HasSubstr;
using testing::Not;

RunFile run_with_trouble() {
  RunFile run = small_run("a");
  run.rows[1].status = RowStatus::wrong;
  run.rows[1].reason = "3 wrong, <first> at \"(1, 3)\" & more\n100 %";
  return run;
}

Finding regression(const RowRecord& row) {
  Finding finding;
  finding.entry = row.entry;
  finding.rung = row.rung;
  finding.kind = Finding::regression;
  finding.line = "slower: 4 ms instead of 3 ms";
  return finding;
}

TEST(Junit, CountsAndEscapes) {
  const std::string text = junit_report(run_with_trouble(), {});
  EXPECT_THAT(text, HasSubstr("<testsuite name=\"ch09:memory_bound\" tests=\"2\" failures=\"1\" "
                              "errors=\"0\" skipped=\"0\""));
  EXPECT_THAT(text, HasSubstr("<failure type=\"wrong\" message=\"3 wrong, &lt;first&gt; at "
                              "&quot;(1, 3)&quot; &amp; more 100 %\"/>"));
  EXPECT_THAT(junit_report(small_run("a"), {}), HasSubstr("failures=\"0\""));
}

TEST(Junit, ARegressionIsAFailure) {
  const RunFile run = small_run("a");
  const std::string text = junit_report(run, {regression(run.rows[0])});
  EXPECT_THAT(text, HasSubstr("<failure type=\"regression\" message=\"slower: 4 ms instead of 3"));
}

TEST(Github, OneLineForEachFailure) {
  const std::string text = github_report(run_with_trouble(), {});
  EXPECT_THAT(text, HasSubstr("::error title=wrong ch09%3Amemory_bound/1024"));
  EXPECT_THAT(text, HasSubstr("& more%0A100 %25\n")) << "a line break begins no command";
  EXPECT_THAT(text, HasSubstr("::notice title=aisp::2 rows"));
  EXPECT_THAT(github_report(small_run("a"), {}), Not(HasSubstr("::error")));
}

TEST(MarkdownSummary, NamesFailuresAndChanges) {
  const RunFile before = small_run("a", 4.0, 1.0, 0.01), after = small_run("b", 4.0, 1.5, 0.01);
  const std::string text = markdown_summary({&before, &after}, {});
  EXPECT_THAT(text, HasSubstr("Nothing is wrong"));
  EXPECT_THAT(text, HasSubstr("| slower |"));
  EXPECT_THAT(text, HasSubstr("+50"));
  EXPECT_THAT(text, HasSubstr("nothing is slower than expected"));
  RunFile simulated = before;
  simulated.device->simulated = true;
  EXPECT_THAT(markdown_summary({&simulated}, {}), HasSubstr("nothing counts more than expected"));
  const RunFile bad = run_with_trouble();
  EXPECT_THAT(markdown_summary({&bad}, {}), HasSubstr("3 wrong, &lt;first"));
}

}  // namespace
}  // namespace aisp::lab
