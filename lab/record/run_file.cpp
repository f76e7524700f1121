#include "lab/record/run_file.hpp"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "base/refuse.hpp"
#include "lab/record/file.hpp"
#include "lab/record/journal.hpp"

namespace aisp::lab {
namespace {

namespace fs = std::filesystem;

struct Adder {
  RunFile& run;

  void operator()(const RunHeader&) const {
    base::refuse(base::Exit::environment, "a second run header");
  }
  void operator()(const DeviceRecord& record) const { run.device = record; }
  void operator()(const AttemptRecord& record) const {
    run.attempts.push_back(record);
    run.end.reset();  // the run was resumed: it has not ended yet
  }
  void operator()(const CheckRecord& record) const { run.checks.push_back(record); }
  void operator()(const SampleRecord& record) const { run.samples.push_back(record); }
  void operator()(const ProfileRecord& record) const { run.profiles.push_back(record); }
  void operator()(const TraceRecord& record) const { run.traces.push_back(record); }
  void operator()(const RowRecord& record) const { run.rows.push_back(record); }
  void operator()(const EndRecord& record) const { run.end = record; }
};

RunFile read_journal(const fs::path& path) {
  const std::string text = read_whole(path);
  const WholeLines whole = whole_lines(text);
  if (whole.bytes == 0)
    base::refuse(base::Exit::environment, path.string(),
                 text.empty() ? " is empty" : " holds no whole line",
                 ": the run ended before it wrote anything; start a new run");
  RunFile run;
  run.warning = whole.warning;
  std::string_view rest = std::string_view(text).substr(0, whole.bytes);
  for (int line = 1; !rest.empty(); ++line) {
    const auto end = rest.find('\n');
    try {
      const Record record = record_from_line(rest.substr(0, end));
      if (line > 1) {
        add_record(run, record);
      } else if (const auto* header = std::get_if<RunHeader>(&record)) {
        run.header = *header;
      } else {
        base::refuse(base::Exit::environment, "the first record is not a run header");
      }
    } catch (const base::Refusal& refusal) {
      base::refuse(refusal.exit(), path.string(), " line ", line, ": ", refusal.what());
    }
    rest.remove_prefix(end + 1);
  }
  return run;
}

RunFile read_document(const fs::path& path) {
  const std::string text = read_whole(path);
  const auto document = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (document.is_discarded())
    base::refuse(base::Exit::environment, path.string(), " is not JSON (", text.size(),
                 " bytes); read the journal ", journal_name, " beside it instead");
  try {
    return run_from_document(document);
  } catch (const base::Refusal& refusal) {
    base::refuse(refusal.exit(), path.string(), ": ", refusal.what());
  }
}

}  // namespace

void add_record(RunFile& run, const Record& record) { std::visit(Adder{run}, record); }

RunFile read_run(const fs::path& path) {
  std::error_code error;
  const auto status = fs::status(path, error);
  if (!fs::exists(status))
    base::refuse(
        error && status.type() == fs::file_type::none ? base::Exit::environment : base::Exit::usage,
        "no run at ", path.string(), error ? ": " + error.message() : "",
        "; give a run's folder, its ", journal_name, " or its ", document_name);
  if (!fs::is_directory(status))
    return path.extension() == ".json" ? read_document(path) : read_journal(path);
  if (fs::exists(path / journal_name, error)) return read_journal(path / journal_name);
  if (fs::exists(path / document_name, error)) return read_document(path / document_name);
  base::refuse(base::Exit::usage, "folder ", path.string(), " holds no run: neither ", journal_name,
               " nor ", document_name, " is in it");
}

std::vector<RowRecord> latest_rows(const RunFile& run) {
  using Key = std::pair<std::string, std::string>;
  std::vector<Key> order;
  std::map<Key, const RowRecord*> latest;
  for (const auto& plan : run.header.plan)
    for (const auto& rung : plan.rungs) order.emplace_back(plan.entry, rung);
  for (const auto& row : run.rows) {
    const Key key(row.entry, row.rung);
    const auto [found, is_new] = latest.try_emplace(key, &row);
    if (!is_new && row.attempt >= found->second->attempt) found->second = &row;
    if (is_new && std::find(order.begin(), order.end(), key) == order.end()) order.push_back(key);
  }
  std::vector<RowRecord> rows;
  for (const auto& key : order)
    if (const auto found = latest.find(key); found != latest.end()) rows.push_back(*found->second);
  return rows;
}

const EntryPlan* plan_of(const RunFile& run, std::string_view entry) {
  for (const auto& plan : run.header.plan)
    if (plan.entry == entry) return &plan;
  return nullptr;
}

const AttemptRecord* attempt_of(const RunFile& run, const RowRecord& row) {
  for (const auto& attempt : run.attempts)
    if (attempt.entry == row.entry && attempt.attempt == row.attempt) return &attempt;
  return nullptr;
}

std::vector<SampleRecord> samples_of(const RunFile& run, const RowRecord& row) {
  std::vector<SampleRecord> samples;
  for (const auto& sample : run.samples)
    if (sample.entry == row.entry && sample.rung == row.rung && sample.attempt == row.attempt)
      samples.push_back(sample);
  return samples;
}

std::vector<double> times_of(const RunFile& run, const RowRecord& row) {
  std::vector<double> times;
  for (const auto& sample : samples_of(run, row)) times.push_back(sample.ms);
  return times;
}

RowTimes::RowTimes(const RunFile& run) {
  for (const auto& sample : run.samples)
    times_[{sample.entry, sample.rung, sample.attempt}].push_back(sample.ms);
}

const std::vector<double>& RowTimes::of(const RowRecord& row) const {
  static const std::vector<double> none;
  const auto found = times_.find({row.entry, row.rung, row.attempt});
  return found != times_.end() ? found->second : none;
}

bool entry_complete(const RunFile& run, std::string_view entry) {
  const auto& plan = run.header.plan;
  const auto planned =
      std::find_if(plan.begin(), plan.end(), [&](const auto& p) { return p.entry == entry; });
  if (planned == plan.end()) return false;
  return std::all_of(planned->rungs.begin(), planned->rungs.end(), [&](const auto& rung) {
    return std::any_of(run.rows.begin(), run.rows.end(),
                       [&](const auto& row) { return row.entry == entry && row.rung == rung; });
  });
}

void write_run_json(const fs::path& folder, const RunFile& run) {
  const std::string text =
      run_document(run).dump(1, ' ', false, nlohmann::json::error_handler_t::replace);
  replace_file(folder / document_name, text + "\n", "choose another folder with --out DIR");
}

}  // namespace aisp::lab
