// Traces of several processes on one time line.
#pragma once

#include <string>

#include "lab/trace/trace.hpp"

namespace aisp::lab {

// Adds what another process's devices did. Its clock is set so that both come at the same time to
// the end of what they enqueued under meeting_range; a trace without that adds nothing. Its devices
// get numbers that are free in `whole`, and names that begin with `process`.
void add_process(Trace& whole, const Trace& part, const std::string& process);

// A trace's intervals and streams as text, and back. Refuses (Exit::environment) what is neither.
std::string text_of_trace(const Trace& trace);
Trace trace_of_text(const std::string& text);

// Lets rank processes of this program be traced: sets lab/case's start_process_trace().
void offer_process_trace();

}  // namespace aisp::lab
