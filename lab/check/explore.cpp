#include "lab/check/explore.hpp"

#include <algorithm>
#include <optional>

#include "base/refuse.hpp"
#include "base/text.hpp"

namespace aisp::lab {
namespace {

constexpr std::uint64_t most_seeds = 16;  // tried for a simpler schedule

std::vector<Schedule> planned(const ExploreOptions& options) {
  if (options.seeds == 0) return {options.base};
  std::vector<Schedule> all;
  Schedule one = options.base;
  one.seed = 1;
  for (const auto order : {ScheduleOrder::earliest, ScheduleOrder::latest}) {
    one.order = order;
    all.push_back(one);
  }
  one.order = ScheduleOrder::random;
  one.seed = options.base.seed;
  for (int i = 0; i < options.seeds; ++i) {
    all.push_back(one);
    ++one.seed;
  }
  return all;
}

// What to look for again: a hazard, or an end of the program without one.
struct Failure {
  std::optional<Hazard> hazard;
  int exit = 0, signal = 0;
  bool timed_out = false;

  bool shown_by(const CheckRun& run) const {
    if (!hazard) return run.exit == exit && run.signal == signal && run.timed_out == timed_out;
    return std::any_of(run.hazards.begin(), run.hazards.end(),
                       [&](const Hazard& one) { return same_hazard(one, *hazard); });
  }
};

bool fails(const CheckRun& run, const Counts& counts) {
  return run.failed() || std::any_of(run.hazards.begin(), run.hazards.end(), counts);
}

Failure failure_of(const CheckRun& run, const Counts& counts) {
  const auto first = std::find_if(run.hazards.begin(), run.hazards.end(), counts);
  if (first != run.hazards.end()) return {.hazard = *first};
  return {.exit = run.exit, .signal = run.signal, .timed_out = run.timed_out};
}

// Everything that the failing run had and the simpler one has too is replayed by the simpler one.
void take_over(Exploration& exploration, CheckRun& failing, const CheckRun& simpler) {
  for (auto& hazard : exploration.hazards)
    if (hazard.seen == failing.schedule && Failure{.hazard = hazard}.shown_by(simpler))
      hazard.replay = simpler.schedule;
  const Failure end{.exit = failing.exit, .signal = failing.signal, .timed_out = failing.timed_out};
  if (end.shown_by(simpler)) failing.replay = simpler.schedule;
}

void shrink(Exploration& exploration, CheckRun& failing, const Runner& runner,
            const Counts& counts) {
  const Failure failure = failure_of(failing, counts);
  std::vector<Schedule> done;
  for (const auto& run : exploration.runs) done.push_back(run.schedule);
  for (const auto& schedule : simpler_schedules(failing.schedule, done)) {
    const CheckRun run = runner(schedule, ProgramOutput::never);
    if (run.interrupted) {
      exploration.interrupted = true;
      return;
    }
    ++exploration.tried;
    if (!failure.shown_by(run)) continue;
    take_over(exploration, failing, run);
    return;
  }
}

}  // namespace

std::vector<Schedule> simpler_schedules(const Schedule& failing,
                                        const std::vector<Schedule>& done) {
  std::vector<Schedule> all;
  const auto add = [&](const Schedule& one) {
    if (std::find(done.begin(), done.end(), one) == done.end()) all.push_back(one);
  };
  Schedule one = failing;
  one.seed = 1;
  for (const auto order : {ScheduleOrder::earliest, ScheduleOrder::latest}) {
    one.order = order;
    add(one);
  }
  if (failing.order == ScheduleOrder::random) {
    one.order = ScheduleOrder::random;
    for (one.seed = 1; one.seed < std::min(failing.seed, most_seeds + 1); ++one.seed) add(one);
  }
  const auto parts = base::split(failing.device, ',');
  const std::string name = parts.empty() || parts[0].empty() ? "h200" : parts[0];
  std::int64_t sms = INT64_MAX;
  std::string gpus;  // stay as many: a program may need them
  for (const auto& part : parts) {
    if (part.starts_with("sms=")) sms = base::parse_integer(part.substr(4)).value_or(sms);
    if (part.starts_with("gpus=")) gpus = "," + part;
  }
  one = failing;
  for (const int fewer : {1, 2, 4}) {
    one.device = base::say(name, ",sms=", fewer, gpus);
    if (fewer < sms) add(one);
  }
  return all;
}

Exploration explore(const ExploreOptions& options, const Runner& runner, const Counts& counts) {
  Exploration exploration;
  std::size_t failing = SIZE_MAX;
  for (const auto& schedule : planned(options)) {
    const ProgramOutput output =
        exploration.runs.empty() ? ProgramOutput::live : ProgramOutput::when_failing;
    CheckRun run = runner(schedule, output);
    run.replay = schedule;
    merge(exploration.hazards, run.hazards);
    exploration.interrupted = run.interrupted;
    if (!run.interrupted && failing == SIZE_MAX && fails(run, counts))
      failing = exploration.runs.size();
    exploration.runs.push_back(std::move(run));
    if (exploration.interrupted || (failing != SIZE_MAX && !options.keep_going)) break;
  }
  const bool random =
      failing != SIZE_MAX && exploration.runs[failing].schedule.order == ScheduleOrder::random;
  if (options.seeds > 0 && random && !exploration.interrupted)
    shrink(exploration, exploration.runs[failing], runner, counts);
  return exploration;
}

}  // namespace aisp::lab
