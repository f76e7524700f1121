// How long a run will take on the simulator. The rates are measured on this machine, rung by rung:
// the targets run once at a small size, and the time of one run is scaled by the operations of the
// planned sizes, or by their bytes where a target has no operations.
#pragma once

#include <string>
#include <vector>

#include "lab/record/records.hpp"
#include "lab/run/plan/options.hpp"
#include "lab/run/process/interrupt.hpp"
#include "lab/run/process/supervisor.hpp"

namespace aisp::lab {

// What is done with each rung at each size.
struct RunsPerRung {
  double runs = 1;        // of its kernels
  double references = 0;  // float64 references per size
};
RunsPerRung runs_of_bench(const RunHeader& header);

struct EntryEstimate {
  std::string entry, target;
  double work = 0;  // of one run: operations, or bytes
  bool bytes = false;
  int rungs = 0;                 // that could be timed
  double run_seconds = 0;        // of all of them, once
  double reference_seconds = 0;  // of one float64 reference
  double seconds = 0;            // of what is done with them
};

// Empty where nothing of the plan could be timed or a signal has come. `observer` sees the phases.
std::vector<EntryEstimate> estimate_run(const RunHeader& planned, const RunsPerRung& each,
                                        const Interrupt& interrupt,
                                        RunObserver* observer = nullptr);

// A line for each target, one about sizes that the time limit of the run would stop, and the total.
std::vector<std::string> estimate_lines(const std::vector<EntryEstimate>& entries,
                                        const RunsPerRung& each, const RunHeader& planned);
// For each entry of the plan, for RunObserver::expects.
std::vector<double> expected_seconds(const std::vector<EntryEstimate>& entries,
                                     const RunHeader& planned);
// What the total ends with.
extern const char* const accuracy_of_estimate;

// Whether the plan is so large that an estimate comes first: full sizes, or given ones that are far
// larger than the targets' small sizes.
bool needs_estimate(const RunHeader& planned, bool full);

// The lines for a command that runs each rung of the plan once, without a reference and a limit.
std::vector<std::string> estimate_of_rungs(const RunHeader& planned);

// Operations of one run, or bytes where a target has no operations.
double work_of_entry(const EntryPlan& entry);

// "40 s", "5 min", "3.2 h", "2.1 days"
std::string rough_duration(double seconds);

}  // namespace aisp::lab
