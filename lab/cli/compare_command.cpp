#include <fmt/format.h>

#include <cstdio>

#include "base/refuse.hpp"
#include "base/text.hpp"
#include "lab/cli/commands.hpp"
#include "lab/measure/verdict.hpp"
#include "lab/report/results.hpp"
#include "lab/run/session.hpp"

namespace aisp::lab {
namespace {

const RowRecord* find_row(const std::vector<RowRecord>& rows, const RowRecord& like) {
  for (const auto& row : rows)
    if (row.entry == like.entry && row.rung == like.rung) return &row;
  return nullptr;
}

// Two processes differ by more than their samples show: memory lies elsewhere, clocks start anew.
// Interleaved rungs of one run are told apart from 1 %, runs of unchanged code differ by up to
// that.
constexpr double least_effect_between_runs = 0.03;

bool is_simulated(const RunFile& run) { return run.device && run.device->simulated; }

void refuse_mixture(const RunFile& a, const RunFile& b) {
  if (is_simulated(a) == is_simulated(b)) return;
  const RunFile& simulated = is_simulated(a) ? a : b;
  base::refuse(base::Exit::usage, "run ", simulated.header.id, " was simulated (",
               simulated.device->name, ") and the other measured: their times are not compared");
}

int compare_runs(const CommandLine& line) {
  const Format format = line.format;
  const RunFile a = read_run(find_run(line.words[0], line.run.out));
  const RunFile b = read_run(find_run(line.words[1], line.run.out));
  refuse_mixture(a, b);
  if (a.device && b.device && a.device->hardware != b.device->hardware)
    std::fprintf(stderr, "aisp: the runs are from different hardware: %s and %s\n",
                 a.device->hardware.c_str(), b.device->hardware.c_str());
  Table table{.columns = {{"entry"},
                          {"rung"},
                          {"median A", true},
                          {"median B", true},
                          {"A / B", true},
                          {"interval", true},
                          {"p", true},
                          {"verdict"}},
              .rows = {}};
  const auto rows_b = latest_rows(b);
  int slower = 0, compared = 0;
  for (const auto& row : latest_rows(a)) {
    const RowRecord* other = find_row(rows_b, row);
    if (other == nullptr || row.samples == 0 || other->samples == 0) continue;
    const Comparison result =
        compare(times_of(a, row), times_of(b, *other), least_effect_between_runs);
    ++compared;
    slower += result.verdict == Verdict::slower ? 1 : 0;
    table.rows.push_back(
        {row.entry, row.rung, base::duration(row.median_ms), base::duration(other->median_ms),
         fmt::format("{:.3f}", result.ratio),
         fmt::format("{:.3f} to {:.3f}", result.interval.low, result.interval.high),
         fmt::format("{:.1g}", result.p), std::string(name_of(result.verdict))});
  }
  if (compared == 0)
    base::refuse(base::Exit::usage, "the runs ", a.header.id, " and ", b.header.id,
                 " have no measured rung in common");
  std::fputs(render(table, format).c_str(), stdout);
  std::FILE* where = format == Format::table ? stdout : stderr;
  std::fputs(simulation_note(b).c_str(), where);
  std::fprintf(where, "%s: %d of %d rungs slower in %s\n", slower > 0 ? "regression" : "good",
               slower, compared, b.header.id.c_str());
  return static_cast<int>(slower > 0 ? base::Exit::regression : base::Exit::good);
}

// The chapter's targets, or the examples of it that were named.
std::string targets_of(const std::string& chapter, const std::string& examples) {
  if (examples.empty()) return chapter;
  auto names = base::split(examples, ',');
  for (auto& name : names) name = chapter + ":" + name;
  return base::join(names, ",");
}

}  // namespace

int compare_command(const CommandLine& line) {
  if (line.words.size() == 2) return compare_runs(line);
  CommandLine bench = line;
  bench.command = "bench run";
  bench.run.targets = targets_of(line.words[0], line.examples);
  bench.run.ends_only = true;
  return bench_run(bench);
}

}  // namespace aisp::lab
