// The one plan of the library: what was chosen, and what enqueues it. GEMMs, convolutions,
// contractions and attention all return it.
#pragma once

#include <string>
#include <utility>

#include "tile/device/launch/launch_choice.hpp"

namespace aisp::tile::device {

// A kernel by its name and how it is launched.
struct Choice {
  std::string recipe{};
  LaunchChoice launch{};
};

// Made once, run often: running it only launches. It may run on one stream at a time. Memory that
// the plan got itself lives as long as a copy of the plan.
class Plan {
 public:
  Plan(Choice choice, PlannedRun run) : choice_(std::move(choice)), run_(std::move(run)) {}

  void run(cudaStream_t stream = nullptr) const {
    if (run_) run_(stream);
  }
  const Choice& choice() const { return choice_; }
  // The name of what was chosen, for reports: "few_rows_16", "decode_d128_split".
  const std::string& kernel() const { return choice_.recipe; }

 private:
  Choice choice_;
  PlannedRun run_;  // empty: there is nothing to compute
};

inline Plan nothing_to_run() { return {{"nothing", {}}, {}}; }

}  // namespace aisp::tile::device
