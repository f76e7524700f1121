// Why an interval did not begin earlier.
#pragma once

#include <string>

#include "lab/trace/trace.hpp"

namespace aisp::lab {

// In words, what the interval at `place` waited for while its device was idle since `idle_since`:
// a call that held the host up, the host that had not enqueued it yet, a function on the host, or
// the work that it comes after.
std::string waited_for(const Trace& trace, double idle_since, std::size_t place);

}  // namespace aisp::lab
