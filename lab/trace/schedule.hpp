// The simulator's schedule as a Trace.
#pragma once

#include <string>

#include "lab/trace/trace.hpp"

namespace aisp::lab {

// `text` is what aispTraceRead of sim/cudart/trace.cpp gives: a JSON object with the lists
// "intervals", "waits", "ranges" and "marks". Streams have no names yet.
Trace trace_of_schedule(const std::string& text);

}  // namespace aisp::lab
