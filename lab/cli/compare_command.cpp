#include <fmt/format.h>

#include <cstdio>

#include "base/refuse.hpp"
#include "base/text.hpp"
#include "lab/cli/commands.hpp"
#include "lab/report/comparison.hpp"
#include "lab/report/count_changes.hpp"
#include "lab/report/results.hpp"
#include "lab/run/session.hpp"

namespace aisp::lab {
namespace {

// Times that were estimated from counts are not compared: the counts themselves are.
int compare_simulated(const RunFile& a, const RunFile& b, Format format) {
  const CountComparison compared = compare_counted(a, b);
  if (compared.rungs == 0)
    base::refuse(base::Exit::usage, "the runs ", a.header.id, " and ", b.header.id,
                 " have no counted rung in common");
  std::fputs(render(changes_table(compared), format).c_str(), stdout);
  std::FILE* where = format == Format::table ? stdout : stderr;
  std::fputs(simulation_note(b).c_str(), where);
  std::fprintf(where, "%s: %d of %d rungs count more in %s\n",
               compared.worse > 0 ? "regression" : "good", compared.worse, compared.rungs,
               b.header.id.c_str());
  return static_cast<int>(compared.worse > 0 ? base::Exit::regression : base::Exit::good);
}

int compare_recorded(const CommandLine& line) {
  const Format format = line.format;
  const RunFile a = read_run(find_run(line.words[0], line.run.out));
  const RunFile b = read_run(find_run(line.words[1], line.run.out));
  if (const std::string why = why_not_compared(a, b); !why.empty())
    base::refuse(base::Exit::usage, why);
  if (a.device && b.device && a.device->hardware != b.device->hardware)
    std::fprintf(stderr, "aisp: the runs are from different hardware: %s and %s\n",
                 a.device->hardware.c_str(), b.device->hardware.c_str());
  if (is_simulated(b)) return compare_simulated(a, b, format);
  Table table{.columns = {{"entry"},
                          {"rung"},
                          {"median A", true},
                          {"median B", true},
                          {"A / B", true},
                          {"interval", true},
                          {"p", true},
                          {"verdict"}},
              .rows = {}};
  int slower = 0, compared = 0;
  for (const ComparedRow& row : compare_runs(a, b)) {
    ++compared;
    slower += row.result.verdict == Verdict::slower ? 1 : 0;
    table.rows.push_back(
        {row.entry, row.rung, base::duration(row.a_ms), base::duration(row.b_ms),
         fmt::format("{:.3f}", row.result.ratio),
         fmt::format("{:.3f} to {:.3f}", row.result.interval.low, row.result.interval.high),
         fmt::format("{:.1g}", row.result.p), std::string(name_of(row.result.verdict))});
  }
  if (compared == 0)
    base::refuse(base::Exit::usage, "the runs ", a.header.id, " and ", b.header.id,
                 " have no measured rung in common");
  std::fputs(render(table, format).c_str(), stdout);
  std::FILE* where = format == Format::table ? stdout : stderr;
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
  if (line.words.size() == 2) return compare_recorded(line);
  CommandLine bench = line;
  bench.command = "bench run";
  bench.run.targets = targets_of(line.words[0], line.examples);
  bench.run.ends_only = true;
  return bench_run(bench);
}

}  // namespace aisp::lab
