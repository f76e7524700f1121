// What a finished run says: tables in the chosen format, reasons, expectations, one last line.
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "lab/cli/command_line.hpp"
#include "lab/expect/expectations.hpp"
#include "lab/record/run_file.hpp"

namespace aisp::lab {

struct ExpectationOutcome {
  bool regression = false;
  std::string lines;  // one per regression, improvement and file written
  std::vector<Finding> regressions;
};

// Entries with a rung that is slower than expected: to be measured again before it is called a
// regression. None of a simulated run, whose times are the same again.
std::set<std::string> suspects_of(const RunFile& run);

// Compares the run with its chapters' expectation files and, where asked, updates them.
ExpectationOutcome settle_expectations(const CommandLine& line, const RunFile& run);

// Standard output: the table (or JSON) alone, so that it can be piped; notes go to standard error
// unless the format is a table.
void print_run(const CommandLine& line, const RunFile& run, const std::string& notes,
               const std::vector<Finding>& regressions);

}  // namespace aisp::lab
