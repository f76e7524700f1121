#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <map>

#include "base/refuse.hpp"
#include "base/text.hpp"
#include "lab/case/registry.hpp"
#include "lab/cli/commands.hpp"
#include "lab/record/history.hpp"
#include "lab/record/import.hpp"
#include "lab/report/counts.hpp"
#include "lab/report/row_cells.hpp"
#include "lab/report/table.hpp"
#include "lab/run/session.hpp"

namespace aisp::lab {
namespace {

int import_runs(const CommandLine& line) {
  if (line.words.size() < 2)
    base::refuse(base::Exit::usage, "history import takes runs: folders, run.jsonl or run.json");
  std::error_code error;
  std::filesystem::create_directories(line.run.out, error);
  for (std::size_t i = 1; i < line.words.size(); ++i) {
    const Imported run = import_run(find_run(line.words[i], line.run.out), line.run.out);
    std::printf("%s: %s\n", run.folder.string().c_str(),
                run.known ? "was here already" : ("from " + line.words[i]).c_str());
  }
  return 0;
}

// What simulated rows show in place of a time, from the runs' own files: the history has no counts.
class ShownIdeas {
 public:
  explicit ShownIdeas(std::filesystem::path out) : out_(std::move(out)) {}

  std::string of(const HistoryRow& row) {
    if (!row.simulated || row.status != RowStatus::measured) return "";
    const auto [found, is_new] = runs_.try_emplace(row.run);
    if (is_new) found->second = read(row.run);
    return found->second[{row.entry, row.rung}];
  }

 private:
  using Ideas = std::map<std::pair<std::string, std::string>, std::string>;  // by entry and rung

  // None of a run that was thrown away or damaged since: the history still has its rows.
  Ideas read(const std::string& id) const {
    Ideas ideas;
    if (!std::filesystem::exists(out_ / id)) return ideas;
    try {
      const RunFile run = read_run(out_ / id);
      for (const auto& row : latest_rows(run)) ideas[{row.entry, row.rung}] = shown_idea(run, row);
    } catch (const base::Refusal&) {
      ideas.clear();
    }
    return ideas;
  }

  std::filesystem::path out_;
  std::map<std::string, Ideas> runs_;
};

}  // namespace

int history_command(const CommandLine& line) {
  if (!line.words.empty() && line.words[0] == "import") return import_runs(line);
  if (line.words.size() > 1)
    base::refuse(base::Exit::usage, "history takes one target, got ", line.words.size(),
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
  const auto rows = History(file).rows(target, line.limit);
  const bool simulated =
      std::any_of(rows.begin(), rows.end(), [](const HistoryRow& row) { return row.simulated; });
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
  if (simulated) table.columns.push_back({"the idea"});
  ShownIdeas ideas(line.run.out);
  for (const auto& row : rows) {
    const bool timed = row.samples > 0 && !row.simulated;
    table.rows.push_back({row.run, row.entry, row.rung, status_word(row.status, row.simulated),
                          timed ? base::duration(row.median_ms) : "",
                          timed && row.speedup > 0 ? fmt::format("{:.3f}x", row.speedup) : "",
                          row.roof_share ? fmt::format("{:.1f} %", 100 * *row.roof_share) : "",
                          row.hardware, row.commit});
    if (simulated) table.rows.back().push_back(ideas.of(row));
  }
  std::fputs(as_text(table).c_str(), stdout);
  return 0;
}

}  // namespace aisp::lab
