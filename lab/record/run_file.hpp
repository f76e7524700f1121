// A run as read back from disk, and run.json: the whole run folded into one versioned document for
// people and other programs (lab/record/run.schema.json). The journal stays the truth.
#pragma once

#include <filesystem>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "lab/record/records.hpp"

namespace aisp::lab {

inline constexpr std::string_view document_name = "run.json";

struct RunFile {
  RunHeader header;
  std::optional<DeviceRecord> device;
  std::vector<AttemptRecord> attempts;
  std::vector<CheckRecord> checks;
  std::vector<SampleRecord> samples;
  std::vector<ProfileRecord> profiles;
  std::vector<TraceRecord> traces;
  std::vector<RowRecord> rows;
  std::optional<EndRecord> end;  // empty while running, after a kill, and once resumed
  std::string warning;           // one line when a torn last line was left out

  bool operator==(const RunFile&) const = default;
};

// Adds one more record, as if it were the journal's next line. Refuses a second header.
void add_record(RunFile& run, const Record& record);

// `path` is the run's folder, its run.jsonl or a run.json. A journal cut short reads up to its last
// whole line, with a warning. Refuses a path that does not exist (Exit::usage) and an empty,
// damaged or differently versioned file (Exit::environment).
RunFile read_run(const std::filesystem::path& path);

// The last word on each (entry, rung): the row of the highest attempt, in the order of the plan.
std::vector<RowRecord> latest_rows(const RunFile& run);

// The plan of an entry, and the attempt that a row came from; null where the run has none.
const EntryPlan* plan_of(const RunFile& run, std::string_view entry);
const AttemptRecord* attempt_of(const RunFile& run, const RowRecord& row);

// The samples that a row rests on, in the order in which they were taken.
std::vector<SampleRecord> samples_of(const RunFile& run, const RowRecord& row);
// Their times in milliseconds.
std::vector<double> times_of(const RunFile& run, const RowRecord& row);

// The same for all rows at once, which is what a run of thousands of rows is read with.
class RowTimes {
 public:
  explicit RowTimes(const RunFile& run);
  const std::vector<double>& of(const RowRecord& row) const;

 private:
  std::map<std::tuple<std::string, std::string, int>, std::vector<double>> times_;
};

// Whether every planned rung of the entry has a row.
bool entry_complete(const RunFile& run, std::string_view entry);

// The folded document: checks, samples, profile and trace stand under the row they led to; those of
// an attempt that ended without a row stand under "unfinished".
nlohmann::json run_document(const RunFile& run);
RunFile run_from_document(const nlohmann::json& document);

// Writes <folder>/run.json, replacing an older one atomically.
void write_run_json(const std::filesystem::path& folder, const RunFile& run);

}  // namespace aisp::lab
