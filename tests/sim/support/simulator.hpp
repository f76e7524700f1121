// Runs an experiment in this process, straight on the simulator's layers.
#pragma once

#include "sim/launch/launch.hpp"
#include "tests/sim/support/experiment.hpp"

namespace aisp::experiments {

struct Outcome {
  std::vector<std::byte> out;
  std::string failure;  // refusal or fault report; empty when it ran
};

Outcome simulate(const Experiment& experiment, const sim::Settings& settings = {},
                 const std::string& device = "h200");

}  // namespace aisp::experiments
