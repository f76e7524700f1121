// Which peers stand beside the ladders of a run: what --peers asks for, less what this machine
// lacks.
#pragma once

#include <string>
#include <vector>

#include "lab/case/registry.hpp"
#include "lab/record/records.hpp"
#include "lab/run/plan/options.hpp"

namespace aisp::lab {

// Automatic: peers that need no request, and those that --rungs names. A list holds names of peers
// or their beginnings.
bool wants_peer(const Rung& peer, const RunOptions& options);

// Refuses (Exit::usage) a name in --peers that no peer of the selected targets begins with.
void refuse_unknown_peers(const std::vector<Selection>& selected, const RunOptions& options);

// Takes the peers whose library is missing here out of the plan; one line for each says why.
// Refuses (Exit::environment) when nothing is left.
std::vector<std::string> leave_out_absent_peers(RunHeader& header);

}  // namespace aisp::lab
