#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <set>

#include "base/refuse.hpp"
#include "base/text.hpp"
#include "lab/cli/commands.hpp"
#include "lab/cli/expectation_places.hpp"
#include "lab/cli/progress.hpp"
#include "lab/cli/run_report.hpp"
#include "lab/cli/self_check.hpp"
#include "lab/device/simulator.hpp"
#include "lab/expect/expectations.hpp"
#include "lab/report/overlap.hpp"
#include "lab/report/results.hpp"
#include "lab/run/plan/plan.hpp"
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

// An expectation names the commit that it came from; changes on top of that nobody could find
// again.
void refuse_uncommitted(const RunHeader& header) {
  if (!header.commit.ends_with('+') || on_simulator()) return;
  for (const auto& entry : header.plan) {
    const std::string chapter = entry.target.substr(0, entry.target.find(':'));
    const auto& modules = header.modules;
    const bool own = std::none_of(modules.begin(), modules.end(),
                                  [&](const Module& module) { return module.name == chapter; });
    if (own && needs_cuda(entry))
      base::refuse(
          base::Exit::usage, "--update-expectations: this program was built from ", header.commit,
          ", a tree with uncommitted changes; commit them, build again and ", "measure that");
  }
}

std::string last_line(const CommandLine& asked, const Session& session, bool finished, int exit) {
  std::string line = fmt::format("{}: {}; {}", ending_of(static_cast<base::Exit>(exit)),
                                 tally(session.result()), session.folder().string());
  if (!finished)
    line += fmt::format("; go on with: aisp bench run --resume {}{}{}", session.folder().string(),
                        asked.update_expectations ? " --update-expectations" : "",
                        asked.accept_regressions ? " --accept-regressions" : "");
  return line;
}

}  // namespace

int bench_run(const CommandLine& line) {
  CommandLine asked = line;
  if (asked.run.self_check && asked.run.targets == "all") asked.run.targets = "ch09:memory_bound";
  Progress progress(stderr_is_terminal());
  Session session(asked.run, asked.as_typed, progress);
  refuse_bad_expectations(session.result().header, asked.update_expectations);
  if (asked.update_expectations) refuse_uncommitted(session.result().header);
  bool finished = session.run();
  if (const auto suspects = finished ? suspects_of(session.result()) : std::set<std::string>();
      !suspects.empty()) {
    progress.warn(
        fmt::format("{} of {} sizes have a rung that is slower than expected: measuring "
                    "{} again",
                    suspects.size(), session.result().header.plan.size(),
                    suspects.size() == 1 ? "it" : "them"));
    finished = session.measure_again(suspects);
  }

  if (asked.run.self_check && finished) return report_self_check(session);
  ExpectationOutcome expectations;
  if (finished) expectations = settle_expectations(asked, session.result());
  int exit = finished ? exit_of_rows(session.result()) : static_cast<int>(base::Exit::interrupted);
  if (exit == 0 && expectations.regression) exit = static_cast<int>(base::Exit::regression);
  exit = session.finish(exit, last_line(asked, session, finished, exit));
  print_run(asked, session.result(),
            expectations.lines + trace_notes(session.result(), session.folder(), asked.verbose),
            expectations.regressions);
  // Last on standard output for people, out of the way of programs that read the table.
  std::fprintf(line.format == Format::table ? stdout : stderr, "%s\n",
               last_line(asked, session, finished, exit).c_str());
  return exit;
}

}  // namespace aisp::lab
