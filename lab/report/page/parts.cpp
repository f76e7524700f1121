#include "lab/report/page/parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "lab/profile/demangle.hpp"
#include "lab/report/comparison.hpp"
#include "lab/report/count_changes.hpp"
#include "lab/report/counts.hpp"
#include "lab/report/row_cells.hpp"
#include "lab/report/sweep.hpp"

namespace aisp::lab::page {
namespace {

using nlohmann::json;

bool is_plain(const std::string& word) {
  const auto plain = [](unsigned char letter) {
    return std::isalnum(letter) != 0 ||
           std::string_view("-_./:,=+@%").find(static_cast<char>(letter)) != std::string_view::npos;
  };
  return !word.empty() && std::all_of(word.begin(), word.end(), plain);
}

std::string quoted(const std::string& word) {
  if (is_plain(word)) return word;
  std::string text = "'";
  for (const char letter : word) text += letter == '\'' ? "'\\''" : std::string(1, letter);
  return text + "'";
}

json counters_json(const std::vector<CounterRecord>& counters) {
  json list = json::array();
  for (const auto& [counter, value] : counters)
    list.push_back(json::array({name_of(counter), value, unit_of(counter)}));
  return list;
}

json shares_json(const std::vector<ShareRecord>& shares) {
  json list = json::array();
  for (const auto& [name, percent] : shares)
    list.push_back({{"name", name}, {"value", rounded(percent)}});
  return list;
}

double value_of(const KernelRecord& kernel, Counter wanted) {
  for (const auto& [counter, value] : kernel.counters)
    if (counter == wanted) return value;
  return 0;
}

// The levels of the hierarchical roofline that this kernel has bytes of.
json levels_json(const KernelRecord& kernel, double flops) {
  json levels = json::array();
  constexpr std::pair<Counter, const char*> all[] = {
      {Counter::dram_bytes, "DRAM"}, {Counter::l2_bytes, "L2"}, {Counter::l1_bytes, "L1"}};
  for (const auto& [counter, name] : all)
    if (const double bytes = value_of(kernel, counter); bytes > 0 && flops > 0)
      levels.push_back({{"name", name}, {"bytes", bytes}, {"intensity", rounded(flops / bytes)}});
  return levels;
}

json kernel_json(const KernelRecord& kernel, bool timed) {
  const double flops =
      value_of(kernel, Counter::operations) + value_of(kernel, Counter::tensor_operations);
  json lines = json::array();
  for (const auto& line : kernel.lines)
    lines.push_back({{"file", line.file},
                     {"line", line.line},
                     {"text", line.text},
                     {"share", rounded(line.percent)},
                     {"stall", line.stall}});
  return {{"name", kernel.name},
          {"short", short_name(kernel.name)},
          {"grid", kernel.grid},
          {"block", kernel.block},
          {"registers", kernel.registers},
          {"shared", kernel.static_shared + kernel.dynamic_shared},
          {"local", kernel.local_bytes},
          {"us", timed ? rounded(kernel.us) : 0},
          {"flops", flops},
          {"limit", kernel.limit},
          {"counters", counters_json(kernel.counters)},
          {"pipes", shares_json(kernel.pipes)},
          {"stalls", shares_json(kernel.stalls)},
          {"lines", std::move(lines)},
          {"levels", levels_json(kernel, flops)}};
}

// Of two simulated runs what was counted; the page draws nothing of it.
void add_changes(json& part, const CountComparison& compared) {
  part["rungs"] = compared.rungs;
  part["worse"] = compared.worse;
  for (const auto& change : compared.changes)
    part["rows"].push_back({{"entry", change.entry},
                            {"rung", change.rung},
                            {"count", name_of(change.count)},
                            {"a", text_of(change.count, change.a)},
                            {"b", text_of(change.count, change.b)},
                            {"ratio", change.a > 0 ? rounded(change.b / change.a) : 0},
                            {"change", change_text(change)},
                            {"verdict", change.verdict()}});
  if (compared.rungs == 0) part["note"] = "the two runs have no counted rung in common";
}

}  // namespace

double rounded(double value) {
  return std::isfinite(value) ? std::strtod(fmt::format("{:.6g}", value).c_str(), nullptr) : value;
}

std::string shell_line(const std::vector<std::string>& words) {
  std::string line;
  for (const auto& word : words) line += (line.empty() ? "" : " ") + quoted(word);
  return line;
}

json history_part(const std::vector<HistoryRow>& rows, const std::string& chapter) {
  struct Line {
    json object;
    double before = 0;
  };
  std::map<std::string, Line> lines;
  std::vector<std::string> order;
  for (auto row = rows.rbegin(); row != rows.rend(); ++row) {  // oldest first
    if (row->samples == 0 || row->status != RowStatus::measured || row->median_ms <= 0) continue;
    if (row->simulated) continue;  // its time is estimated from counts
    if (!chapter.empty() && row->target.substr(0, row->target.find(':')) != chapter) continue;
    std::string entry = row->entry;
    if (row->timer != "events" || row->l2 != "cold")
      entry += fmt::format(" ({}, {} L2)", row->timer, row->l2);
    const std::string key = entry + '\n' + row->rung + '\n' + row->hardware;
    const auto [line, is_new] = lines.try_emplace(key);
    if (is_new) {
      order.push_back(key);
      line->second.object = {{"entry", entry},
                             {"target", row->target},
                             {"rung", row->rung},
                             {"hardware", row->hardware},
                             {"points", json::array()}};
    }
    json point{{"run", row->run},
               {"started", row->started},
               {"commit", row->commit},
               {"median", rounded(row->median_ms)},
               {"low", rounded(row->low_ms)},
               {"high", rounded(row->high_ms)}};
    double& before = line->second.before;
    if (before > 0 && row->median_ms > before * (1 + default_tolerance))
      point["regression"] = rounded(row->median_ms / before - 1);
    before = row->median_ms;
    line->second.object["points"].push_back(std::move(point));
  }
  json list = json::array();
  for (const auto& key : order) list.push_back(std::move(lines[key].object));
  return list;
}

json profile_part(const RunFile& run, const RowPlaces& places) {
  std::map<std::pair<std::string, std::string>, const ProfileRecord*> latest;
  for (const auto& profile : run.profiles) latest[{profile.entry, profile.rung}] = &profile;
  json list = json::array();
  for (const auto& [key, profile] : latest) {
    const auto row = places.find(key);
    if (row == places.end()) continue;
    json kernels = json::array();
    for (const auto& kernel : profile->kernels)
      kernels.push_back(kernel_json(kernel, !is_simulated(run)));
    list.push_back({{"row", row->second},
                    {"by", profile->by.empty() ? "CUPTI" : profile->by},
                    {"bound", profile->bound},
                    {"problem", profile->problem},
                    {"counters", counters_json(profile->counters)},
                    {"kernels", std::move(kernels)}});
  }
  return list;
}

json comparison_part(const RunFile& a, const RunFile& b) {
  json part{{"a", a.header.id}, {"b", b.header.id}, {"simulated", is_simulated(a)}};
  if (const std::string why = why_not_compared(a, b); !why.empty()) {
    part["note"] = why;
    return part;
  }
  part["rows"] = json::array();
  if (is_simulated(a)) {
    add_changes(part, compare_counted(a, b));
    return part;
  }
  for (const ComparedRow& row : compare_runs(a, b))
    part["rows"].push_back({{"entry", row.entry},
                            {"rung", row.rung},
                            {"a", rounded(row.a_ms)},
                            {"b", rounded(row.b_ms)},
                            {"ratio", rounded(row.result.ratio)},
                            {"low", rounded(row.result.interval.low)},
                            {"high", rounded(row.result.interval.high)},
                            {"p", rounded(row.result.p)},
                            {"verdict", name_of(row.result.verdict)}});
  if (part["rows"].empty()) part["note"] = "the two runs have no measured rung in common";
  return part;
}

}  // namespace aisp::lab::page
