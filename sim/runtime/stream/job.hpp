// What the executor runs: jobs, and the marks that they reach.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "sim/runtime/stream/engines.hpp"
#include "sim/runtime/stream/task.hpp"
#include "sim/runtime/stream/trace.hpp"
#include "sim/watch/stream_operation.hpp"

namespace aisp::sim {

struct QueuedJob;

// A point in the device's work: reached when the job that it belongs to has run.
struct Mark {
  bool reached = false;
  double nanoseconds = 0;              // simulated time at which it was
  double early = 0;                    // from which on a programmatic launch may begin
  std::vector<QueuedJob*> dependents;  // that wait for it
  watch::OrderNodePtr node;            // for the hazard checker; null without it
  trace::Cause cause;                  // what its time is due to; known while a trace is taken
};
using MarkPtr = std::shared_ptr<Mark>;

struct Job {
  std::function<TaskResult(double)> run;  // none: only orders others
  std::function<bool()> when{};           // what it waits for besides marks; asked again and again
  EngineUse use{};
  int priority = 0;              // lower first, as CUDA counts
  int connection = -1;           // of its stream, where those are limited: connections.hpp
  bool even_if_lost = false;     // runs on a lost device too
  std::vector<MarkPtr> after{};  // null ones and reached ones are allowed
  // For the hazard checker; nothing without it.
  watch::StreamOperationPtr operation{};
  trace::IntervalPtr traced{};      // what it shows as in a trace
  std::vector<MarkPtr> overlaps{};  // those of `after` that a programmatic launch need not wait for
  MarkPtr mark{};                   // that it reaches; none: a new one
  watch::OrderNodePtr inside{};     // of the body of a conditional graph node: the node's end
};

// In the executor's queue.
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
