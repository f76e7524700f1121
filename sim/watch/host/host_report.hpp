// Conflicts of operations as findings.
#pragma once

#include "sim/watch/finding.hpp"
#include "sim/watch/host/page_guards.hpp"
#include "sim/watch/host/stream_shadow.hpp"

namespace aisp::sim::watch {

void report_conflict(Findings& findings, const Memory& memory, const Conflict& conflict);
void report_host_touch(Findings& findings, const Memory& memory, const StreamOperation& copy,
                       const HostTouch& touch);

}  // namespace aisp::sim::watch
