#include <fmt/format.h>

#include <cstdio>

#include "base/refuse.hpp"
#include "base/text.hpp"
#include "lab/case/catalog.hpp"
#include "lab/case/registry.hpp"
#include "lab/cli/commands.hpp"
#include "lab/cli/expectation_places.hpp"
#include "lab/expect/counts.hpp"
#include "lab/report/results.hpp"
#include "lab/run/session.hpp"

namespace aisp::lab {
namespace {

// Speed-ups are against the lowest rung of the ladder that has a time; 0 when the target is gone.
double baseline_ms(const std::string& entry, const std::map<std::string, ExpectedTime>& rungs) {
  for (const auto& target : all_targets()) {
    if (!entry.starts_with(target.id() + "/")) continue;
    for (const auto& rung : rungs_of(target))
      if (const auto found = rungs.find(rung.name); found != rungs.end())
        return found->second.median_ms;
  }
  return 0;
}

bool is_simulated(const Expectations& expectations) {
  return expectations.hardware.ends_with("-simulated");
}

std::string tolerance_of(const ExpectedTime& time) {
  if (!time.counts.empty()) return "not judged (its counts are)";
  if (time.why == host_reason) return fmt::format("not judged ({})", time.why);
  return fmt::format("{:.0f} %{}", 100 * time.tolerance,
                     time.why.empty() ? "" : " (" + time.why + ")");
}

// What a simulated device counted, one row per rung; no rows on a GPU.
Table counts_of(const Expectations& expectations) {
  Table table{.columns = {{"entry"}, {"rung"}}, .rows = {}};
  std::vector<Count> judged;
  for (const auto& [count, name] : names_of(Count{}))
    if (const auto tolerance = count_tolerance(count)) {
      judged.push_back(count);
      table.columns.push_back({*tolerance > 0 ? fmt::format("{} ({:.0f} %)", name, 100 * *tolerance)
                                              : std::string(name),
                               true});
    }
  for (const auto& [entry, rungs] : expectations.entries)
    for (const auto& [rung, time] : rungs) {
      if (time.counts.empty()) continue;
      auto& cells = table.rows.emplace_back(std::vector<std::string>{entry, rung});
      for (const Count count : judged) {
        const auto found = time.counts.find(count);
        cells.push_back(found != time.counts.end() ? fmt::format("{:.0f}", found->second) : "");
      }
    }
  return table;
}

// A time that is estimated from counts is called so and gives no speed-up.
Table estimates_of(const Expectations& expectations) {
  Table table{.columns = {{"entry"},
                          {"rung"},
                          {"time, estimated from counts", true},
                          {"tolerance", true},
                          {"run"}},
              .rows = {}};
  for (const auto& [entry, rungs] : expectations.entries)
    for (const auto& [rung, time] : rungs)
      table.rows.push_back(
          {entry, rung, base::duration(time.median_ms), tolerance_of(time), time.run});
  return table;
}

Table times_of(const Expectations& expectations) {
  Table table{.columns = {{"entry"},
                          {"rung"},
                          {"median", true},
                          {"tolerance", true},
                          {"speed-up", true},
                          {"samples", true},
                          {"run"}},
              .rows = {}};
  for (const auto& [entry, rungs] : expectations.entries) {
    const double baseline = baseline_ms(entry, rungs);
    for (const auto& [rung, time] : rungs)
      table.rows.push_back({entry, rung, base::duration(time.median_ms), tolerance_of(time),
                            baseline > 0 ? fmt::format("{:.2f}x", baseline / time.median_ms) : "",
                            std::to_string(time.samples), time.run});
  }
  return table;
}

void show(const Expectations& expectations) {
  const bool simulated = is_simulated(expectations);
  fmt::print("{} on {}{}\n", expectations.chapter, expectations.hardware,
             simulated ? ": counts are judged; times are estimated from counts and predict no real "
                         "time"
                       : "");
  const Table times = simulated ? estimates_of(expectations) : times_of(expectations);
  std::fputs(as_text(times).c_str(), stdout);
  if (const Table counts = counts_of(expectations); !counts.rows.empty())
    std::fputs(as_text(counts).c_str(), stdout);
  for (const auto& [run, from] : expectations.provenance)
    fmt::print("{}: {} aisp {} ({}), {}, driver {}, CUDA {}, {} samples{}, aisp {}\n", run,
               from.date, from.version, from.commit, from.device, from.driver, from.runtime,
               from.samples, from.sm_mhz ? fmt::format(" at {:.0f} MHz", *from.sm_mhz) : "",
               base::join(from.command, " "));
}

std::string compared_text(const RunFile& run, int compared, int by_counts) {
  if (!run.device || !run.device->simulated) return fmt::format("{} times compared", compared);
  const int others = compared - by_counts;
  return fmt::format(
      "{} {} compared by counts{}", by_counts, by_counts == 1 ? "rung" : "rungs",
      others > 0 ? fmt::format(", {} without expected counts or without a result", others) : "");
}

}  // namespace

int expectations_show(const CommandLine& line) {
  const std::string chapter = line.words.empty() ? "" : line.words[0];
  if (!chapter.empty()) select_targets(chapter);  // refuses an unknown chapter with the nearest one
  int shown = 0;
  for (const auto& path : expectation_files(chapter)) {
    const auto expectations = load_expectations(path);
    if (!expectations) continue;
    if (!line.hardware.empty() && expectations->hardware != line.hardware) continue;
    show(*expectations);
    ++shown;
  }
  if (shown == 0)
    base::refuse(base::Exit::usage, "no expectations", chapter.empty() ? "" : " for " + chapter,
                 line.hardware.empty() ? "" : " on " + line.hardware,
                 " yet; 'aisp bench run --update-expectations' writes them");
  return 0;
}

int expectations_check(const CommandLine& line) {
  bool regression = false;
  std::optional<RunFile> run;
  if (!line.words.empty()) run = read_run(find_run(line.words[0], line.run.out));
  const auto files = expectation_files("", run ? run->header.modules : std::vector<Module>{});
  int compared = 0, not_compared = 0, not_judged = 0, by_counts = 0;
  for (const auto& path : files) {
    const auto expectations = load_expectations(path);  // refuses a bad one by name
    if (!expectations) continue;
    if (!run) {
      fmt::print("{}: good, {} entries\n", path.string(), expectations->entries.size());
      continue;
    }
    if (!run->device || run->device->hardware != expectations->hardware) continue;
    for (const auto& finding : check_expectations(*expectations, *run)) {
      fmt::print("{}\n", finding.line);
      regression = regression || finding.kind == Finding::regression;
      by_counts += finding.counted;
      ++(finding.kind == Finding::other_conditions ? not_compared
         : finding.kind == Finding::host_bound     ? not_judged
                                                   : compared);
    }
  }
  if (run && compared + not_judged == 0 && not_compared > 0)
    base::refuse(base::Exit::usage, "nothing of run ", run->header.id,
                 " was compared: its times were taken with another --timer or --l2 than the ",
                 not_compared, " expected ones");
  if (run && compared + not_judged == 0)
    base::refuse(base::Exit::usage, "no expectations for ",
                 run->device ? run->device->hardware : std::string("a run that saw no device"),
                 " match run ", run->header.id);
  if (run)
    fmt::print("{}: {}{}{}\n", regression ? "regression" : "good",
               compared_text(*run, compared, by_counts),
               not_compared > 0 ? fmt::format(", {} taken in another way", not_compared) : "",
               not_judged > 0 ? fmt::format(", {} not judged: {}", not_judged, host_reason) : "");
  return static_cast<int>(regression ? base::Exit::regression : base::Exit::good);
}

}  // namespace aisp::lab
