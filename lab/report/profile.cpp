#include "lab/report/profile.hpp"

#include <fmt/format.h>

#include <map>
#include <set>

#include "base/text.hpp"
#include "lab/profile/demangle.hpp"

namespace aisp::lab {
namespace {

std::string value_text(Counter counter, double value) {
  const auto unit = unit_of(counter);
  if (counter == Counter::time) return base::duration(value * 1e-3);
  if (unit == "%") return fmt::format("{:.1f} %", value);
  if (unit.empty()) return fmt::format("{:.6g}", value);
  return base::with_prefix(value, unit);
}

// A rung that was profiled again: the last one counts.
std::vector<const ProfileRecord*> latest(const RunFile& run) {
  std::map<std::pair<std::string, std::string>, std::size_t> places;
  std::vector<const ProfileRecord*> profiles;
  for (const auto& profile : run.profiles) {
    const auto [place, is_new] = places.try_emplace({profile.entry, profile.rung}, profiles.size());
    if (is_new)
      profiles.push_back(&profile);
    else
      profiles[place->second] = &profile;
  }
  return profiles;
}

}  // namespace

Table counters_table(const RunFile& run) {
  std::set<Counter> counted;
  bool any_stall = false, any_limit = false;
  const auto note = [&](const std::vector<CounterRecord>& counters) {
    for (const auto& [counter, value] : counters) counted.insert(counter);
  };
  for (const ProfileRecord* profile : latest(run)) {
    note(profile->counters);
    for (const auto& kernel : profile->kernels) {
      note(kernel.counters);
      any_stall = any_stall || !kernel.stalls.empty();
      any_limit = any_limit || !kernel.limit.empty();
    }
  }
  Table table{.columns = {{"entry"}, {"rung"}, {"kernel"}}, .rows = {}};
  if (counted.empty()) return table;
  for (const auto counter : counted) table.columns.push_back({std::string(name_of(counter)), true});
  if (any_limit) table.columns.push_back({"occupancy limited by"});
  if (any_stall) table.columns.push_back({"most stalls"});
  const auto add = [&](const ProfileRecord& profile, const std::string& name,
                       const std::vector<CounterRecord>& counters, const KernelRecord& kernel) {
    if (counters.empty()) return;
    std::map<Counter, double> values;
    for (const auto& [counter, value] : counters) values[counter] = value;
    std::vector<std::string> cells{profile.entry, profile.rung, name};
    for (const auto counter : counted)
      cells.push_back(values.contains(counter) ? value_text(counter, values[counter]) : "");
    if (any_limit) cells.push_back(kernel.limit);
    if (any_stall)
      cells.push_back(kernel.stalls.empty() ? ""
                                            : fmt::format("{} {:.0f} %", kernel.stalls.front().name,
                                                          kernel.stalls.front().percent));
    table.rows.push_back(std::move(cells));
  };
  for (const ProfileRecord* profile : latest(run)) {
    add(*profile, "", profile->counters, {});
    for (const auto& kernel : profile->kernels)
      add(*profile, short_name(kernel.name), kernel.counters, kernel);
  }
  return table;
}

std::string profile_notes(const RunFile& run) {
  std::string lines;
  for (const ProfileRecord* profile : latest(run)) {
    const auto line = [&](const std::string& text) {
      if (!text.empty()) lines += fmt::format("{} {}: {}\n", profile->entry, profile->rung, text);
    };
    line(profile->bound);
    line(profile->problem.empty() ? "" : "no counters: " + profile->problem);
  }
  return lines;
}

}  // namespace aisp::lab
