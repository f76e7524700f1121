#include "lab/run/process/intake.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/file.hpp"
#include "base/refuse.hpp"
#include "lab/measure/statistics.hpp"

namespace aisp::lab {
namespace {

using nlohmann::json;

constexpr auto replace_bad = json::error_handler_t::replace;
constexpr std::size_t most_shown = 60;
constexpr std::string_view twin = " again";  // what a self-check calls the other one of the pair

// As it can stand in a table: what a terminal would act on is left out.
std::string shown(const std::string& text) {
  std::string result;
  for (const char letter : text.substr(0, most_shown))
    result += static_cast<unsigned char>(letter) < 0x20 || letter == 0x7f ? '?' : letter;
  return "'" + result + (text.size() > most_shown ? "…'" : "'");
}

std::string without_twin(const std::string& rung) {
  return rung.ends_with(twin) ? rung.substr(0, rung.size() - twin.size()) : rung;
}

}  // namespace

void Intake::refuse(const std::string& rung, const std::string& what) const {
  const std::string at_work = rung_at_work();
  throw ForeignLine(what, at_work.empty() ? rung : at_work);
}

std::string Intake::rung_at_work() const {
  const auto& rungs = job_.rungs;
  const std::string name = job_.self_check > 0 ? without_twin(phase_.rung) : phase_.rung;
  return std::find(rungs.begin(), rungs.end(), name) != rungs.end() ? name : "";
}

std::variant<Phase, Record> Intake::take(const std::string& line) {
  const json object = json::parse(line, nullptr, /*allow_exceptions=*/false);
  if (!object.is_object()) refuse("", "a line that is no record: " + shown(line));
  try {
    if (object.contains("kind") && object["kind"] == "phase") return phase_ = read_phase(object);
    Record record = record_from_json(object);
    std::visit([this](const auto& one) { admit(one); }, record);
    return record;
  } catch (const base::Refusal& refusal) {
    refuse("", base::say("a line that is no record: ", refusal.what()));
  } catch (const json::exception&) {
    refuse("", "a line that is no record: " + shown(line));
  }
}

Phase Intake::read_phase(const json& object) const {
  Phase phase = phase_from_json(object);
  const std::string rung = job_.self_check > 0 ? without_twin(phase.rung) : phase.rung;
  const auto& rungs = job_.rungs;
  if (!rung.empty() && std::find(rungs.begin(), rungs.end(), rung) == rungs.end())
    refuse("", base::say("a phase of the rung ", shown(phase.rung), ", which it was not given"));
  if (shown(phase.what) != "'" + phase.what + "'" || !(phase.share >= 0 && phase.share <= 1))
    refuse("", "a line that is no record: " + shown(object.dump(-1, ' ', true, replace_bad)));
  return phase;
}

void Intake::admit(const RunHeader&) { refuse("", "a run header, which only its parent writes"); }
void Intake::admit(const EndRecord&) { refuse("", "a run's end, which only its parent writes"); }

void Intake::admit(const DeviceRecord&) {
  if (device_) refuse("", "a second device record");
  device_ = true;
}

void Intake::admit(const AttemptRecord& record) {
  if (record.entry != job_.entry.entry || record.attempt != job_.attempt ||
      record.rungs != job_.rungs)
    refuse("", base::say("attempt ", record.attempt, " at ", shown(record.entry),
                         ", which it was not given"));
  if (attempt_) refuse("", "a second attempt record");
  attempt_ = true;
}

Intake::Seen& Intake::seen_of(const char* kind, const std::string& entry, const std::string& rung,
                              int attempt) {
  const auto& rungs = job_.rungs;
  const bool known = std::find(rungs.begin(), rungs.end(), rung) != rungs.end();
  if (!attempt_) refuse(known ? rung : "", base::say("a ", kind, " before its attempt record"));
  if (entry != job_.entry.entry || !known || attempt != job_.attempt)
    refuse("", base::say("a ", kind, " of ", shown(entry), " ", shown(rung), " in attempt ",
                         attempt, ", which it was not given"));
  if (const auto at_work = rung_at_work(); !at_work.empty() && at_work != rung)
    refuse("", base::say("a ", kind, " of ", shown(rung), " while ", at_work, " is at work"));
  return seen_[rung];
}

void Intake::admit(const CheckRecord& record) {
  Seen& seen = seen_of("check", record.entry, record.rung, record.attempt);
  if (seen.row) refuse(record.rung, base::say("a check of ", record.rung, " after its row"));
  seen.wrong = seen.wrong || !record.right;
  if (record.when == CheckTime::before) seen.right_before = seen.right_before || record.right;
  if (record.when == CheckTime::after) seen.right_after = seen.right_after || record.right;
}

void Intake::admit(const SampleRecord& record) {
  const bool repeated =
      job_.self_check > 0 && record.attempt >= 1 && record.attempt <= job_.self_check;
  const std::string rung = repeated ? without_twin(record.rung) : record.rung;
  const Seen& seen =
      seen_of("sample", record.entry, rung, repeated ? job_.attempt : record.attempt);
  if (seen.row) refuse(rung, base::say("a sample of ", rung, " after its row"));
  auto& times = samples_[{record.rung, record.attempt}];
  if (record.index < 0 || static_cast<std::size_t>(record.index) != times.size())
    refuse(rung, base::say("sample ", record.index, " of ", rung, " where sample ", times.size(),
                           " comes next"));
  const auto most = static_cast<std::size_t>(job_.iterations > 0 ? job_.iterations : 1'000'000);
  if (times.size() == most)
    refuse(rung, base::say("more than the ", most, " samples of ", rung, " that were asked for"));
  if (!std::isfinite(record.ms) || record.ms < 0)
    refuse(rung, base::say("a sample of ", rung, " of ", record.ms, " ms"));
  times.push_back(record.ms);
}

void Intake::require_good_row(const char* kind, const std::string& rung, const Seen& seen) const {
  if (!seen.good) refuse(rung, base::say("a ", kind, " of ", rung, ", which has no good row"));
}

void Intake::admit(const ProfileRecord& record) {
  Seen& seen = seen_of("profile", record.entry, record.rung, record.attempt);
  require_good_row("profile", record.rung, seen);
  if (job_.profile == Profile::none || seen.profile || !record.file.empty())
    refuse(record.rung, base::say("a profile of ", record.rung, " that was not asked for"));
  seen.profile = true;
}

void Intake::admit(const TraceRecord& record) {
  Seen& seen = seen_of("trace", record.entry, record.rung, record.attempt);
  require_good_row("trace", record.rung, seen);
  if (job_.trace.empty() || seen.trace)
    refuse(record.rung, base::say("a trace of ", record.rung, " that was not asked for"));
  if (!record.file.empty() && !base::stays_below(record.file))
    refuse(record.rung, base::say("a trace in ", shown(record.file), ", outside the run's folder"));
  seen.trace = true;
}

void Intake::require_checks(const RowRecord& row, const Seen& seen) const {
  const std::string status(name_of(row.status));
  if ((row.status == RowStatus::checked) != job_.validate)
    refuse(row.rung, base::say("a row of ", row.rung, " that is ", status, ", in a run that ",
                               job_.validate ? "times nothing" : "times its rungs"));
  if (seen.wrong)
    refuse(row.rung, base::say("a ", status, " row of ", row.rung, ", which a check found wrong"));
  if (!seen.right_before || !seen.right_after)
    refuse(row.rung,
           base::say("a ", status, " row of ", row.rung, " without its check ",
                     name_of(seen.right_before ? CheckTime::after : CheckTime::before), " timing"));
}

void Intake::require_samples(const RowRecord& row) const {
  const auto found = samples_.find({row.rung, job_.self_check > 0 ? job_.self_check : row.attempt});
  const auto times = found != samples_.end() ? found->second : std::vector<double>();
  if (row.samples < 0 || static_cast<std::size_t>(row.samples) != times.size() || times.empty())
    refuse(row.rung, base::say("a row of ", row.rung, " with ", row.samples, " samples, of which ",
                               times.size(), " came"));
  const double middle = median(times);
  if (row.median_ms != middle)
    refuse(row.rung, base::say("a row of ", row.rung, " with a median of ", row.median_ms,
                               " ms, but that of its samples is ", middle, " ms"));
  const auto [least, most] = std::minmax_element(times.begin(), times.end());
  constexpr double rounding = 1e-9;  // of an interpolation between two samples
  if (!(row.low_ms >= *least * (1 - rounding) && row.low_ms <= row.high_ms &&
        row.high_ms <= *most * (1 + rounding)))
    refuse(row.rung,
           base::say("a row of ", row.rung, " with the interval ", row.low_ms, " to ", row.high_ms,
                     " ms, but its samples go from ", *least, " to ", *most, " ms"));
}

void Intake::admit(const RowRecord& record) {
  Seen& seen = seen_of("row", record.entry, record.rung, record.attempt);
  if (seen.row) refuse(record.rung, base::say("a second row of ", record.rung));
  seen.good = record.status == RowStatus::measured || record.status == RowStatus::checked;
  if (seen.good) require_checks(record, seen);
  const bool any_number =
      record.samples != 0 || record.median_ms != 0 || record.low_ms != 0 || record.high_ms != 0;
  if (record.status == RowStatus::measured || any_number) require_samples(record);
  seen.row = true;
}

}  // namespace aisp::lab
