#include "lab/cli/run_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <set>

#include "lab/case/catalog.hpp"
#include "lab/case/registry.hpp"
#include "lab/cli/expectation_places.hpp"
#include "lab/expect/expectations.hpp"
#include "lab/report/ci/ci.hpp"
#include "lab/report/overlap.hpp"
#include "lab/report/profile.hpp"
#include "lab/report/results.hpp"
#include "lab/report/skipped.hpp"

namespace aisp::lab {
namespace {

std::set<std::string> chapters_of(const RunFile& run) {
  std::set<std::string> chapters;
  for (const auto& entry : run.header.plan) {
    const std::string chapter = entry.target.substr(0, entry.target.find(':'));
    if (chapter != roof_chapter) chapters.insert(chapter);
  }
  return chapters;
}

std::string update(const std::filesystem::path& path, std::optional<Expectations> known,
                   const std::string& chapter, const RunFile& run, bool accept) {
  Expectations expectations = known.value_or(Expectations{});
  expectations.hardware = run.device->hardware;
  expectations.chapter = chapter;
  const ExpectationUpdate changes = update_expectations(expectations, run, accept);
  std::string lines;
  std::size_t refused = 0;
  for (const auto& finding : changes.kept) {
    lines += "kept: " + finding.line + "\n";
    refused += finding.kind == Finding::regression && finding.measured_ms > 0;
  }
  for (const auto& line : changes.worsened) lines += "written: worse, " + line + "\n";
  if (refused > 0)
    lines += fmt::format(
        "{} worse {} not written; --accept-regressions writes {} where the change is meant\n",
        refused, refused == 1 ? "row was" : "rows were", refused == 1 ? "it" : "them");
  if (changes.written.empty()) return lines;
  save_expectations(path, expectations);
  return lines + fmt::format("{} times {}written to {}\n", changes.written.size(),
                             run.device->simulated ? "with their counts " : "", path.string());
}

// Rows that were compared and not judged.
std::string host_note(int host_bound) {
  if (host_bound == 0) return "";
  return fmt::format(
      "{} of the times {} not judged: bound by the host, whose speed they show; "
      "`aisp expectations check RUN` lists them\n",
      host_bound, host_bound == 1 ? "is" : "are");
}

// What a row's time is where it is not the time of a run. Simulated rows have no times.
std::string timed_notes(const RunFile& run) {
  if (is_simulated(run)) return "";
  std::set<std::string> planned;
  for (const auto& entry : run.header.plan) planned.insert(entry.target);
  std::string lines;
  for (const auto& target : all_targets())
    if (!target.timed.empty() && planned.contains(target.id()))
      lines += fmt::format("{}: its times are the {}\n", target.id(), target.timed);
  return lines;
}

// Of a run that checked numbers and nothing else, the columns that have a value.
Table without_empty_columns(const Table& table) {
  Table kept;
  kept.rows.resize(table.rows.size());
  for (std::size_t column = 0; column < table.columns.size(); ++column) {
    const auto has_value = [&](const auto& row) { return !row[column].empty(); };
    if (std::none_of(table.rows.begin(), table.rows.end(), has_value)) continue;
    kept.columns.push_back(table.columns[column]);
    for (std::size_t row = 0; row < table.rows.size(); ++row)
      kept.rows[row].push_back(table.rows[row][column]);
  }
  return kept;
}

// Programs read CSV by its columns, which are always all of them.
Table table_of_results(const RunFile& run, Format format) {
  const Table table = results_table(run);
  const bool is_read_by_people = format == Format::table || format == Format::markdown;
  return run.header.validate && is_read_by_people ? without_empty_columns(table) : table;
}

std::string note_of_simulation(const RunFile& run) {
  if (!run.header.validate || !is_simulated(run)) return simulation_note(run);
  return fmt::format("simulated: {}, {} SMs; numbers were checked, nothing was counted or timed\n",
                     run.device->name, run.device->multiprocessors);
}

// A finished run that goes on has nothing left to do but its tables.
std::string command_that_lists(const CommandLine& line, const RunFile& run) {
  const std::string folder =
      line.run.resume.empty() ? (line.run.out / run.header.id).string() : line.run.resume;
  return "aisp bench run --verbose --resume " + folder;
}

}  // namespace

std::set<std::string> suspects_of(const RunFile& run) {
  std::set<std::string> suspects;
  if (!run.device || run.device->simulated || run.header.validate) return suspects;
  for (const auto& chapter : chapters_of(run)) {
    const auto path = expectations_path(expectations_folder(chapter), run.device->hardware);
    if (const auto known = load_expectations(path))
      for (const auto& finding : check_expectations(*known, run))
        if (finding.slower) suspects.insert(finding.entry);
  }
  return suspects;
}

ExpectationOutcome settle_expectations(const CommandLine& line, const RunFile& run) {
  ExpectationOutcome outcome;
  if (!run.device || run.header.validate) return outcome;
  int compared = 0, other_conditions = 0, host_bound = 0, uncounted = 0;
  for (const auto& chapter : chapters_of(run)) {
    const auto path = expectations_path(expectations_folder(chapter), run.device->hardware);
    const auto known = load_expectations(path);
    const std::string updated =
        line.update_expectations ? update(path, known, chapter, run, line.accept_regressions) : "";
    if (known) {
      for (const auto& finding : check_expectations(*known, run)) {
        if (finding.kind == Finding::regression) {
          outcome.regression = true;
          outcome.regressions.push_back(finding);
        }
        compared += finding.is_judged();
        host_bound += finding.kind == Finding::host_bound;
        uncounted += run.device->simulated && finding.is_judged() &&
                     known->find(finding.entry, finding.rung)->counts.empty();
        other_conditions += finding.kind == Finding::other_conditions;
        const bool is_change =
            finding.kind == Finding::regression || finding.kind == Finding::improvement;
        if (is_change && updated.find(finding.line) == std::string::npos)
          outcome.lines += finding.line + "\n";
      }
    }
    outcome.lines += updated;
  }
  if (other_conditions > 0)
    outcome.lines += fmt::format(
        "{} compared with expectations: {} were taken with another {}\n",
        compared == 0 ? std::string("nothing was") : fmt::format("{} times were", compared),
        other_conditions,
        run.device->simulated ? "--timer, --l2 or --seed, or on another simulated device"
                              : "--timer or --l2");
  outcome.lines += host_note(host_bound);
  if (uncounted > 0 && !line.update_expectations)
    outcome.lines += fmt::format(
        "{} expected times have no counts, so none was judged; --update-expectations adds them\n",
        uncounted);
  if (line.accept_regressions) {
    outcome.regression = false;
    outcome.regressions.clear();
  }
  return outcome;
}

void print_run(const CommandLine& line, const RunFile& run, const std::string& notes,
               const std::vector<Finding>& regressions) {
  const Format format = line.format;
  const bool counted = !line.verbose && has_many_skipped(run);
  const RunFile shown = counted ? without_skipped(run) : run;
  if (format == Format::json) {
    std::printf("%s\n", run_document(run).dump(2).c_str());
  } else if (format == Format::junit) {
    std::fputs(junit_report(run, regressions).c_str(), stdout);
  } else if (format == Format::github) {
    std::fputs(github_report(run, regressions).c_str(), stdout);
  } else {
    const RunFile& listed = format == Format::table ? shown : run;
    std::fputs(render(table_of_results(listed, format), format).c_str(), stdout);
    if (line.summaries) std::printf("\n%s", render(summaries_table(run), format).c_str());
    const Table figures = figures_table(run);
    if (!figures.rows.empty()) std::printf("\n%s", render(figures, format).c_str());
    const Table kernels = kernels_table(run);
    if (!kernels.rows.empty()) std::printf("\n%s", render(kernels, format).c_str());
    const Table counters = counters_table(run);
    if (!counters.rows.empty()) std::printf("\n%s", render(counters, format).c_str());
    const Table overlaps = overlap_table(run);
    if (!overlaps.rows.empty()) std::printf("\n%s", render(overlaps, format).c_str());
  }
  std::FILE* where = format == Format::table ? stdout : stderr;
  std::fputs(note_of_simulation(run).c_str(), where);
  std::fputs(timed_notes(run).c_str(), where);
  std::fputs(reasons(shown).c_str(), where);
  if (counted) std::fputs(skipped_counts(run, command_that_lists(line, run)).c_str(), where);
  std::fputs(profile_notes(run).c_str(), where);
  std::fputs(notes.c_str(), where);
  std::fflush(stdout);
}

}  // namespace aisp::lab
