// A job in the executor's queue. For the files of that class alone.
#pragma once

#include "sim/runtime/stream/executor.hpp"

namespace aisp::sim {

struct QueuedJob : Job {
  std::uint64_t sequence = 0;
  int missing = 0;   // marks that it waits for
  double start = 0;  // nanoseconds: not before
  bool held_back = false;
  trace::Cause cause;
};

// As many as a real queue holds: then the executor begins, whatever the host does.
inline constexpr std::size_t queue_depth = 1024;

inline bool is_function(const Job& job) {  // for the hazard checker only
  return job.operation && job.operation->kind == watch::OperationKind::host;
}

}  // namespace aisp::sim
