// Traces that are made up, with times in whole nanoseconds.
#pragma once

#include <string>

#include "lab/trace/trace.hpp"

namespace aisp::lab {

inline TraceInterval work(TraceEngine engine, std::uint64_t stream, double start, double end) {
  return {.stream = stream,
          .engine = engine,
          .name = engine == TraceEngine::compute ? "scale" : work_name(engine, 1024),
          .start = start,
          .end = end,
          .enqueued = 0};
}

inline Trace trace_of(std::vector<TraceInterval> intervals) {
  Trace trace;
  trace.intervals = std::move(intervals);
  trace.streams = {{0, 1, "main"}, {0, 2, "side"}};
  return trace;
}

}  // namespace aisp::lab
