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

void Supervisor::fail(const Job& job, const std::vector<std::string>& rungs,
                      const std::string& reason) {
  std::vector<Record> rows;
  for (const auto& rung : rungs) {
    RowRecord row;
    row.entry = job.entry.entry;
    row.rung = rung;
    row.attempt = job.attempt;
    row.status = RowStatus::failed;
    row.reason = reason;
    rows.push_back(std::move(row));
  }
  keep(rows);
}

Supervisor::Ending Supervisor::run_one(const EntryPlan& entry, std::size_t index) {
  Job job = make_job(entry, attempts_so_far(run_, entry) + 1);
  while (!job.rungs.empty()) {
    Intake intake(job);
    Child child({"worker"}, to_json(job).dump() + "\n", folder_ / "worker.log",
                environment_of(entry));
    const auto [failure, ended_rung, interrupted] = follow(child, job, index, intake);
    if (interrupted) return Ending::interrupted;
    // Also where it has a row: what its worker sent is not to be believed.
    if (!ended_rung.empty()) fail(job, {ended_rung}, failure);
    const auto left = rungs_without_row(run_, job);
    if (left.empty()) {
      if (!failure.empty() && ended_rung.empty())
        observer_.warn(entry.entry + ": after its rows were recorded, " + failure);
      break;
    }
    const Phase& phase = intake.phase();
    const std::string reason =
        failure.empty() ? "the worker ended without a result" + in_phase(phase) : failure;
    // A failure inside one rung is that rung's; the others get a fresh worker. So they do when the
    // worker had given the guilty rung its row before it ended. A failure outside of any rung
    // (reference, buffers) would come again, so it is everybody's.
    const bool one_rung = std::find(left.begin(), left.end(), phase.rung) != left.end();
    const bool got_further = left.size() < job.rungs.size();
    if (one_rung)
      fail(job, {phase.rung}, reason);
    else if (!got_further)
      fail(job, left, reason);
    job.rungs = rungs_without_row(run_, job);
    ++job.attempt;
  }
  return Ending::done;
}

Supervisor::Followed Supervisor::follow(Child& child, const Job& job, std::size_t index,
                                        Intake& intake) {
  using Clock = std::chrono::steady_clock;
  const auto limit = std::chrono::duration_cast<Clock::duration>(
      std::chrono::duration<double>(run_.header.time_limit));
  const auto deadline = Clock::now() + limit;
  constexpr int nobody = -1;
  std::vector<std::string> lines;
  bool late = false, interrupted = false;
  const auto foreign = [&](const std::string& what, const std::string& rung) {
    child.kill();
    child.wait();
    return Followed{.failure = "worker sent " + what + in_phase(intake.phase()) +
                               "; a rung must not write to the worker's stream",
                    .ended_rung = rung,
                    .interrupted = interrupted};
  };
  try {
    while (true) {
      const bool stopping = interrupted || late;
      // Once stopped, what the worker has already sent is still taken, until its stream ends.
      const auto wake = std::min(deadline, Clock::now() + std::chrono::seconds(1));
      const auto got = child.read(lines, stopping ? Clock::now() + std::chrono::seconds(5) : wake,
                                  stopping ? nobody : interrupt_.readable());
      take(lines, job.entry, index, intake);
      if (got == Child::Read::deadline && !stopping && Clock::now() < deadline) {
        observer_.waiting();
        continue;
      }
      if (got == Child::Read::overlong)
        return foreign(base::say("a line of more than ", longest_line, " bytes"),
                       intake.rung_at_work());
      if (got == Child::Read::end || (stopping && got == Child::Read::deadline)) break;
      if (got == Child::Read::deadline) late = true;
      if (got == Child::Read::interrupted) interrupted = true;
      if (got != Child::Read::lines) child.kill();
    }
  } catch (const ForeignLine& line) {
    return foreign(line.what(), line.rung());
  }
  const std::string ending = child.wait();
  const Phase& phase = intake.phase();
  if (interrupted) return {.interrupted = true};
  if (late)
    return {.failure =
                base::say("time limit of ", run_.header.time_limit, " s reached", in_phase(phase),
                          "; ", has_time_limit_option(run_.header) ? "" : "aisp bench run with ",
                          "--time-limit S raises it")};
  if (ending.empty() && !child.partial().empty())  // a worker that dies may leave half a line
    return foreign(base::say("a line of ", child.partial().size(), " bytes without an end"),
                   intake.rung_at_work());
  if (ending.empty()) return {};
  const std::string words = child.last_words();
  return {.failure = "worker " + ending + in_phase(phase) + (words.empty() ? "" : ": " + words)};
}

// What comes before a line that is refused is kept.
void Supervisor::take(const std::vector<std::string>& lines, const EntryPlan& entry,
                      std::size_t index, Intake& intake) {
  std::vector<Record> records;
  const auto take_line = [&](const std::string& line) {
    auto taken = intake.take(line);
    if (const auto* phase = std::get_if<Phase>(&taken))
      return observer_.phase(entry, index, run_.header.plan.size(), *phase);
    Record& record = std::get<Record>(taken);
    const bool known = std::holds_alternative<DeviceRecord>(record) && run_.device.has_value();
    if (!known) records.push_back(std::move(record));
  };
  try {
    for (const auto& line : lines) take_line(line);
  } catch (const ForeignLine&) {
    keep(records);
    throw;
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
