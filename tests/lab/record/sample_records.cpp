#include "tests/lab/record/sample_records.hpp"

#include <iterator>
#include <limits>
#include <utility>

namespace aisp::lab {

RowRecord row_of(const std::string& entry, const std::string& rung, int attempt, RowStatus status,
                 const std::string& reason) {
  RowRecord row;
  row.entry = entry;
  row.rung = rung;
  row.attempt = attempt;
  row.status = status;
  row.reason = reason;
  return row;
}

SampleRecord sample_of(const std::string& entry, const std::string& rung, int attempt, int index,
                       double ms) {
  SampleRecord sample;
  sample.entry = entry;
  sample.rung = rung;
  sample.attempt = attempt;
  sample.index = index;
  sample.ms = ms;
  return sample;
}

Record RecordMaker::make(std::size_t kind) {
  switch (kind) {
    case 0:
      return RunHeader{run_schema,       text(),       "2026-01-31T12:00:00Z",
                       text(),           text(),       texts(),
                       Timer::events,    L2Mode::cold, engine_(),
                       count(),          count(),      Profile::minimal,
                       flag(),           real(),       count(),
                       {plan(), plan()}, flag(),       {},
                       texts()};
    case 1:
      return DeviceRecord{text(),       text(),       text(),       text(),
                          text(),       count(),      count(),      count(),
                          big(),        big(),        flag(),       count(),
                          maybe_text(), maybe_text(), maybe_text(), {{text(), real(), flag()}}};
    case 2:
      return AttemptRecord{text(), count(), texts(), real(), real(), maybe_text()};
    case 3:
      return CheckRecord{text(), text(), CheckTime::after, count(), engine_(),    flag(),
                         big(),  big(),  real(),           real(),  maybe_text(), count()};
    case 4:
      return SampleRecord{text(),       text(),       count(),      count(),      real(),
                          maybe_real(), maybe_real(), maybe_real(), maybe_real(), texts()};
    case 5:
      return ProfileRecord{
          text(),       text(),       count(),      {kernel(), kernel()},        maybe_text(),
          maybe_text(), maybe_text(), maybe_text(), {{Counter::l2_hits, real()}}};
    case 6:
      return TraceRecord{text(),       text(),
                         count(),      flag(),
                         maybe_text(), {overlap(), overlap()},
                         maybe_text(), {{count(), real(), real(), maybe_text(), text()}}};
    case 7:
      return RowRecord{text(),
                       text(),
                       count(),
                       flag(),
                       RowStatus::measured,
                       maybe_text(),
                       maybe_text(),
                       count(),
                       real(),
                       real(),
                       real(),
                       real(),
                       real(),
                       real(),
                       Verdict::same,
                       real(),
                       maybe_real(),
                       maybe_real(),
                       maybe_text(),
                       {figure(), figure()},
                       maybe_real(),
                       texts(),
                       {{Count::l2_bytes, real()}},
                       maybe_real()};
    default:
      return EndRecord{EndStatus::complete, "2026-01-31T13:00:00Z", count(), maybe_text()};
  }
}

FigureRecord RecordMaker::figure() { return {text(), maybe_text(), real(), real(), real()}; }
int RecordMaker::below(int limit) {
  return static_cast<int>(engine_() % static_cast<unsigned>(limit));
}
bool RecordMaker::flag() { return below(2) == 1; }
int RecordMaker::count() { return below(8) == 0 ? std::numeric_limits<int>::max() : below(1000); }
std::int64_t RecordMaker::big() {
  return below(4) == 0 ? std::numeric_limits<std::int64_t>::max() : below(1 << 30);
}
double RecordMaker::real() {
  constexpr double odd[] = {0.0,
                            0.1,
                            1e-308,
                            4.9e-324,
                            1.7976931348623157e308,
                            -2.5,
                            3.0,
                            std::numeric_limits<double>::infinity(),
                            -std::numeric_limits<double>::infinity()};
  if (below(3) == 0) return odd[below(std::size(odd))];
  return std::uniform_real_distribution<double>(-1e6, 1e6)(engine_);
}
std::string RecordMaker::text() {
  constexpr const char* odd[] = {"line\nbreak", "quote\"d \\ back", "µs ≥ 92 %", "tab\tbell\a",
                                 " "};
  return below(3) == 0 ? odd[below(std::size(odd))] : "name" + std::to_string(below(1000));
}
std::string RecordMaker::maybe_text() { return flag() ? text() : ""; }
std::optional<double> RecordMaker::maybe_real() {
  return flag() ? std::optional(real()) : std::nullopt;
}
std::vector<std::string> RecordMaker::texts() {
  std::vector<std::string> list(static_cast<std::size_t>(below(3)));
  for (auto& item : list) item = text();
  return list;
}
EntryPlan RecordMaker::plan() {
  return {text(), text(), maybe_text(), {big() + 0, 1, 7}, texts(), {1, 7}};
}
OverlapRecord RecordMaker::overlap() {
  return {count(),      real(),      {{text(), real(), count()}},
          real(),       real(),      count(),
          real(),       count(),     real(),
          maybe_text(), maybe_text()};
}
KernelRecord RecordMaker::kernel() {
  return {text(),
          {1 + below(9), 1, 1},
          {128, 1, 1},
          count(),
          big(),
          big(),
          big(),
          real(),
          {{Counter::time, real()}, {Counter::waves, real()}},
          {{text(), real()}},
          {{text(), real()}},
          {{text(), count(), maybe_text(), real(), maybe_text()}},
          maybe_text()};
}

RunFile small_run(const std::string& id, double baseline_ms, double one_pass_ms, double scatter,
                  int samples) {
  const std::string entry = "ch09:memory_bound/1024";
  RunFile run;
  run.header = {.id = id,
                .started = "2026-01-31T12:00:00Z",
                .version = "0.1.0",
                .commit = "abc123",
                .command = {"aisp", "bench", "run"},
                .timer = Timer::events,
                .l2 = L2Mode::cold,
                .seed = std::numeric_limits<std::uint64_t>::max(),
                .warmup = 3,
                .profile = Profile::none,
                .time_limit = 60,
                .self_check = 100,
                .plan = {{entry, "ch09:memory_bound", "", {1024}, {"baseline", "one_pass"}}}};
  run.device = DeviceRecord{.hardware = "h200",
                            .name = "NVIDIA H200",
                            .driver = "580.1",
                            .runtime = "13.0",
                            .uuid = "GPU-1",
                            .multiprocessors = 132,
                            .major = 9,
                            .l2_bytes = 60 << 20,
                            .memory_bytes = std::int64_t{139} << 30};
  run.attempts.push_back({entry, 1, {"baseline", "one_pass"}, 1e6, 8192, ""});
  const std::pair<const char*, double> rungs[] = {{"baseline", baseline_ms},
                                                  {"one_pass", one_pass_ms}};
  for (const auto& [rung, ms] : rungs) {
    for (const auto when : {CheckTime::before, CheckTime::after})
      run.checks.push_back({entry, rung, when, 1, 42, true, 1024, 0, 0.5, 1e-8, ""});
    for (int i = 0; i < samples; ++i) {
      const double share = samples > 1 ? 2.0 * i / (samples - 1) - 1 : 0;  // -1 … 1
      run.samples.push_back(sample_of(entry, rung, 1, i, ms * (1 + scatter * share)));
      run.samples.back().sm_mhz = 1900.0 + i;
      run.samples.back().celsius = 40.0;
    }
    RowRecord& row = run.rows.emplace_back(row_of(entry, rung, 1, RowStatus::measured));
    row.samples = samples;
    row.median_ms = ms;
    row.low_ms = ms * 0.99;
    row.high_ms = ms * 1.01;
    row.speedup = baseline_ms / ms;
    row.verdict = Verdict::same;
  }
  run.end = EndRecord{EndStatus::complete, "2026-01-31T12:01:00Z", 0, "all as expected"};
  return run;
}

std::vector<Record> records_of(const RunFile& run) {
  std::vector<Record> records{run.header};
  if (run.device) records.emplace_back(*run.device);
  const auto add = [&](const auto& list) {
    records.insert(records.end(), list.begin(), list.end());
  };
  add(run.attempts);
  add(run.checks);
  add(run.samples);
  add(run.profiles);
  add(run.traces);
  add(run.rows);
  if (run.end) records.emplace_back(*run.end);
  return records;
}

}  // namespace aisp::lab
