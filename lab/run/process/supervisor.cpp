#include "lab/run/process/supervisor.hpp"

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <set>

#include "base/refuse.hpp"

namespace aisp::lab {
namespace {

std::vector<std::string> rungs_without_row(const RunFile& run, const Job& job) {
  std::set<std::string> with_row;
  for (const auto& row : run.rows)
    if (row.entry == job.entry.entry && row.attempt >= job.attempt) with_row.insert(row.rung);
  std::vector<std::string> without;
  for (const auto& rung : job.rungs)
    if (!with_row.contains(rung)) without.push_back(rung);
  return without;
}

int attempts_so_far(const RunFile& run, const EntryPlan& entry) {
  int last = 0;
  for (const auto& attempt : run.attempts)
    if (attempt.entry == entry.entry) last = std::max(last, attempt.attempt);
  return last;
}

std::string in_phase(const Phase& phase) {
  return phase.what.empty() ? "" : " during " + phase.what;
}

}  // namespace

bool Supervisor::run_all() {
  for (std::size_t i = 0; i < run_.header.plan.size(); ++i) {
    const EntryPlan& entry = run_.header.plan[i];
    if (entry_complete(run_, entry.entry)) continue;
    if (interrupt_.pending()) return false;
    if (run_one(entry, i) == Ending::interrupted) return false;
  }
  return true;
}

bool Supervisor::run_again(const std::set<std::string>& entries) {
  for (std::size_t i = 0; i < run_.header.plan.size(); ++i) {
    if (!entries.contains(run_.header.plan[i].entry)) continue;
    if (interrupt_.pending() || run_one(run_.header.plan[i], i) == Ending::interrupted)
      return false;
  }
  return true;
}

Job Supervisor::make_job(const EntryPlan& entry, int attempt) const {
  const RunHeader& header = run_.header;
  return {.entry = entry,
          .attempt = attempt,
          .rungs = entry.rungs,
          .timer = header.timer,
          .l2 = header.l2,
          .profile = profile_,
          .seed = header.seed,
          .iterations = header.iterations,
          .warmup = header.warmup,
          .validate = header.validate,
          .self_check = header.self_check,
          .modules = header.modules,
          .trace = header.trace ? folder_.string() : ""};
}

Supervisor::Ending Supervisor::run_one(const EntryPlan& entry, std::size_t index) {
  Job job = make_job(entry, attempts_so_far(run_, entry) + 1);
  while (!job.rungs.empty()) {
    Phase phase{.rung = "", .what = "start", .share = 0};
    bool interrupted = false;
    Child child({"worker"}, to_json(job).dump() + "\n", folder_ / "worker.log",
                environment_of(entry));
    const std::string failure = follow(child, entry, index, phase, interrupted);
    if (interrupted) return Ending::interrupted;
    const auto left = rungs_without_row(run_, job);
    if (left.empty()) {
      if (!failure.empty())
        observer_.warn(entry.entry + ": after its rows were recorded, " + failure);
      break;
    }
    const std::string reason =
        failure.empty() ? "the worker ended without a result" + in_phase(phase) : failure;
    // A failure inside one rung is that rung's; the others get a fresh worker. So they do when the
    // worker had given the guilty rung its row before it ended. A failure outside of any rung
    // (reference, buffers) would come again, so it is everybody's.
    const bool one_rung = std::find(left.begin(), left.end(), phase.rung) != left.end();
    const bool got_further = left.size() < job.rungs.size();
    const auto failed = one_rung      ? std::vector{phase.rung}
                        : got_further ? std::vector<std::string>{}
                                      : left;
    std::vector<Record> rows;
    for (const auto& rung : failed)
      rows.push_back(RowRecord{.entry = entry.entry,
                               .rung = rung,
                               .attempt = job.attempt,
                               .status = RowStatus::failed,
                               .reason = reason});
    keep(rows);
    job.rungs = rungs_without_row(run_, job);
    ++job.attempt;
  }
  return Ending::done;
}

std::string Supervisor::follow(Child& child, const EntryPlan& entry, std::size_t index,
                               Phase& phase, bool& interrupted) {
  using Clock = std::chrono::steady_clock;
  const auto limit = std::chrono::duration_cast<Clock::duration>(
      std::chrono::duration<double>(run_.header.time_limit));
  const auto deadline = Clock::now() + limit;
  constexpr int nobody = -1;
  std::vector<std::string> lines;
  bool late = false;
  while (true) {
    const bool stopping = interrupted || late;
    // Once stopped, what the worker has already sent is still taken, until its stream ends.
    const auto got = child.read(lines, stopping ? Clock::now() + std::chrono::seconds(5) : deadline,
                                stopping ? nobody : interrupt_.readable());
    take(lines, entry, index, phase);
    if (got == Child::Read::end || (stopping && got == Child::Read::deadline)) break;
    if (got == Child::Read::deadline) late = true;
    if (got == Child::Read::interrupted) interrupted = true;
    if (got != Child::Read::lines) child.kill();
  }
  const std::string ending = child.wait();
  if (late)
    return base::say("time limit of ", run_.header.time_limit, " s reached", in_phase(phase),
                     "; --time-limit S raises it");
  if (ending.empty()) return "";
  const std::string words = child.last_words();
  return "worker " + ending + in_phase(phase) + (words.empty() ? "" : ": " + words);
}

void Supervisor::take(const std::vector<std::string>& lines, const EntryPlan& entry,
                      std::size_t index, Phase& phase) {
  std::vector<Record> records;
  for (const auto& line : lines) {
    const auto object = nlohmann::json::parse(line, nullptr, false);
    if (object.is_discarded()) continue;  // a line cut off by the worker's death
    if (object.value("kind", "") == "phase") {
      phase = phase_from_json(object);
      observer_.phase(entry, index, run_.header.plan.size(), phase);
      continue;
    }
    Record record = record_from_json(object);
    const bool known = std::holds_alternative<DeviceRecord>(record) && run_.device.has_value();
    if (!known) records.push_back(std::move(record));
  }
  keep(records);
}

void Supervisor::keep(const std::vector<Record>& records) {
  if (records.empty()) return;
  journal_.append(records);
  for (const auto& record : records) {
    add_record(run_, record);
    if (const auto* row = std::get_if<RowRecord>(&record)) observer_.row(*row);
  }
}

}  // namespace aisp::lab
