// A run for a machine that judges changes: JUnit's XML, GitHub's workflow commands, and a summary
// that a pull request shows. What is wrong, failed, refused or slower than expected is a failure.
#pragma once

#include <string>
#include <vector>

#include "lab/expect/expectations.hpp"
#include "lab/record/run_file.hpp"
#include "lab/report/comparison.hpp"

namespace aisp::lab {

// One suite per target, one case per size and rung; the time of a case is its median, and
// 0 in a simulated run, whose cases have the count that shows the idea.
std::string junit_report(const RunFile& run, const std::vector<Finding>& regressions);

// A line ::error for each failure, and one ::notice with the tally.
std::string github_report(const RunFile& run, const std::vector<Finding>& regressions);

// Markdown: the verdict of each run, what failed, what got slower, of two runs what changed, and of
// simulated ones the count that shows each rung's idea.
std::string markdown_summary(const std::vector<const RunFile*>& runs,
                             const std::vector<Finding>& regressions);

}  // namespace aisp::lab
