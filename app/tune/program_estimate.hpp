// How long `aisp tune program` takes on the simulator.
#pragma once

#include <string>
#include <vector>

#include "lab/record/records.hpp"

namespace aisp::app {

struct TuneEstimate {
  std::vector<double> seconds;     // for each entry of the plan, 0 where nothing is known
  std::vector<std::string> lines;  // what to say before it begins
};

// Of a plan whose rungs all have choices. `seconds` is --seconds: after it no further group of
// candidates is begun, but one that was begun is timed to its end.
TuneEstimate estimate_tuning(const lab::RunHeader& planned, double seconds);

}  // namespace aisp::app
