#include "lab/report/ci/ci.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "lab/report/ci/failures.hpp"
#include "lab/report/count_changes.hpp"
#include "lab/report/counts.hpp"
#include "lab/report/results.hpp"
#include "lab/report/row_cells.hpp"

namespace aisp::lab {
namespace {

// XML 1.0 has no way to write most control letters at all.
std::string xml(const std::string& text) {
  std::string safe;
  for (const char letter : text) {
    if (letter == '&')
      safe += "&amp;";
    else if (letter == '<')
      safe += "&lt;";
    else if (letter == '>')
      safe += "&gt;";
    else if (letter == '"')
      safe += "&quot;";
    else if (letter == '\n' || letter == '\t')
      safe += ' ';
    else if (static_cast<unsigned char>(letter) >= 0x20)
      safe += letter;
    else
      safe += '?';
  }
  return safe;
}

// A line break would begin a command of its own; in a property so would a comma or a colon.
std::string github(const std::string& text, bool property) {
  std::string safe;
  for (const char letter : text) {
    if (letter == '%' || letter == '\r' || letter == '\n' ||
        (property && (letter == ':' || letter == ',')))
      safe += fmt::format("%{:02X}", static_cast<unsigned char>(letter));
    else
      safe += letter;
  }
  return safe;
}

// A cell of a Markdown table, in which names are no markup.
std::string cell(const std::string& text) {
  std::string safe;
  for (const char letter : text) {
    if (letter == '\n' || letter == '\r')
      safe += ' ';
    else if (letter == '<')
      safe += "&lt;";
    else if (letter == '&')
      safe += "&amp;";
    else if (std::string_view("|*_`[]\\~@#").find(letter) != std::string_view::npos)
      safe += std::string("\\") + letter;
    else
      safe += letter;
  }
  return safe;
}

std::string target_of(const RunFile& run, const std::string& entry) {
  const EntryPlan* plan = plan_of(run, entry);
  return plan != nullptr ? plan->target : entry.substr(0, entry.find('/'));
}

std::string suite(const RunFile& run, const std::string& target, const std::vector<RowRecord>& rows,
                  const Failures& failures) {
  const bool simulated = is_simulated(run);
  std::string cases;
  int failed = 0, skipped = 0;
  double seconds = 0;
  for (const auto& row : rows) {
    const double time = row.samples > 0 && !simulated ? row.median_ms * 1e-3 : 0;
    seconds += time;
    cases += fmt::format("    <testcase classname=\"{}\" name=\"{}\" time=\"{:.9f}\"", xml(target),
                         xml(size_of(row.entry) + " " + row.rung), time);
    const std::string why = failures.of(row);
    if (!why.empty()) {
      ++failed;
      cases += fmt::format(">\n      <failure type=\"{}\" message=\"{}\"/>\n    </testcase>\n",
                           failures.kind_of(row), xml(why));
    } else if (row.status == RowStatus::skipped) {
      ++skipped;
      cases +=
          fmt::format(">\n      <skipped message=\"{}\"/>\n    </testcase>\n", xml(row.reason));
    } else {
      const std::string idea = shown_idea(run, row);
      cases += simulated ? fmt::format("><system-out>simulated{}</system-out></testcase>\n",
                                       idea.empty() ? "" : ": " + xml(idea))
                         : "/>\n";
    }
  }
  return fmt::format(
      "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"0\" skipped=\"{}\" "
      "time=\"{:.9f}\" timestamp=\"{}\">\n{}  </testsuite>\n",
      xml(target), rows.size(), failed, skipped, seconds, xml(run.header.started), cases);
}

constexpr std::size_t most_changes = 20;

// Counts that grew first; of what was simulated no times are compared.
std::string counted_changes(const RunFile& a, const RunFile& b) {
  CountComparison compared = compare_counted(a, b);
  std::erase_if(compared.changes, [](const ChangedCount& change) {
    return change.verdict() != "worse" && change.verdict() != "better";
  });
  auto& changes = compared.changes;
  if (changes.empty()) return "\nNo rung counts more or less than before.\n";
  std::stable_partition(changes.begin(), changes.end(),
                        [](const ChangedCount& change) { return change.is_worse(); });
  std::string text =
      "\n| entry | rung | count | before | after | change | verdict |\n"
      "|---|---|---|--:|--:|--:|---|\n";
  for (std::size_t i = 0; i < std::min(most_changes, changes.size()); ++i)
    text += fmt::format(
        "| {} | {} | {} | {} | {} | {} | {} |\n", cell(changes[i].entry), cell(changes[i].rung),
        name_of(changes[i].count), text_of(changes[i].count, changes[i].a),
        text_of(changes[i].count, changes[i].b), change_text(changes[i]), changes[i].verdict());
  if (changes.size() > most_changes)
    text += fmt::format("\n{} more changed.\n", changes.size() - most_changes);
  return text;
}

// Where the rungs of a simulated run show the idea of their target.
std::string ideas(const RunFile& run) {
  std::string rows;
  for (const auto& row : latest_rows(run))
    if (const std::string idea = shown_idea(run, row); !idea.empty())
      rows += fmt::format("| {} | {} | {} |\n", cell(row.entry),
                          cell(row.rung + (row.peer ? " (peer)" : "")), cell(idea));
  if (rows.empty()) return "";
  return fmt::format(
      "\n<details><summary>What the rungs of {} count</summary>\n\n"
      "| entry | rung | the idea |\n|---|---|---|\n{}\n</details>\n",
      cell(run.header.id), rows);
}

// Largest change first, those that are none left out.
std::string changes(const RunFile& a, const RunFile& b) {
  if (const std::string why = why_not_compared(a, b); !why.empty()) return "\n" + cell(why) + "\n";
  if (is_simulated(a)) return counted_changes(a, b);
  std::vector<ComparedRow> rows = compare_runs(a, b);
  std::erase_if(rows, [](const ComparedRow& row) {
    return row.result.verdict != Verdict::faster && row.result.verdict != Verdict::slower;
  });
  std::stable_sort(rows.begin(), rows.end(), [](const ComparedRow& x, const ComparedRow& y) {
    return std::abs(std::log(x.result.ratio)) > std::abs(std::log(y.result.ratio));
  });
  if (rows.empty()) return "\nNo rung is faster or slower by 3 % or more.\n";
  std::string text = fmt::format(
      "\n| entry | rung | before | after | change | verdict |\n|---|---|--:|--:|--:|---|\n");
  for (std::size_t i = 0; i < std::min(most_changes, rows.size()); ++i)
    text +=
        fmt::format("| {} | {} | {} | {} | {:+.1f} % | {} |\n", cell(rows[i].entry),
                    cell(rows[i].rung), base::duration(rows[i].a_ms), base::duration(rows[i].b_ms),
                    100 * (1 / rows[i].result.ratio - 1), name_of(rows[i].result.verdict));
  if (rows.size() > most_changes)
    text += fmt::format("\n{} more changed.\n", rows.size() - most_changes);
  return text;
}

}  // namespace

Failures::Failures(const std::vector<Finding>& regressions) {
  for (const auto& finding : regressions)
    if (finding.kind == Finding::regression)
      regressions_[{finding.entry, finding.rung}] = finding.line;
}

std::string Failures::of(const RowRecord& row) const {
  if (is_bad(row.status)) return row.reason.empty() ? std::string(name_of(row.status)) : row.reason;
  const auto found = regressions_.find({row.entry, row.rung});
  return found != regressions_.end() ? found->second : "";
}

std::string Failures::kind_of(const RowRecord& row) const {
  return is_bad(row.status) ? std::string(name_of(row.status)) : "regression";
}

std::string junit_report(const RunFile& run, const std::vector<Finding>& regressions) {
  const Failures failures(regressions);
  std::vector<std::string> order;
  std::map<std::string, std::vector<RowRecord>> suites;
  for (const auto& row : latest_rows(run)) {
    const std::string target = target_of(run, row.entry);
    if (!suites.contains(target)) order.push_back(target);
    suites[target].push_back(row);
  }
  std::string text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"aisp\">\n";
  for (const auto& target : order) text += suite(run, target, suites[target], failures);
  return text + "</testsuites>\n";
}

std::string github_report(const RunFile& run, const std::vector<Finding>& regressions) {
  const Failures failures(regressions);
  std::string text;
  for (const auto& row : latest_rows(run))
    if (const std::string why = failures.of(row); !why.empty())
      text += fmt::format("::error title={}::{}\n",
                          github(failures.kind_of(row) + " " + row.entry + " " + row.rung, true),
                          github(why, false));
  return text + fmt::format("::notice title=aisp::{}{}\n", is_simulated(run) ? "simulated, " : "",
                            github(tally(run), false));
}

std::string markdown_summary(const std::vector<const RunFile*>& runs,
                             const std::vector<Finding>& regressions) {
  const Failures failures(regressions);
  std::string text = "### aisp\n\n";
  for (const RunFile* run : runs)
    text += fmt::format(
        "- `{}` on {}{}: {}\n", run->header.id, cell(run->device ? run->device->name : "no device"),
        is_simulated(*run) ? " (**simulated**: nothing was timed)" : "", cell(tally(*run)));
  std::string failed;
  for (const RunFile* run : runs)
    for (const auto& row : latest_rows(*run))
      if (const std::string why = failures.of(row); !why.empty())
        failed += fmt::format("| {} | {} | {} | {} |\n", cell(row.entry), cell(row.rung),
                              failures.kind_of(row), cell(why));
  const bool counted =
      std::all_of(runs.begin(), runs.end(), [](const RunFile* run) { return is_simulated(*run); });
  text += failed.empty() ? fmt::format("\nNothing is wrong, and nothing {} than expected.\n",
                                       counted ? "counts more" : "is slower")
                         : "\n| entry | rung | what | why |\n|---|---|---|---|\n" + failed;
  if (runs.size() == 2) text += changes(*runs[0], *runs[1]);
  for (const RunFile* run : runs)
    if (is_simulated(*run)) text += ideas(*run);
  return text;
}

}  // namespace aisp::lab
