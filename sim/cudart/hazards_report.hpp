// Conflicts of operations as findings.
#pragma once

#include "sim/cudart/hazards_guard.hpp"
#include "sim/cudart/hazards_shadow.hpp"
#include "sim/watch/finding.hpp"

namespace sim::hazards {

void report(watch::Findings& findings, const Memory& memory, const Conflict& conflict);
void report(watch::Findings& findings, const Memory& memory, const Operation& copy,
            const HostTouch& touch);

}  // namespace sim::hazards
