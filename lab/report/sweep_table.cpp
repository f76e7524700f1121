// The tables of a sweep and the lines under them.
#include <fmt/format.h>

#include "base/text.hpp"
#include "lab/report/counts.hpp"
#include "lab/report/row_cells.hpp"
#include "lab/report/sweep.hpp"

namespace aisp::lab {
namespace {

std::string when(bool condition, const std::string& text) { return condition ? text : ""; }

// Work per second of the median; nothing on the simulator, whose times are estimated from counts
// without caches and bandwidth.
double rate(const SweepResult& sweep, const SweepRow& row, double work) {
  return row.timed() && !sweep.simulated ? work / (row.median_ms * 1e-3) : 0;
}

std::string intensity(const SweepRow& row, const char* format) {
  return row.bytes > 0 ? fmt::format(fmt::runtime(format), row.flops / row.bytes) : "";
}

// Small rates keep their digits: a sweep begins where little is reached.
std::string short_rate(double value) {
  if (value <= 0) return "";
  return value >= 100 ? fmt::format("{:.0f}", value)
         : value >= 1 ? fmt::format("{:.1f}", value)
                      : fmt::format("{:.2g}", value);
}

std::string note(const SweepRow& row) {
  if (row.rung.empty()) return "refused: " + row.reason;
  if (row.bound_before.empty()) return row.reason;
  return "bound changes: " + row.bound_before + " -> " + row.bound +
         (row.reason.empty() ? "" : "; " + row.reason);
}

// The columns of the swept axes, in front of all others.
Table begin_table(const SweepResult& sweep, const std::vector<Column>& columns) {
  Table table;
  for (const auto& axis : sweep.axes) table.columns.push_back({axis.name, true});
  table.columns.insert(table.columns.end(), columns.begin(), columns.end());
  return table;
}

void add_row(Table& table, const SweepRow& row, const std::vector<std::string>& cells) {
  std::vector<std::string> all;
  for (const auto value : row.values) all.push_back(std::to_string(value));
  all.insert(all.end(), cells.begin(), cells.end());
  table.rows.push_back(std::move(all));
}

std::string plain(bool known, double value) { return known ? fmt::format("{:.6g}", value) : ""; }

}  // namespace

namespace {

// What was counted stands where a measured sweep has its times and rates.
Table counted_sweep_table(const SweepResult& sweep) {
  std::vector<Column> columns{{"size"}, {"rung"}, {"status"}};
  for (const auto& [count, name] : names_of(Count{})) columns.push_back({std::string(name), true});
  columns.insert(columns.end(), {{"flop/byte", true}, {"bound"}, {"the idea"}, {"note"}});
  Table table = begin_table(sweep, columns);
  for (const auto& row : sweep.rows) {
    std::vector<std::string> cells{row.size, row.rung + (row.peer ? " (peer)" : ""),
                                   status_word(row.status, true)};
    for (const auto& [count, name] : names_of(Count{})) {
      const auto value = row.count_of(count);
      cells.push_back(value ? text_of(count, *value) : "");
    }
    cells.insert(cells.end(), {intensity(row, "{:.2f}"), row.bound, row.idea, note(row)});
    add_row(table, row, cells);
  }
  return table;
}

}  // namespace

Table sweep_table(const SweepResult& sweep) {
  if (sweep.simulated) return counted_sweep_table(sweep);
  Table table = begin_table(sweep, {{"size"},
                                    {"rung"},
                                    {"status"},
                                    {"median", true},
                                    {"speed-up", true},
                                    {"GB/s", true},
                                    {"TFLOP/s", true},
                                    {"% of roof", true},
                                    {"flop/byte", true},
                                    {"bound"},
                                    {"note"}});
  for (const auto& row : sweep.rows) {
    const double bytes = rate(sweep, row, row.bytes), flops = rate(sweep, row, row.flops);
    add_row(
        table, row,
        {row.size, row.rung + (row.peer ? " (peer)" : ""), status_word(row.status, sweep.simulated),
         when(row.timed(), base::duration(row.median_ms)),
         when(row.speedup > 0, fmt::format("{:.3f}x", row.speedup)), short_rate(bytes / 1e9),
         short_rate(flops / 1e12),
         row.roof_share ? fmt::format("{:.1f} %", 100 * *row.roof_share) : "",
         intensity(row, "{:.2f}"), row.bound, note(row)});
  }
  return table;
}

Table sweep_numbers(const SweepResult& sweep) {
  Table table = begin_table(
      sweep, {{"target"},    {"variant"},  {"size"},         {"rung"},       {"peer"},
              {"status"},    {"samples"},  {"median_ms"},    {"low_ms"},     {"high_ms"},
              {"speedup"},   {"gb_per_s"}, {"tflop_per_s"},  {"roof_share"}, {"flop_per_byte"},
              {"launch_ms"}, {"bound"},    {"bound_before"}, {"simulated"},  {"reason"}});
  for (const auto& [count, name] : names_of(Count{})) table.columns.push_back({std::string(name)});
  for (const auto& row : sweep.rows) {
    const bool timed = row.timed() && !sweep.simulated;
    const double bytes = rate(sweep, row, row.bytes), flops = rate(sweep, row, row.flops);
    add_row(table, row,
            {sweep.target,
             sweep.variant,
             row.size,
             row.rung,
             row.peer ? "1" : "0",
             status_word(row.status, sweep.simulated),
             std::to_string(row.samples),
             plain(timed, row.median_ms),
             plain(timed, row.low_ms),
             plain(timed, row.high_ms),
             plain(row.speedup > 0, row.speedup),
             plain(bytes > 0, bytes / 1e9),
             plain(flops > 0, flops / 1e12),
             row.roof_share ? plain(true, *row.roof_share) : "",
             intensity(row, "{:.6g}"),
             plain(sweep.launch_ms > 0, sweep.launch_ms),
             row.bound,
             row.bound_before,
             sweep.simulated ? "1" : "0",
             row.reason});
    for (const auto& [count, name] : names_of(Count{})) {
      const auto value = row.count_of(count);
      table.rows.back().push_back(plain(value.has_value(), value.value_or(0)));
    }
  }
  return table;
}

std::string sweep_notes(const SweepResult& sweep) {
  if (sweep.simulated)
    return "bound: from operations per byte and the vendor's figures alone; counts do not show "
           "it\n";
  std::string text;
  if (sweep.launch_ms > 0)
    text = fmt::format(
        "bound: launch up to {:g} times an empty launch of {}, beyond that the roof of the size\n",
        launch_factor, base::duration(sweep.launch_ms));
  else
    text = "bound: the roof of the size; what a launch costs was not measured in this run\n";
  if (!sweep.roofs_known)
    text += "bound: the roofs of this device are unknown: aisp doctor --measure\n";
  return text;
}

}  // namespace aisp::lab
