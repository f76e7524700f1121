#include "lab/report/overlap.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "lab/trace/trace.hpp"

namespace aisp::lab {
namespace {

// The last one of each rung, in the order in which they were taken.
std::vector<TraceRecord> latest_traces(const RunFile& run) {
  std::map<std::pair<std::string, std::string>, int> attempts;
  for (const auto& trace : run.traces) {
    int& last = attempts[{trace.entry, trace.rung}];
    last = std::max(last, trace.attempt);
  }
  std::vector<TraceRecord> traces;
  for (const auto& trace : run.traces)
    if (trace.attempt == attempts[{trace.entry, trace.rung}]) traces.push_back(trace);
  return traces;
}

std::string time_text(double us) { return base::duration(us * 1e-3); }

// "12.3 us, 45 %". Lengths of a simulated schedule are estimated from counts: of them the share
// alone, which shows what overlaps.
std::string with_share(double us, double of, bool simulated) {
  if (simulated) return of > 0 ? fmt::format("{:.0f} %", 100 * us / of) : "";
  return of > 0 ? fmt::format("{}, {:.0f} %", time_text(us), 100 * us / of) : time_text(us);
}

const EngineRecord* engine_in(const OverlapRecord& overlap, const std::string& name) {
  for (const auto& engine : overlap.engines)
    if (engine.engine == name) return &engine;
  return nullptr;
}

// Those that any row has.
std::vector<std::string> engines_of(const std::vector<TraceRecord>& traces) {
  std::set<std::string> used;
  for (const auto& trace : traces)
    for (const auto& overlap : trace.devices)
      for (const auto& engine : overlap.engines) used.insert(engine.engine);
  std::vector<std::string> engines = all_names<TraceEngine>();
  std::erase_if(engines, [&](const std::string& engine) { return !used.contains(engine); });
  return engines;
}

}  // namespace

Table overlap_table(const RunFile& run) {
  const auto traces = latest_traces(run);
  const auto engines = engines_of(traces);
  const bool several = std::any_of(traces.begin(), traces.end(),
                                   [](const auto& trace) { return trace.devices.size() > 1; });
  Table table{.columns = {{"entry"}, {"rung"}}, .rows = {}};
  const bool measured =
      std::any_of(traces.begin(), traces.end(), [](const auto& trace) { return !trace.simulated; });
  if (several) table.columns.push_back({"device", true});
  if (measured) table.columns.push_back({"window", true});
  for (const auto& engine : engines) table.columns.push_back({engine, true});
  for (const char* name :
       {"overlapped", "on two engines", "at once", "idle", "gaps", "longest gap"})
    table.columns.push_back({name, true});
  table.columns.push_back({"before"});
  table.columns.push_back({"it waited for"});
  for (const auto& trace : traces)
    for (const auto& overlap : trace.devices) {
      const double window = overlap.window_us;
      std::vector<std::string> cells{trace.entry, trace.rung};
      if (several) cells.push_back(std::to_string(overlap.device));
      const auto share = [&](double us) { return with_share(us, window, trace.simulated); };
      if (measured) cells.push_back(trace.simulated ? "" : time_text(window));
      for (const auto& name : engines) {
        const EngineRecord* engine = engine_in(overlap, name);
        cells.push_back(engine != nullptr ? share(engine->us) : "");
      }
      cells.insert(cells.end(), {share(overlap.overlapped_us), share(overlap.engines_overlapped_us),
                                 std::to_string(overlap.most_at_once), share(overlap.idle_us),
                                 std::to_string(overlap.gaps),
                                 overlap.gaps == 0 ? ""
                                 : trace.simulated ? share(overlap.longest_gap_us)
                                                   : time_text(overlap.longest_gap_us),
                                 overlap.ended_by, overlap.waited_for});
      table.rows.push_back(std::move(cells));
    }
  return table;
}

std::string trace_notes(const RunFile& run, const std::filesystem::path& folder, bool all) {
  constexpr std::size_t most_listed = 3;
  std::vector<std::string> files, problems;
  std::map<std::string, int> reasons;
  bool simulated = false;
  for (const auto& trace : latest_traces(run)) {
    simulated = simulated || (trace.simulated && trace.problem.empty());
    if (trace.problem.empty()) {
      files.push_back(fmt::format("trace: {}\n", (folder / trace.file).string()));
    } else {
      problems.push_back(
          fmt::format("{} {}: no trace: {}\n", trace.entry, trace.rung, trace.problem));
      ++reasons[trace.problem];
    }
  }
  std::string text;
  if (all || files.size() <= most_listed)
    text += base::join(files, "");
  else
    text += fmt::format("traces: {} files, one for each rung, in {}; --verbose lists them\n",
                        files.size(), (folder / "traces").string());
  if (all || problems.size() <= most_listed)
    text += base::join(problems, "");
  else
    for (const auto& [why, rungs] : reasons)
      text += fmt::format("{} rungs have no trace: {}; --verbose lists them\n", rungs, why);
  if (simulated)
    text += "traces: simulated schedule; lengths are estimated from instruction counts\n";
  return text;
}

}  // namespace aisp::lab
