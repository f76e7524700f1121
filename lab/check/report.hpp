// The outcome of `aisp check` and the ways to write it down.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "lab/check/explore.hpp"
#include "lab/check/options.hpp"
#include "lab/check/suppressions.hpp"

namespace aisp::lab {

struct Suppressed {
  Hazard hazard;
  std::string reason;
};

struct CheckReport {
  CheckOptions options;
  std::vector<CheckRun> runs;
  std::vector<Hazard>
      hazards;  // by level, errors first; else in the order in which they were found; roots
  std::vector<Suppressed> suppressed;
  std::vector<std::string> unused;  // suppressions, as "file:line: rule kernel"
  int tried = 0;                    // further runs, in search of a simpler schedule
  bool interrupted = false;
  std::filesystem::path folder;  // where it ran: paths below it are shown relative to it

  int of_level(base::HazardLevel level) const;
  int errors() const { return of_level(base::HazardLevel::error); }
  std::size_t consequences() const;  // of all of them
};

CheckReport make_report(const CheckOptions& options, Exploration exploration,
                        const std::vector<Suppression>& suppressions,
                        const std::filesystem::path& folder);

// 0, 3 or 130, see docs/cli.md.
int exit_of(const CheckReport& report);

// "aisp check --order random --seed 7 -- ./program 1"
std::string replay_command(const CheckOptions& options, const Schedule& schedule);

// "exit code 3", "SIGSEGV (Segmentation fault)", "no end within 600 s"
std::string end_of(const CheckRun& run, double timeout);

// A path below the folder without it; any other as it is.
std::string shown_path(const std::filesystem::path& path, const std::filesystem::path& folder);

// The last line: what was found, in how many runs.
std::string summary_line(const CheckReport& report);

std::string text_report(const CheckReport& report, bool colour);
std::string json_report(const CheckReport& report);
std::string sarif_report(const CheckReport& report);  // 2.1.0, what code hosts read

}  // namespace aisp::lab
