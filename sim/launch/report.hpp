// What a stopped kernel tells its author.
#pragma once

#include <string>

#include "sim/machine/warp.hpp"

namespace aisp::sim {

struct Report {
  FaultKind kind{};
  std::string text;  // one paragraph; first line names kernel and cause
};

// Who waits for what, where and in which phase: one line per group of warps that wait alike.
std::string describe_waits(Cluster& cluster);

// Kernel, cause, block and thread, PTX line and source line.
Report make_report(Cluster& cluster, const Fault& fault);

}  // namespace aisp::sim
