#include "lab/report/results.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/refuse.hpp"
#include "base/text.hpp"
#include "lab/measure/statistics.hpp"
#include "lab/report/comparison.hpp"
#include "lab/report/counts.hpp"
#include "lab/report/row_cells.hpp"

namespace aisp::lab {

namespace {

// What the device did meanwhile: "1755 MHz, 640 W", how far the clock moved, and what held it back.
std::string clocks(const RunFile& run, const RowRecord& row) {
  std::vector<double> mhz;
  std::set<std::string> reasons(row.throttle.begin(), row.throttle.end());
  for (const auto& sample : samples_of(run, row)) {
    if (sample.sm_mhz) mhz.push_back(*sample.sm_mhz);
    reasons.insert(sample.throttle.begin(), sample.throttle.end());
  }
  std::vector<std::string> words;
  if (!mhz.empty()) {
    const auto [low, high] = std::minmax_element(mhz.begin(), mhz.end());
    constexpr double steady = 0.03;
    words.push_back(*high - *low > steady * *high
                        ? fmt::format("{:.0f} MHz ({:.0f} to {:.0f})", median(mhz), *low, *high)
                        : fmt::format("{:.0f} MHz", median(mhz)));
  }
  if (row.watts) words.push_back(fmt::format("{:.0f} W", *row.watts));
  words.insert(words.end(), reasons.begin(), reasons.end());
  return base::join(words, ", ");
}

// Memory moves thousands of GB/s, a disk a few.
std::string gigabytes(double per_second) {
  return per_second < 10e9 ? fmt::format("{:.2f}", per_second / 1e9)
                           : fmt::format("{:.0f}", per_second / 1e9);
}

// A time or a rate. A simulated run estimates it from counts: it is in the run file and in no
// table.
bool is_time(const std::string& unit) {
  return unit == "s" || unit == "ms" || unit == "us" || unit == "ns" || unit.ends_with("/s");
}

}  // namespace

Format parse_format(const std::string& text, bool of_run) {
  std::vector<std::string> known;
  for (const auto& [format, name] : names_of(Format{})) {
    if (!of_run && (format == Format::junit || format == Format::github)) continue;
    if (name == text) return format;
    known.emplace_back(name);
  }
  base::refuse(base::Exit::usage, "unknown --format '", text, "'; it is one of ",
               base::join(known, ", "));
}

std::string render(const Table& table, Format format) {
  switch (format) {
    case Format::markdown:
      return as_markdown(table);
    case Format::csv:
      return as_csv(table);
    case Format::json:
      return as_json(table);
    case Format::table:
    case Format::junit:
    case Format::github:
      break;
  }
  return as_text(table);
}

std::vector<std::string> result_cells(const RunFile& run, const RowRecord& row) {
  const EntryPlan* plan = plan_of(run, row.entry);
  const AttemptRecord* attempt = attempt_of(run, row);
  const bool timed = row.samples > 0;
  const auto when = [](bool condition, const std::string& text) { return condition ? text : ""; };
  const double seconds = row.median_ms * 1e-3;
  const bool rates = timed && attempt != nullptr && seconds > 0;
  return {plan != nullptr ? plan->target : row.entry,
          size_of(row.entry),
          row.rung + (row.peer ? " (peer)" : ""),
          status_word(row.status, false),
          when(timed, base::duration(row.median_ms)),
          when(timed, fmt::format("±{:.2f} %", 50 * (row.high_ms - row.low_ms) / row.median_ms)),
          when(timed, std::to_string(row.samples)),
          when(timed && row.speedup > 0, fmt::format("{:.3f}x", row.speedup)),
          std::string(name_of(row.verdict)),
          when(rates && attempt->bytes > 0, rates ? gigabytes(attempt->bytes / seconds) : ""),
          when(rates && attempt->flops > 0,
               rates ? fmt::format("{:.1f}", attempt->flops / seconds / 1e12) : ""),
          row.roof,
          row.roof_share ? fmt::format("{:.1f} %", 100 * *row.roof_share) : "",
          worst_check(run, row)};
}

std::vector<Column> result_columns() {
  return {{"target"},          {"size"},           {"rung"},          {"status"},
          {"median", true},    {"interval", true}, {"samples", true}, {"speed-up", true},
          {"verdict"},         {"GB/s", true},     {"TFLOP/s", true}, {"roof"},
          {"% of roof", true}, {"check", true}};
}

Table results_table(const RunFile& run) {
  if (is_simulated(run)) return counts_table(run);
  Table table{.columns = result_columns(), .rows = {}};
  table.columns.push_back({"clocks"});
  for (const auto& row : latest_rows(run)) {
    table.rows.push_back(result_cells(run, row));
    table.rows.back().push_back(clocks(run, row));
  }
  return table;
}

Table summaries_table(const RunFile& run) {
  const bool simulated = is_simulated(run);
  Table table{
      .columns =
          {{"target"}, {"size"}, {"rung"}, {"flops", true}, {"bytes", true}, {"flop/byte", true}},
      .rows = {}};
  if (simulated)
    table.columns.push_back({"the idea"});
  else
    table.columns.insert(table.columns.end(),
                         {{"roof"}, {"floor", true}, {"median", true}, {"% of roof", true}});
  for (const auto& row : latest_rows(run)) {
    const AttemptRecord* attempt = attempt_of(run, row);
    if (attempt == nullptr || row.samples == 0) continue;
    const EntryPlan* plan = plan_of(run, row.entry);
    table.rows.push_back(
        {plan != nullptr ? plan->target : row.entry, size_of(row.entry), row.rung,
         base::with_prefix(attempt->flops, "flop"), base::with_prefix(attempt->bytes, "B"),
         attempt->bytes > 0 ? fmt::format("{:.2f}", attempt->flops / attempt->bytes) : ""});
    auto& cells = table.rows.back();
    if (simulated)
      cells.push_back(shown_idea(run, row));
    else
      cells.insert(cells.end(),
                   {!row.roof.empty() ? row.roof : "unknown: aisp doctor --measure",
                    row.roof_ms ? base::duration(*row.roof_ms) : "", base::duration(row.median_ms),
                    row.roof_share ? fmt::format("{:.1f} %", 100 * *row.roof_share) : ""});
  }
  return table;
}

Table kernels_table(const RunFile& run) {
  Table table{.columns = {{"entry"},
                          {"rung"},
                          {"kernel"},
                          {"grid"},
                          {"block"},
                          {"registers", true},
                          {"shared", true},
                          {"local", true},
                          {"time", true}},
              .rows = {}};
  for (const auto& profile : run.profiles)
    for (const auto& kernel : profile.kernels)
      table.rows.push_back(
          {profile.entry, profile.rung, kernel.name, fmt::format("{}", fmt::join(kernel.grid, "x")),
           fmt::format("{}", fmt::join(kernel.block, "x")), std::to_string(kernel.registers),
           fmt::format("{} B", kernel.static_shared + kernel.dynamic_shared),
           fmt::format("{} B", kernel.local_bytes),
           is_simulated(run) ? "" : base::duration(kernel.us * 1e-3)});
  return table;
}

Table figures_table(const RunFile& run) {
  Table table{.columns = {{"target"},
                          {"size"},
                          {"rung"},
                          {"figure"},
                          {"median", true},
                          {"low", true},
                          {"high", true},
                          {"unit"}},
              .rows = {}};
  const auto number = [](double value) { return fmt::format("{:.4g}", value); };
  for (const auto& row : latest_rows(run)) {
    const EntryPlan* plan = plan_of(run, row.entry);
    for (const auto& figure : row.figures) {
      if (is_simulated(run) && is_time(figure.unit)) continue;
      table.rows.push_back({plan != nullptr ? plan->target : row.entry, size_of(row.entry),
                            row.rung, figure.name, number(figure.median), number(figure.low),
                            number(figure.high), figure.unit});
    }
  }
  return table;
}

std::string reasons(const RunFile& run) {
  std::string text;
  for (const auto& row : latest_rows(run)) {
    if (!row.reason.empty())
      text += fmt::format("{} {}: {}: {}\n", row.entry, row.rung, name_of(row.status), row.reason);
    if (!row.note.empty()) text += fmt::format("{} {}: {}\n", row.entry, row.rung, row.note);
  }
  return text;
}

std::string_view ending_of(base::Exit exit) {
  constexpr auto endings =
      std::to_array<Name<base::Exit>>({{base::Exit::good, "good"},
                                       {base::Exit::regression, "regression"},
                                       {base::Exit::wrong, "wrong"},
                                       {base::Exit::environment, "nothing could run"},
                                       {base::Exit::interrupted, "interrupted"}});
  for (const auto& ending : endings)
    if (ending.value == exit) return ending.text;
  return "";
}

std::string simulation_note(const RunFile& run) {
  if (!is_simulated(run)) return "";
  return fmt::format("simulated: {}, {} SMs; counts are shown, nothing was timed\n",
                     run.device->name, run.device->multiprocessors) +
         uncounted_notes(run);
}

std::string tally(const RunFile& run) {
  std::map<std::string, int> counts;
  int all = 0;
  for (const auto& row : latest_rows(run)) {
    ++counts[status_word(row.status, is_simulated(run))];
    ++all;
  }
  std::vector<std::string> words;
  for (const auto& [status, count] : counts) words.push_back(fmt::format("{} {}", count, status));
  if (words.empty()) return "no rows";
  return fmt::format("{} row{}: {}", all, all == 1 ? "" : "s", base::join(words, ", "));
}

}  // namespace aisp::lab
