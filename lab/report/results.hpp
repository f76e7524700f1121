// A run as tables: one row per rung, the summaries of --summaries, the kernels of --profile, and
// the one line that a run ends with. Every column is explained in docs/cli.md.
#pragma once

#include <string>
#include <string_view>

#include "base/refuse.hpp"
#include "lab/record/run_file.hpp"
#include "lab/report/table.hpp"

namespace aisp::lab {

// junit and github are for a whole run (ci/ci.hpp), not for a table.
enum class Format { table, json, markdown, csv, junit, github };
constexpr auto names_of(Format) {
  return std::to_array<Name<Format>>({{Format::table, "table"},
                                      {Format::json, "json"},
                                      {Format::markdown, "markdown"},
                                      {Format::csv, "csv"},
                                      {Format::junit, "junit"},
                                      {Format::github, "github"}});
}

// Refuses (Exit::usage) any other word, and those for whole runs where there is none.
Format parse_format(const std::string& text, bool of_run = false);

std::string render(const Table& table, Format format);

// Of a simulated run what was counted in place of rates and speed-ups (counts.hpp).
Table results_table(const RunFile& run);
// The columns of a measured run's table, and the cells of a row; the report page shows the same.
// The table itself has one column more: the clocks.
std::vector<Column> result_columns();
std::vector<std::string> result_cells(const RunFile& run, const RowRecord& row);
// Operations, bytes, arithmetic intensity, the roof that applies and the share of it reached; of a
// simulated run the count that shows the idea in place of the roof.
Table summaries_table(const RunFile& run);
Table kernels_table(const RunFile& run);
// Numbers that rungs left beside their times; without rows where none did. A simulated run shows
// none that are times.
Table figures_table(const RunFile& run);

// One line for each row that is not simply a result: why it is wrong, failed, skipped or refused.
std::string reasons(const RunFile& run);

// "12 rows: 10 measured, 1 wrong, 1 skipped"
std::string tally(const RunFile& run);

// How a run ended, as the first word of its last line: "good", "wrong", "interrupted", …
std::string_view ending_of(base::Exit exit);

// The line under the tables of a simulated run, "" for any other.
std::string simulation_note(const RunFile& run);

}  // namespace aisp::lab
