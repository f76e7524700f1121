// What the parent asks of one worker process: one entry, some of its rungs, how to measure.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "lab/case/case.hpp"
#include "lab/record/records.hpp"

namespace aisp::lab {

struct Job {
  EntryPlan entry;
  int attempt = 1;
  std::vector<std::string> rungs;  // those still to run; a subset of entry.rungs
  Timer timer = Timer::events;
  L2Mode l2 = L2Mode::cold;
  Profile profile = Profile::none;
  std::uint64_t seed = 0;
  int iterations = 0, warmup = 0;
  bool validate = false;
  int self_check = 0;  // repetitions of a rung against itself; 0: an ordinary run
  std::vector<Module> modules;
  std::string trace{};    // the run's folder, to write traces into; "": none are taken
  bool counters = false;  // run each rung once for ncu, and nothing else
};

nlohmann::json to_json(const Job& job);
Job job_from_json(const nlohmann::json& object);

// What the worker of this entry is started with.
Environment environment_of(const EntryPlan& entry);

// Where a worker stands: says which rung a crash or a hang belongs to, and drives the progress
// line. Streamed between records, never stored.
struct Phase {
  std::string rung;  // "" while the work belongs to the whole entry
  std::string what;  // "reference", "check before", "timing", …
  double share = 0;  // of the entry's work that is done, 0 to 1
};

nlohmann::json to_json(const Phase& phase);
Phase phase_from_json(const nlohmann::json& object);

// Whether the command of the run has --time-limit; `aisp demo` and `aisp compare` have only its
// default.
bool has_time_limit_option(const RunHeader& header);

}  // namespace aisp::lab
