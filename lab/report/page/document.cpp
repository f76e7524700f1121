#include "lab/report/page/document.hpp"

#include <algorithm>
#include <set>

#include "base/refuse.hpp"
#include "base/text.hpp"
#include "lab/case/registry.hpp"
#include "lab/report/comparison.hpp"
#include "lab/report/counts.hpp"
#include "lab/report/page/parts.hpp"
#include "lab/report/results.hpp"
#include "lab/report/row_cells.hpp"

namespace aisp::lab {
namespace {

using nlohmann::json;
using page::rounded;

std::string chapter_of(const std::string& target) { return target.substr(0, target.find(':')); }

// The type in a variant's name: "bf16", "causal_f16"; "" where it names none.
std::string dtype_of(const std::string& variant) {
  static const std::set<std::string> types{"f64",  "f32",  "fp32", "tf32",  "f16",  "fp16", "bf16",
                                           "fp8",  "e4m3", "e5m2", "fp6",   "fp4",  "int8", "i8",
                                           "int4", "i32",  "u8",   "mxfp8", "nvfp4"};
  std::string words = variant;
  std::replace(words.begin(), words.end(), '_', ' ');
  for (const auto& word : base::split(words, ' '))
    if (types.contains(word)) return word;
  return "";
}

json device_json(const DeviceRecord& device) {
  json object{{"hardware", device.hardware},   {"name", device.name},
              {"driver", device.driver},       {"runtime", device.runtime},
              {"uuid", device.uuid},           {"multiprocessors", device.multiprocessors},
              {"simulated", device.simulated}, {"host", device.host},
              {"system", device.system},       {"processor", device.processor}};
  object["roofs"] = json::array();
  for (const auto& roof : device.roofs)
    object["roofs"].push_back(
        {{"name", roof.name}, {"rate", roof.rate}, {"flops", roof.operations}});
  return object;
}

json run_json(const RunFile& run, std::size_t device) {
  std::vector<std::string> words{"aisp"};
  words.insert(words.end(), run.header.command.begin(), run.header.command.end());
  json object{{"id", run.header.id},
              {"started", run.header.started},
              {"version", run.header.version},
              {"commit", run.header.commit},
              {"command", page::shell_line(words)},
              {"timer", name_of(run.header.timer)},
              {"l2", name_of(run.header.l2)},
              {"seed", run.header.seed},
              {"profile", name_of(run.header.profile)},
              {"device", device},
              {"warning", run.warning}};
  if (run.end) {
    object["finished"] = run.end->finished;
    object["status"] = name_of(run.end->status);
    object["exit"] = run.end->exit;
    object["verdict"] = run.end->verdict;
  }
  return object;
}

// What measures this entry again, the way it was.
std::string again(const RunFile& run, const EntryPlan& entry) {
  std::vector<std::string> words{"aisp", "bench", "run", "--targets", entry.target};
  std::vector<std::string> extents;
  for (const auto extent : entry.dims) extents.push_back(std::to_string(extent));
  if (!entry.variant.empty()) words.insert(words.end(), {"--variant", entry.variant});
  if (!extents.empty()) words.insert(words.end(), {"--sizes", base::join(extents, "x")});
  if (run.header.timer != Timer::events)
    words.insert(words.end(), {"--timer", std::string(name_of(run.header.timer))});
  if (run.header.l2 != L2Mode::cold)
    words.insert(words.end(), {"--l2", std::string(name_of(run.header.l2))});
  if (run.header.seed != 0) words.insert(words.end(), {"--seed", std::to_string(run.header.seed)});
  for (const auto& module : run.header.modules) words.insert(words.end(), {"--load", module.file});
  if (is_simulated(run)) {
    const std::string& hardware = run.device->hardware;  // "h200-simulated"
    words.insert(words.end(), {"--device", "sim:" + hardware.substr(0, hardware.find('-'))});
  }
  return page::shell_line(words);
}

json entry_json(const RunFile& run, const EntryPlan& plan, std::size_t place) {
  json object{{"run", place},
              {"target", plan.target},
              {"chapter", chapter_of(plan.target)},
              {"size", size_of(plan.entry)},
              {"dtype", dtype_of(plan.variant)},
              {"command", again(run, plan)}};
  if (const Target* target = is_simulated(run) ? find_target(plan.target) : nullptr) {
    if (target->shows_in)
      object["shows"] = {{"count", name_of(*target->shows_in)},
                         {"more", is_better(*target->shows_in, 1, 0)}};
    else
      object["nowhere"] = why_no_count(*target);
  }
  for (const auto& attempt : run.attempts)
    if (attempt.entry == plan.entry) {
      object["flops"] = attempt.flops;
      object["bytes"] = attempt.bytes;
    }
  return object;
}

// A simulated row has what was counted and no time: the one in the run file is estimated from it.
void add_counts(json& object, const RunFile& run, const RowRecord& row) {
  for (const auto& [count, value] : row.counts)
    object["counts"].push_back(json::array({name_of(count), value, text_of(count, value)}));
  if (const std::string text = shown_idea(run, row); !text.empty()) object["idea"] = text;
  if (const auto idea = idea_of(run, row)) object["shown"] = idea->is_shown();
  if (const std::string check = worst_check(run, row); !check.empty()) object["check"] = check;
}

void add_times(json& object, const RunFile& run, const RowRecord& row,
               const std::vector<double>& times) {
  object["cells"] = result_cells(run, row);
  if (row.samples > 0) {
    object["samples"] = json::array();
    for (const double ms : times) object["samples"].push_back(rounded(ms));
    object["median"] = row.median_ms;
    object["low"] = row.low_ms;
    object["high"] = row.high_ms;
    object["speedup"] = row.speedup;
    object["speedup_low"] = row.speedup_low;
    object["speedup_high"] = row.speedup_high;
    object["p"] = row.p_value;
  }
  if (row.verdict) object["verdict"] = name_of(*row.verdict);
  if (!row.roof.empty()) object["roof"] = row.roof;
  if (row.roof_ms) object["floor"] = *row.roof_ms;
  if (row.roof_share) object["share"] = *row.roof_share;
}

json row_json(const RunFile& run, const RowRecord& row, const std::vector<double>& times,
              std::size_t entry) {
  json object{
      {"entry", entry}, {"rung", row.rung}, {"peer", row.peer}, {"status", name_of(row.status)}};
  if (!row.reason.empty()) object["reason"] = row.reason;
  if (!row.note.empty()) object["note"] = row.note;
  if (is_simulated(run))
    add_counts(object, run, row);
  else
    add_times(object, run, row, times);
  return object;
}

const char* kind_name(Finding::Kind kind) {
  if (kind == Finding::regression) return "regression";
  if (kind == Finding::host_bound) return "not judged: bound by the host";
  return kind == Finding::improvement ? "improvement" : "as expected";
}

class Assembly {
 public:
  explicit Assembly(const PageInput& input) : input_(input) {
    for (const char* list : {"devices", "runs", "entries", "rows", "sweeps", "traces", "profiles"})
      document_[list] = json::array();
  }

  json take() {
    for (const auto& run : input_.runs) add(run);
    document_["history"] = page::history_part(input_.history, input_.chapter);
    // The most interesting timeline is the one that the reader sees first.
    auto& traces = document_["traces"].get_ref<json::array_t&>();
    std::stable_sort(traces.begin(), traces.end(), [](const json& a, const json& b) {
      return a.at("interest") > b.at("interest");
    });
    document_["findings"] = json::array();
    for (const auto& findings : input_.findings)
      document_["findings"].push_back(page::findings_part(findings));
    if (input_.runs.size() == 2)
      document_["compare"] = page::comparison_part(input_.runs[0].run, input_.runs[1].run);
    for (const auto& column : result_columns()) document_["columns"].push_back(column.name);
    document_["title"] = input_.title;
    document_["generated"] = input_.generated;
    document_["generator"] = input_.generator;
    document_["warnings"] = input_.warnings;
    return std::move(document_);
  }

 private:
  bool wanted(const std::string& target) const {
    return input_.chapter.empty() || chapter_of(target) == input_.chapter;
  }

  std::size_t place_of(const DeviceRecord& device) {
    json& devices = document_["devices"];
    const json object = device_json(device);
    for (std::size_t i = 0; i < devices.size(); ++i)
      if (devices[i] == object) return i;
    devices.push_back(object);
    return devices.size() - 1;
  }

  void add(const PageRun& source) {
    const RunFile& run = source.run;
    const std::size_t place = document_["runs"].size();
    document_["runs"].push_back(run_json(run, place_of(run.device.value_or(DeviceRecord{}))));
    std::map<std::string, std::size_t> entries;
    for (const auto& plan : run.header.plan) {
      if (!wanted(plan.target)) continue;
      entries[plan.entry] = document_["entries"].size();
      document_["entries"].push_back(entry_json(run, plan, place));
    }
    const RowTimes times(run);
    page::RowPlaces places;
    for (const auto& row : latest_rows(run)) {
      const auto entry = entries.find(row.entry);
      if (entry == entries.end()) continue;
      places[{row.entry, row.rung}] = document_["rows"].size();
      document_["rows"].push_back(row_json(run, row, times.of(row), entry->second));
    }
    add_expectations(run, places);
    if (json sweep = page::sweep_part(run, place); !sweep.is_null() && wanted(sweep.at("target")))
      document_["sweeps"].push_back(std::move(sweep));
    for (json& trace : page::trace_part(source, places)) document_["traces"].push_back(trace);
    for (json& profile : page::profile_part(run, places)) document_["profiles"].push_back(profile);
  }

  void add_expectations(const RunFile& run, const page::RowPlaces& places) {
    for (const auto& finding : findings_of(input_, run)) {
      const auto row = places.find({finding.entry, finding.rung});
      if (row == places.end() || finding.expected_ms <= 0 || finding.ratio <= 0) continue;
      if (finding.kind == Finding::other_conditions) continue;
      json& expected = document_["rows"][row->second]["expected"];
      expected["kind"] = kind_name(finding.kind);
      if (is_simulated(run)) continue;  // its time is an estimate
      expected["ms"] = rounded(finding.expected_ms);
      expected["ratio"] = rounded(finding.ratio);
    }
  }

  const PageInput& input_;
  json document_ = json::object();
};

}  // namespace

std::vector<Finding> findings_of(const PageInput& input, const RunFile& run) {
  std::vector<Finding> findings;
  if (!run.device || run.header.validate || !input.expectations) return findings;
  std::set<std::string> chapters;
  for (const auto& plan : run.header.plan) chapters.insert(chapter_of(plan.target));
  for (const auto& chapter : chapters) {
    if (!input.chapter.empty() && chapter != input.chapter) continue;
    const auto known = input.expectations(chapter, run.device->hardware);
    if (!known) continue;
    for (const auto& finding : check_expectations(*known, run)) findings.push_back(finding);
  }
  return findings;
}

json page_document(const PageInput& input) { return Assembly(input).take(); }

}  // namespace aisp::lab
