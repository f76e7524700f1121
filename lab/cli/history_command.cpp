#include <fmt/format.h>

#include <cstdio>

#include "base/refuse.hpp"
#include "base/text.hpp"
#include "lab/case/registry.hpp"
#include "lab/cli/commands.hpp"
#include "lab/record/history.hpp"
#include "lab/record/import.hpp"
#include "lab/report/row_cells.hpp"
#include "lab/report/table.hpp"
#include "lab/run/session.hpp"

namespace aisp::lab {
namespace {

int import_runs(const CommandLine& line) {
  if (line.words.size() < 2)
    base::refuse(base::Exit::usage,
                 "aisp history import takes runs: folders, run.jsonl or run.json");
  std::error_code error;
  std::filesystem::create_directories(line.run.out, error);
  for (std::size_t i = 1; i < line.words.size(); ++i) {
    const Imported run = import_run(find_run(line.words[i], line.run.out), line.run.out);
    std::printf("%s: %s\n", run.folder.string().c_str(),
                run.known ? "was here already" : ("from " + line.words[i]).c_str());
  }
  return 0;
}

}  // namespace

int history_command(const CommandLine& line) {
  if (!line.words.empty() && line.words[0] == "import") return import_runs(line);
  if (line.words.size() > 1)
    base::refuse(base::Exit::usage, "aisp history takes one target, got ", line.words.size(),
                 "; see 'aisp history --help'");
  const auto file = line.run.out / history_name;
  if (!std::filesystem::exists(file))
    base::refuse(base::Exit::usage, "no history at ", file.string(),
                 " yet; 'aisp bench run' writes it, --out DIR looks elsewhere");
  std::optional<std::string> target;
  if (!line.words.empty()) {
    // Known names only: a typo must not look like a target without a history.
    const auto selected = select_targets(line.words[0]);
    target = selected.size() == 1 ? selected.front().target->id() : line.words[0];
  }
  Table table{.columns = {{"run"},
                          {"entry"},
                          {"rung"},
                          {"status"},
                          {"median", true},
                          {"speed-up", true},
                          {"% of roof", true},
                          {"hardware"},
                          {"commit"}},
              .rows = {}};
  for (const auto& row : History(file).rows(target, line.limit))
    table.rows.push_back(
        {row.run, row.entry, row.rung, status_word(row.status, row.simulated),
         row.samples > 0 ? base::duration(row.median_ms) : "",
         row.speedup > 0 && !row.simulated ? fmt::format("{:.3f}x", row.speedup) : "",
         row.roof_share ? fmt::format("{:.1f} %", 100 * *row.roof_share) : "", row.hardware,
         row.commit});
  std::fputs(as_text(table).c_str(), stdout);
  return 0;
}

}  // namespace aisp::lab
