// Conflicts of operations as findings.
#pragma once

#include "sim/watch/finding.hpp"
#include "sim/watch/host/page_guards.hpp"
#include "sim/watch/host/stream_shadow.hpp"

namespace aisp::sim::watch {

// Returns the finding's number.
FindingNumber report_conflict(Findings& findings, const Memory& memory, const Conflict& conflict);
void report_host_touch(Findings& findings, const Memory& memory, const StreamOperation& operation,
                       const HostTouch& touch);
// By a host function in a stream.
void report_function_touch(Findings& findings, const Memory& memory,
                           const StreamOperationPtr& operation, const StreamOperationPtr& function,
                           const HostTouch& touch);

}  // namespace aisp::sim::watch
