#include <fmt/format.h>

#include <cstdio>

#include "base/refuse.hpp"
#include "base/text.hpp"
#include "lab/cli/commands.hpp"
#include "lab/cli/expectation_places.hpp"
#include "lab/cli/progress.hpp"
#include "lab/cli/run_report.hpp"
#include "lab/cli/self_check.hpp"
#include "lab/expect/expectations.hpp"
#include "lab/report/overlap.hpp"
#include "lab/report/results.hpp"
#include "lab/run/session.hpp"

namespace aisp::lab {
namespace {

// Bad files should be known before an hour of measuring, not after.
void refuse_bad_expectations(const RunHeader& header, bool update) {
  for (const auto& entry : header.plan) {
    const auto folder = expectations_folder(entry.target.substr(0, entry.target.find(':')));
    const bool there = std::filesystem::is_directory(folder);
    if (!there && update)
      base::refuse(base::Exit::environment, "--update-expectations has no folder ", folder.string(),
                   " to write to; run from the repository or set AISP_CHAPTERS");
    if (!there) continue;
    for (const auto& file : std::filesystem::directory_iterator(folder))
      if (file.path().filename().string().starts_with("expectations_"))
        load_expectations(file.path());
  }
}

std::string last_line(const Session& session, bool finished, int exit) {
  std::string line = fmt::format("{}: {}; {}", ending_of(static_cast<base::Exit>(exit)),
                                 tally(session.result()), session.folder().string());
  if (!finished)
    line += fmt::format("; go on with: aisp bench run --resume {}", session.folder().string());
  return line;
}

}  // namespace

int bench_run(const CommandLine& line) {
  CommandLine asked = line;
  if (asked.run.self_check && asked.run.targets == "all") asked.run.targets = "ch09:memory_bound";
  Progress progress(stderr_is_terminal());
  Session session(asked.run, asked.as_typed, progress);
  refuse_bad_expectations(session.result().header, asked.update_expectations);
  const bool finished = session.run();

  if (asked.run.self_check && finished) return report_self_check(session);
  ExpectationOutcome expectations;
  if (finished) expectations = settle_expectations(asked, session.result());
  int exit = finished ? exit_of_rows(session.result()) : static_cast<int>(base::Exit::interrupted);
  if (exit == 0 && expectations.regression) exit = static_cast<int>(base::Exit::regression);
  const std::string verdict = last_line(session, finished, exit);
  session.finish(exit, verdict);
  print_run(asked, session.result(),
            expectations.lines + trace_notes(session.result(), session.folder()));
  // Last on standard output for people, out of the way of programs that read the table.
  std::fprintf(line.format == Format::table ? stdout : stderr, "%s\n", verdict.c_str());
  return exit;
}

}  // namespace aisp::lab
