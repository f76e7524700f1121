// Runs a program under one schedule or many, gathers what was found, and looks for a simpler
// schedule that shows the first failure. Knows no processes: the runner is given.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "lab/check/hazard.hpp"
#include "lab/check/schedule.hpp"

namespace aisp::lab {

// One run of the program.
struct CheckRun {
  Schedule schedule;
  int exit = 0, signal = 0;  // of the program
  bool timed_out = false, interrupted = false;
  std::vector<Hazard> hazards;
  Schedule replay;  // the simplest known to end like this

  bool failed() const { return exit != 0 || signal != 0 || timed_out; }
};

// What becomes of the program's output.
enum class ProgramOutput { live, when_failing, never };

using Runner = std::function<CheckRun(const Schedule& schedule, ProgramOutput output)>;
// Whether a hazard counts: an error that is not suppressed.
using Counts = std::function<bool(const Hazard& hazard)>;

struct ExploreOptions {
  Schedule base;  // the only one when `seeds` is 0; else its device, and where seeds start
  int seeds = 0;  // random schedules after earliest and latest
  bool keep_going = false;
};

struct Exploration {
  std::vector<CheckRun> runs;   // without those of the search for a simpler one
  std::vector<Hazard> hazards;  // of all runs, merged
  int tried = 0;                // runs of the search for a simpler one
  bool interrupted = false;
};

Exploration explore(const ExploreOptions& options, const Runner& runner, const Counts& counts);

// Schedules to try for a failure under `failing`, simplest first, without those in `done`.
std::vector<Schedule> simpler_schedules(const Schedule& failing, const std::vector<Schedule>& done);

}  // namespace aisp::lab
